"""curl against `notes` over HTTP: what the wire looks like, and what is refused."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from process import PATIENCE, binary, installed, serving

HEADER_MISMATCH = -32020
UNSUPPORTED_PROTOCOL_VERSION = -32022
METHOD_NOT_FOUND = -32601

VERSION = "2026-07-28"


@dataclass
class Answer:
    status: int
    headers: dict[str, str]
    body: str

    @property
    def error(self) -> int:
        """The code of the JSON-RPC error that it is."""
        return json.loads(self.body)["error"]["code"]


def curl(url: str, *options: str) -> Answer:
    line = [installed("curl"), "--silent", "--show-error", "--noproxy", "*", "--include"]
    done = subprocess.run(
        [*line, "--max-time", str(PATIENCE), *options, url], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    head, _, body = done.stdout.replace("\r\n", "\n").partition("\n\n")
    status, *fields = head.split("\n")
    headers = dict(field.lower().split(": ", 1) for field in fields)
    return Answer(int(status.split()[1]), headers, body)


def headers(**changed: str | None) -> list[str]:
    """Those of a request, but for the changed ones; `None` leaves a header out."""
    named: dict[str, str | None] = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": "server/discover",
    }
    named |= {name.replace("_", "-"): value for name, value in changed.items()}
    options: list[str] = []
    for name, value in named.items():
        # Without a value curl leaves out the headers that it sends by itself, and passes over the others.
        options += ["--header", f"{name}:" if value is None else f"{name}: {value}"]
    return options


def message(method: str = "server/discover", *, version: str = VERSION, **params: Any) -> list[str]:
    """A request's body."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "curl", "version": "7"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    request = {"jsonrpc": "2.0", "id": 7, "method": method, "params": {"_meta": meta, **params}}
    return ["--data-binary", json.dumps(request)]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(binary("notes"), "--http") as url:
        yield url


@pytest.mark.parametrize("http", ["--http1.1", "--http2-prior-knowledge"])
@pytest.mark.parametrize("slash", ["", "/"], ids=["no slash", "slash"])
def test_discover(url: str, http: str, slash: str) -> None:
    answer = curl(url + slash, http, *headers(), *message())
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    found = json.loads(answer.body)
    assert (found["jsonrpc"], found["id"]) == ("2.0", 7)
    assert found["result"]["resultType"] == "complete"
    assert VERSION in found["result"]["supportedVersions"]


def test_call(url: str) -> None:
    call = message("tools/call", name="list_notes", arguments={})
    answer = curl(url, *headers(Mcp_Method="tools/call", Mcp_Name="list_notes"), *call)
    assert answer.status == 200
    [content] = json.loads(answer.body)["result"]["content"]
    assert content["text"].startswith("n-1: Groceries\n")


@pytest.mark.parametrize(
    "changed",
    [
        {"Mcp_Method": None},
        {"Mcp_Method": "tools/list"},
        # A server that knows no clients without the header refuses requests without it.
        {"MCP_Protocol_Version": None},
        {"MCP_Protocol_Version": "2025-11-25"},
    ],
    ids=str,
)
def test_headers_that_do_not_match(url: str, changed: dict[str, str | None]) -> None:
    answer = curl(url, *headers(**changed), *message())
    assert (answer.status, answer.error) == (400, HEADER_MISMATCH)


def test_missing_name(url: str) -> None:
    call = message("tools/call", name="list_notes", arguments={})
    answer = curl(url, *headers(Mcp_Method="tools/call"), *call)
    assert (answer.status, answer.error) == (400, HEADER_MISMATCH)


def test_version_that_is_not_spoken(url: str) -> None:
    changed = headers(MCP_Protocol_Version="1999-01-01")
    answer = curl(url, *changed, *message(version="1999-01-01"))
    assert (answer.status, answer.error) == (400, UNSUPPORTED_PROTOCOL_VERSION)


def test_method_that_is_not_there(url: str) -> None:
    answer = curl(url, *headers(Mcp_Method="no/such"), *message("no/such"))
    assert (answer.status, answer.error) == (404, METHOD_NOT_FOUND)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_methods_other_than_post(url: str, method: str) -> None:
    answer = curl(url, "--request", method, *headers())
    assert answer.status == 405
    assert "post" in answer.headers["allow"]


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({"Origin": "http://evil.test"}, 403),
        ({"Origin": "http://localhost.evil.test"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:5173"}, 200),
        ({"Host": "evil.test"}, 403),
        ({"Host": "localhost"}, 200),
    ],
    ids=str,
)
def test_origin_and_host(url: str, changed: dict[str, str | None], status: int) -> None:
    answer = curl(url, *headers(**changed), *message())
    assert answer.status == status
    # With or without an error, a page of the right origin may read it, and no other.
    allowed = changed.get("Origin") if status == 200 else None
    assert answer.headers.get("access-control-allow-origin") == allowed


def test_bodies_and_answers_of_other_types(url: str) -> None:
    assert curl(url, *headers(Content_Type="text/plain"), *message()).status == 415
    assert curl(url, *headers(Accept="text/html"), *message()).status == 406


def test_stream() -> None:
    with serving(binary("peer-server")) as url:
        sent = message("tools/call", name="wait_for", arguments={"path": "/"})
        sent[1] = sent[1].replace('"_meta": {', '"_meta": {"progressToken": "p", ')
        named = headers(Mcp_Method="tools/call", Mcp_Name="wait_for")
        answer = curl(url, "--no-buffer", *named, *sent)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/event-stream")
    assert answer.headers["x-accel-buffering"] == "no"
    events = [
        line.removeprefix("data:") for line in answer.body.split("\n") if line.startswith("data:")
    ]
    progress, result = map(json.loads, events)
    assert progress["method"] == "notifications/progress"
    assert progress["params"]["progressToken"] == "p"
    assert result["id"] == 7
