//! A progress bar for a call, on standard error, and only at a terminal.

use std::sync::{Arc, Mutex, PoisonError};

use indicatif::{ProgressBar, ProgressStyle};
use mcp_client::Progress;

use super::clean::clean_line;

/// How finely a bar shows progress, which may be any number.
const STEPS: u64 = 1000;

/// What is shown where the server tells the total, and where it does not.
const KNOWN: &str = "[{bar:30}] {msg}";
const UNKNOWN: &str = "{spinner} {msg}";

/// The bar of one call. It appears with the first report, and again with the first one after it was
/// taken away.
#[derive(Debug, Clone, Default)]
pub(super) struct Bar(Arc<Mutex<Option<ProgressBar>>>);

impl Bar {
    pub(super) fn report(&self, report: &Progress) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let bar = shown.get_or_insert_with(|| ProgressBar::no_length().with_style(style(UNKNOWN)));
        if let Some(total) = report.total.filter(|total| *total > 0.0) {
            bar.set_style(style(KNOWN));
            bar.set_length(STEPS);
            bar.set_position(steps(report.progress / total));
        }
        if let Some(message) = &report.message {
            bar.set_message(clean_line(message));
        }
        bar.tick();
    }

    /// Takes the bar away, before a question or the result.
    pub(super) fn clear(&self) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = shown.take() {
            bar.finish_and_clear();
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "between 0 and the number of steps"
)]
fn steps(fraction: f64) -> u64 {
    (fraction.clamp(0.0, 1.0) * STEPS as f64) as u64
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_fits_on_the_bar() {
        for (fraction, expected) in [
            (0.0, 0),
            (0.5, 500),
            (1.0, 1000),
            (7.0, 1000),
            (-1.0, 0),
            (f64::NAN, 0),
        ] {
            assert_eq!(steps(fraction), expected, "{fraction}");
        }
    }
}
