//! Revision 2024-11-05: no hints of tools, no sound, no text for progress, and nothing that says that arguments can be completed.

use mcp_core::Revision;

use super::{
    super::object::Object,
    View,
    places::{each_block, each_entry},
};

pub(super) const VIEW: View = View {
    revision: Revision::V2024_11_05,
    result,
    error: |_, _| {},
    notification,
    request,
};

fn result(method: &str, result: &mut Object) {
    if method == "initialize" {
        result.edit("capabilities", &mut |capabilities| {
            capabilities.remove("completions");
        });
    }
    if method == "tools/list" {
        each_entry(method, result, &mut |tool| tool.remove("annotations"));
    }
    let mut count = 0;
    each_block(method, result, &mut |block| {
        if block.is("type", "audio") {
            count += 1;
            *block = attached(block, count);
        }
    });
}

/// A recording as an embedded resource: these bytes, of this type. It has no address but as a part of this message (RFC 2392).
fn attached(audio: &Object, number: usize) -> Object {
    let mut contents = Object::default();
    contents.set_text("uri", &format!("cid:audio-{number}"));
    contents.copy("mimeType", audio);
    if let Some(data) = audio.get("data") {
        contents.set("blob", data);
    }
    let mut block = Object::default();
    block.set("type", r#""resource""#);
    block.set("resource", &contents.to_json());
    block.copy("annotations", audio);
    block.copy("_meta", audio);
    block
}

fn notification(method: &str, params: &mut Object) {
    if method == "notifications/progress" {
        params.remove("message");
    }
}

/// A model that is sent a resource hears nothing.
fn request(method: &str, params: &mut Object) -> Result<(), String> {
    let mut audible = false;
    each_block(method, params, &mut |block| {
        audible |= block.is("type", "audio")
    });
    if audible {
        return Err("sampling with audio".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::super::{notification, requested, result};
    use super::*;

    const REVISION: Revision = Revision::V2024_11_05;

    fn seen(method: &str, json: &Value) -> Value {
        let seen = result(REVISION, method, &json.to_string()).unwrap();
        serde_json::from_str(&seen).unwrap()
    }

    #[test]
    fn a_tool_has_a_name_a_description_and_an_input_schema() {
        let list = json!({"tools": [{
            "name": "a", "title": "A", "description": "d", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}, "icons": [],
        }]});
        assert_eq!(
            seen("tools/list", &list),
            json!({"tools": [{"name": "a", "description": "d", "inputSchema": {"type": "object"}}]})
        );
    }

    #[test]
    fn sound_is_an_embedded_resource() {
        let audio = |data: &str| json!({"type": "audio", "data": data, "mimeType": "audio/wav", "annotations": {"priority": 1}});
        let resource = |number: usize, data: &str| {
            json!({
                "type": "resource",
                "resource": {"uri": format!("cid:audio-{number}"), "mimeType": "audio/wav", "blob": data},
                "annotations": {"priority": 1},
            })
        };
        assert_eq!(
            seen(
                "tools/call",
                &json!({"content": [audio("aGk="), audio("aG8=")]})
            ),
            json!({"content": [resource(1, "aGk="), resource(2, "aG8=")]})
        );
        assert_eq!(
            seen(
                "prompts/get",
                &json!({"messages": [{"role": "user", "content": audio("aGk=")}]})
            ),
            json!({"messages": [{"role": "user", "content": resource(1, "aGk=")}]})
        );
    }

    #[test]
    fn resources_keep_their_annotations() {
        let list = json!({"resources": [{"uri": "a:b", "name": "n", "annotations": {"audience": ["user"]}}]});
        assert_eq!(seen("resources/list", &list), list);
    }

    #[test]
    fn completion_is_not_declared() {
        let json = json!({"capabilities": {"logging": {}, "completions": {}, "resources": {"subscribe": true, "listChanged": true}}});
        assert_eq!(
            seen("initialize", &json),
            json!({"capabilities": {"logging": {}, "resources": {"subscribe": true, "listChanged": true}}})
        );
    }

    #[test]
    fn progress_has_no_text() {
        let message = |rest: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":1,"progress":0.5,"total":1{rest}}}}}"#
            )
        };
        let newer = message(r#","message":"half""#).into_bytes();
        assert_eq!(
            String::from_utf8(notification(REVISION, newer.clone())).unwrap(),
            message("")
        );
        assert_eq!(notification(Revision::V2025_03_26, newer.clone()), newer);
    }

    #[test]
    fn a_model_cannot_be_sent_sound() {
        let params = json!({"maxTokens": 1, "messages": [
            {"role": "user", "content": {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"}},
        ]});
        assert_eq!(
            requested(REVISION, "sampling/createMessage", &params.to_string()).unwrap_err(),
            "sampling with audio"
        );
    }
}
