"""The TypeScript SDK as client of our servers over HTTP."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from host import MISSING_REQUIRED_CLIENT_CAPABILITY
from process import PATIENCE, binary, serving

HERE = Path(__file__).parent / "typescript"
NODE = HERE / "node_modules/.bin/node"

ACCEPT = {"action": "accept", "content": {"confirm": True}}


def node(script: str, *arguments: str) -> dict[str, Any]:
    """What a script prints."""
    line = [str(NODE), str(HERE / script), *arguments]
    done = subprocess.run(line, capture_output=True, text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def call(
    url: str,
    tool: str,
    arguments: dict[str, Any],
    answer: dict[str, Any] | None = None,
    mode: str = "auto",
) -> dict[str, Any]:
    """What came of a call."""
    person = [] if answer is None else [json.dumps(answer)]
    return node("client.mjs", mode, url, tool, json.dumps(arguments), *person)


def delete_note(url: str, answer: dict[str, Any] | None = None) -> dict[str, Any]:
    return call(url, "delete_note", {"note_id": "n-1"}, answer)


def text(outcome: dict[str, Any]) -> str:
    [content] = outcome["result"]["content"]
    return content["text"]


def test_connects_and_lists() -> None:
    with serving(binary("notes"), "--http") as url:
        listed = call(url, "list_notes", {})
    assert listed["version"] == "2026-07-28"
    tools = {tool["name"]: tool for tool in listed["tools"]}
    assert set(tools) == {"delete_note", "list_notes"}
    assert list(tools["delete_note"]["inputSchema"]["properties"]) == ["note_id"]
    assert text(listed).startswith("n-1: Groceries\n")


def test_elicitation_accepted() -> None:
    with serving(binary("notes"), "--http") as url:
        outcome = delete_note(url, ACCEPT)
        assert text(outcome) == "Deleted note n-1."
        assert "n-1" not in text(call(url, "list_notes", {}))
    [question] = outcome["asked"]
    assert question["message"].startswith("Delete note n-1 (")
    assert question["requestedSchema"]["properties"]["confirm"]["type"] == "boolean"


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_elicitation_not_accepted(action: str) -> None:
    with serving(binary("notes"), "--http") as url:
        outcome = delete_note(url, {"action": action})
        assert text(outcome) == "Kept note n-1: the user did not confirm."
        assert "n-1" in text(call(url, "list_notes", {}))
    assert len(outcome["asked"]) == 1


def test_host_that_opens_with_a_handshake() -> None:
    """As this SDK does where it is not told otherwise: the question comes while the call is open."""
    with serving(binary("notes"), "--http") as url:
        outcome = call(url, "delete_note", {"note_id": "n-1"}, ACCEPT, "legacy")
    assert outcome["version"] == "2025-11-25"
    assert text(outcome) == "Deleted note n-1."
    assert len(outcome["asked"]) == 1


def test_no_elicitation_handler() -> None:
    with serving(binary("notes"), "--http") as url:
        error = delete_note(url)["error"]
    assert error["code"] == MISSING_REQUIRED_CLIENT_CAPABILITY
    assert error["data"]["requiredCapabilities"] == {"elicitation": {"form": {}}}


def test_progress_comes_as_a_stream(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.touch()
    with serving(binary("peer-server")) as url:
        outcome = call(url, "wait_for", {"path": str(there)})
    assert text(outcome) == "there it is"
    assert [report["progress"] for report in outcome["progress"]] == [1]


@pytest.mark.parametrize("value", ["eu-west", "Grüße, 世界", " padded ", "=?base64?QQ==?="])
def test_argument_in_a_header(value: str) -> None:
    with serving(binary("everything"), "--http") as url:
        assert text(call(url, "test_header_parameter", {"value": value})) == value


def test_subscription() -> None:
    with serving(binary("peer-server")) as url:
        heard = node("subscribe.mjs", url)
    assert heard == {"honoured": {"toolsListChanged": True}, "changes": 2, "end": "graceful"}
