//! The shop's tools, one a file, in the order of how much they ask: nothing, by hand, a form, a page.

mod find_order;
mod issue_refund;
mod pay_refund;
mod quote_refund;
mod record_return;

use mcp_server::{ToolSet, tools};

pub(super) fn all() -> ToolSet {
    tools![
        find_order::find_order,
        quote_refund::quote_refund,
        issue_refund::issue_refund,
        record_return::record_return,
        pay_refund::pay_refund,
    ]
}
