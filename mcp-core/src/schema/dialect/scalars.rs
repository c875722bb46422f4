//! Text and numbers.

use serde_json::Value;

use super::Keywords;
use super::convert::Converter;
use super::keywords::{FORMATS, applicable};
use crate::schema::{
    numbers,
    object::{keep, set, take, text},
};

impl Converter<'_> {
    pub(super) fn string(&mut self, mut keywords: Keywords) -> Value {
        if keywords
            .get("format")
            .is_some_and(|format| !FORMATS.iter().any(|known| format == known))
        {
            take(&mut keywords, "format");
        }
        self.constrained_by(&keywords, &["minLength", "maxLength", "pattern"]);
        self.finish(keywords, applicable("string"))
    }

    pub(super) fn integer(&mut self, mut keywords: Keywords) -> Value {
        let (least, most) = match numbers::integer_bounds(&keywords) {
            Ok(bounds) => bounds,
            Err(problem) => return self.fault(problem),
        };
        let format = text(&keywords, "format");
        let own = format.and_then(numbers::format_bounds).unwrap_or_default();
        if (least, most) != own || keywords.contains_key("multipleOf") {
            self.has_constraints = true;
        }
        keep(&mut keywords, &mut |keyword, _| {
            !matches!(
                keyword,
                "format" | "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"
            )
        });
        for (keyword, bound) in [("minimum", least), ("maximum", most)] {
            if let Some(bound) = bound.and_then(numbers::number) {
                set(&mut keywords, keyword, bound);
            }
        }
        self.finish(keywords, applicable("integer"))
    }

    pub(super) fn number(&mut self, mut keywords: Keywords) -> Value {
        take(&mut keywords, "format");
        self.constrained_by(
            &keywords,
            &[
                "minimum",
                "maximum",
                "exclusiveMinimum",
                "exclusiveMaximum",
                "multipleOf",
            ],
        );
        self.finish(keywords, applicable("number"))
    }
}
