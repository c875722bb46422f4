"""Sessions over HTTP: many hosts of both eras at one endpoint, streams that are cut, and the end."""

import asyncio
import json
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from conftest import connect, serving_http
from host import ELICIT, Message, Refused, accept, text

pytestmark = pytest.mark.anyio


async def test_stream_that_the_server_closes(sdk: str) -> None:
    """The tool closes the stream of its call, and the result comes on the one with which the host goes on."""
    with serving_http("everything") as url:
        async with connect(sdk, url) as host:
            result = await host.call("test_reconnection")
            assert text(result).startswith("Reconnection test completed")
            host.strays = [stray for stray in host.strays if "SSE stream disconnected" not in stray]


async def test_stream_that_breaks(sdk: str, tmp_path: Path) -> None:
    """The connections break while a call is open. It goes on, and its result comes on a new one."""
    there = tmp_path / "there"
    with serving_http("peer-server") as url:
        async with breakable(url) as (proxied, cut), connect(sdk, proxied) as host:
            async with anyio.create_task_group() as tasks:

                async def call() -> None:
                    params = {"name": "wait_for", "arguments": {"path": str(there)}}
                    result = await host.request("tools/call", params, progress=True)
                    assert text(result) == "there it is"

                tasks.start_soon(call)
                await host.hears("notifications/progress")
                cut()
                there.touch()
            assert await host.request("ping") == {}
            host.strays.clear()


@asynccontextmanager
async def breakable(url: str) -> AsyncIterator[tuple[str, Callable[[], None]]]:
    """The URL of a server behind a relay, and what breaks all connections that are open there."""
    behind = urllib.parse.urlsplit(url)
    open_now: list[asyncio.StreamWriter] = []

    async def relay(near: asyncio.StreamReader, near_writer: asyncio.StreamWriter) -> None:
        far, far_writer = await asyncio.open_connection(behind.hostname, behind.port)
        open_now.extend([near_writer, far_writer])
        await asyncio.gather(pump(near, far_writer), pump(far, near_writer), return_exceptions=True)

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while some := await reader.read(65_536):
                writer.write(some)
                await writer.drain()
        finally:
            writer.close()

    def cut() -> None:
        for writer in open_now:
            writer.transport.abort()
        open_now.clear()

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}{behind.path}", cut
    finally:
        server.close()
        cut()


async def test_hosts_do_not_hear_of_each_other(sdk: str) -> None:
    with serving_http("everything") as url:
        script = {ELICIT: [accept(username="a", email="a@example.com")]}
        async with connect("python", url, script) as one, connect(sdk, url) as other:
            assert one.session and other.session and one.session != other.session
            # Both have heard of the change, and one alone is asked.
            await one.call("test_trigger_prompt_change")
            await one.hears("notifications/prompts/list_changed")
            await other.hears("notifications/prompts/list_changed")
            assert "accept" in text(await one.call("test_elicitation", message="Who?"))
            await one.request("resources/subscribe", {"uri": "test://watched-resource"})
            await other.call("test_trigger_resource_change")
            await one.hears("notifications/resources/updated")
            assert other.heard("notifications/resources/updated") == []
            assert other.person.asked == []


async def test_session_that_was_ended(sdk: str) -> None:
    with serving_http("everything") as url:
        async with connect(sdk, url) as host:
            assert host.session
            assert delete(url, host.session) in (200, 202, 204)
            with pytest.raises(Refused):
                await host.request("ping")
            host.strays.clear()
        async with connect(sdk, url) as host:
            assert await host.request("ping") == {}


async def test_session_of_a_host_that_leaves(sdk: str) -> None:
    """The SDKs end their session; whoever comes with its id afterwards is told that there is none."""
    with serving_http("everything") as url:
        async with connect(sdk, url) as host:
            session = host.session
            assert session
            if sdk == "typescript":
                await host.request("session/end")
        ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        headers = {"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
        assert exchange(url, ping, **headers)[0] == 404


def delete(url: str, session: str) -> int:
    return exchange(
        url, None, "DELETE", **{"Mcp-Session-Id": session, "MCP-Protocol-Version": "2025-11-25"}
    )[0]


def exchange(
    url: str, message: Message | None, method: str = "POST", **headers: str
) -> tuple[int, Any]:
    """A request by hand, and its status and JSON."""
    body = None if message is None else json.dumps(message).encode()
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        **headers,
    }
    request = urllib.request.Request(url, body, headers, method=method)
    browser = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with browser.open(request, timeout=20) as response:
            said = response.read()
            return response.status, json.loads(said) if said else None
    except urllib.error.HTTPError as error:
        return error.code, error.read()


async def test_both_eras_at_one_endpoint(sdk: str) -> None:
    """A request without session by a client of 2026-07-28, while a session is open."""
    with serving_http("everything") as url:
        async with connect(sdk, url) as host:
            meta = {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            message = {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "server/discover",
                "params": {"_meta": meta},
            }
            headers = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "server/discover"}
            status, answer = await anyio.to_thread.run_sync(
                lambda: exchange(url, message, **headers)
            )
            assert status == 200
            assert answer["result"]["supportedVersions"] == ["2026-07-28"]
            assert text(await host.call("test_simple_text"))
