//! The payment provider's page, where a clerk signs in. The host and the model never see what is
//! typed here: that is what URL mode is for.

use axum::{
    Form,
    extract::{Path, State},
    http::header,
    response::{Html, IntoResponse},
};
use serde::Deserialize;

use super::{books::Refused, routes::Shared};

const SIGN_IN: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Payments</title>
<h1>Connect your account</h1>
<p>The shop's assistant wants to pay refunds from your account at the payment provider.
Sign in only if it was you who asked for that. (In this demo: lea, 2468.)</p>
<form method="post">
<p><label>Name <input name="clerk" autocomplete="username" required></label></p>
<p><label>PIN <input name="pin" type="password" autocomplete="current-password" required></label></p>
<p><button>Sign in and connect</button></p>
</form>
"#;

const DONE: &str = r#"<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Payments</title>
<h1>Connected</h1>
<p>You can close this page and go back to the assistant.</p>
"#;

/// Nobody else may frame the page, and its address, which names the visit, is told to nobody.
const HEADERS: [(header::HeaderName, &str); 3] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
    ),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];

pub(super) async fn show(
    shop: State<Shared>,
    Path(visit): Path<String>,
) -> Result<impl IntoResponse, Refused> {
    shop.books().has_visit(&visit)?;
    Ok((HEADERS, Html(SIGN_IN)))
}

#[derive(Deserialize)]
pub(super) struct SignIn {
    clerk: String,
    pin: String,
}

pub(super) async fn sign_in(
    shop: State<Shared>,
    Path(visit): Path<String>,
    Form(form): Form<SignIn>,
) -> Result<impl IntoResponse, Refused> {
    shop.books().sign_in(&visit, &form.clerk, &form.pin)?;
    Ok((HEADERS, Html(DONE)))
}
