//! The server that is measured: three tools that work, and a hundred that fill the list.

use mcp_server::prelude::*;
use mcp_server::{BuildError, ToolSet};

/// Sends the text back.
#[tool]
async fn echo(
    /// The text to send back.
    text: String,
) -> String {
    text
}

/// The sum of two integers.
#[derive(Debug, Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Adds two integers.
#[tool]
async fn add(
    /// First summand.
    a: i64,
    /// Second summand.
    b: i64,
) -> Json<Sum> {
    Json(Sum { sum: a + b })
}

/// The answer to the question of [`confirm_delete`].
#[derive(Debug, Deserialize, JsonSchema, Form)]
struct Confirm {
    confirm: bool,
}

/// Deletes a note after asking.
#[tool]
async fn confirm_delete(
    /// The note to delete.
    note_id: String,
    #[elicit("Delete this note for good? It cannot be undone afterwards, not even by an admin.")]
    confirm: Elicit<Confirm>,
) -> String {
    match confirm {
        Elicit::Accept(Confirm { confirm: true }) => format!("deleted {note_id}"),
        _ => format!("kept {note_id}"),
    }
}

macro_rules! dummies {
    ($($name:ident)*) => {
        $(
            /// A dummy tool which stands for one of the many tools that a real server offers to its clients.
            #[tool]
            async fn $name(
                /// Identifier of the record to look at.
                id: String,
                /// At most this many rows.
                limit: Option<i64>,
                /// Say more.
                verbose: Option<bool>,
            ) -> String {
                let _ = (limit, verbose);
                id
            }
        )*

        fn dummies() -> ToolSet {
            mcp_server::tools![$($name),*]
        }
    };
}

dummies! {
    dummy_000 dummy_001 dummy_002 dummy_003 dummy_004 dummy_005 dummy_006 dummy_007 dummy_008 dummy_009
    dummy_010 dummy_011 dummy_012 dummy_013 dummy_014 dummy_015 dummy_016 dummy_017 dummy_018 dummy_019
    dummy_020 dummy_021 dummy_022 dummy_023 dummy_024 dummy_025 dummy_026 dummy_027 dummy_028 dummy_029
    dummy_030 dummy_031 dummy_032 dummy_033 dummy_034 dummy_035 dummy_036 dummy_037 dummy_038 dummy_039
    dummy_040 dummy_041 dummy_042 dummy_043 dummy_044 dummy_045 dummy_046 dummy_047 dummy_048 dummy_049
    dummy_050 dummy_051 dummy_052 dummy_053 dummy_054 dummy_055 dummy_056 dummy_057 dummy_058 dummy_059
    dummy_060 dummy_061 dummy_062 dummy_063 dummy_064 dummy_065 dummy_066 dummy_067 dummy_068 dummy_069
    dummy_070 dummy_071 dummy_072 dummy_073 dummy_074 dummy_075 dummy_076 dummy_077 dummy_078 dummy_079
    dummy_080 dummy_081 dummy_082 dummy_083 dummy_084 dummy_085 dummy_086 dummy_087 dummy_088 dummy_089
    dummy_090 dummy_091 dummy_092 dummy_093 dummy_094 dummy_095 dummy_096 dummy_097 dummy_098 dummy_099
}

/// The server with its 103 tools.
///
/// # Errors
///
/// None, unless a tool is at fault.
pub fn server() -> Result<Server, BuildError> {
    Server::builder("bench-server", "1.0.0")
        .tools(mcp_server::tools![echo, add, confirm_delete])
        .tools(dummies())
        .build()
}
