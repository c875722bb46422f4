//! The host: it launches the shop's server and plays what happens when a tool asks, scene by scene.
//!
//! Each scene has a shop of its own, so each begins with refund R-0111.

mod desk;
mod out;
mod payment;
mod person;
mod refunds;
mod returns;
mod wire;
mod wrong_retries;

pub use self::person::Person;
use self::{desk::Desk, out::say};
use crate::AnyError;

type Played = Result<(), AnyError>;

/// Plays the whole story.
///
/// # Errors
///
/// Something in it did not go as it should.
pub async fn play(person: Person) -> Played {
    say!("A refund above the policy limit stops in the middle of the call and asks a lead");
    scene(person, refunds::play).await?;
    say!("\nA client that tries to get round the question");
    scene(Person::Script, wrong_retries::play).await?;
    say!("\nA return: whoever opened the parcel fills in a form, says no, or closes it");
    scene(person, returns::play).await?;
    say!("\nA client that can show no forms");
    scene(person, refunds::without_elicitation).await?;
    say!("\nA refund is paid: the clerk signs in on a page that host and model never see");
    scene(person, payment::play).await
}

/// Opens a desk, plays, and closes it whatever happened, so that no server is left behind.
async fn scene(person: Person, play: impl AsyncFnOnce(&Desk) -> Played) -> Played {
    let desk = Desk::open(person).await?;
    let played = play(&desk).await;
    desk.close().await;
    played
}
