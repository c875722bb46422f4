"""nginx in front of three instances that share their keys: each request of an exchange lands on another one."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import urlsplit

import anyio
import httpx2
import pytest
from host import (
    Person,
    accept,
    ask,
    assert_refused,
    by_hand,
    connect,
    nobody,
    text,
    the_question,
)
from mcp import Client, MCPError
from mcp_types import InputRequiredResult
from process import binary, free_port, installed, running, serving

pytestmark = pytest.mark.anyio

CONFIGURATION = Path(__file__).parent / "nginx.conf"
PARCEL = {"parcel": "P-7"}
SENT = "Sent P-7 to Oslo."
RELOADED = 1.1
"""Seconds after which an instance looks at its key file again."""


@dataclass
class Cluster:
    url: str
    """Where nginx listens."""
    key_files: list[Path]
    """One for each instance."""
    access_log: Path

    def rounds(self) -> list[str]:
        """Which instance each `tools/call` went to, in order."""
        lines = [line.split() for line in self.access_log.read_text().splitlines()]
        return [instance for method, instance, status in lines if method == "tools/call"]


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    key_files = [tmp_path / f"keys-{number}" for number in range(3)]
    key = secrets.token_hex(32)
    for file in key_files:
        file.write_text(key)
    with ExitStack() as started:
        instances = [
            started.enter_context(serving(binary("peer-server"), more=("--keys", str(file))))
            for file in key_files
        ]
        port = free_port()
        first, second, third = (urlsplit(url).port for url in instances)
        names = {"FOLDER": tmp_path, "PORT": port, "FIRST": first, "SECOND": second, "THIRD": third}
        file = tmp_path / "nginx.conf"
        file.write_text(Template(CONFIGURATION.read_text()).safe_substitute(names))
        line = (installed("nginx"), "-p", str(tmp_path), "-e", "stderr", "-c", str(file))
        started.enter_context(running(*line, port=port))
        yield Cluster(f"http://127.0.0.1:{port}/mcp", key_files, tmp_path / "access.log")


async def test_rounds_on_three_instances(cluster: Cluster) -> None:
    person = Person([accept(city="Oslo"), accept(send=True)])
    async with connect(cluster.url, person) as client:
        assert text(await client.call_tool("send_parcel", PARCEL)) == SENT
    assert person.messages == ["Where does P-7 go?", "Send P-7 to Oslo?"]
    rounds = cluster.rounds()
    assert len(rounds) == 3 and len(set(rounds)) == 3


class Exchange:
    """A call by hand: a request for each `step`, and done after three."""

    answers = [("to", accept(city="Oslo")), ("consent", accept(send=True))]

    def __init__(self, client: Client) -> None:
        self.client = client
        self.asked: list[InputRequiredResult] = []
        self.done: str | None = None

    async def step(self) -> None:
        retry: dict[str, Any] = {}
        if self.asked:
            key, answer = self.answers[len(self.asked) - 1]
            the_question(self.asked[-1], key)
            state = self.asked[-1].request_state
            retry = {"input_responses": {key: answer}, "request_state": state}
        result = await by_hand(self.client, "send_parcel", PARCEL, **retry)
        if isinstance(result, InputRequiredResult):
            self.asked.append(result)
        else:
            self.done = text(result)


class Traffic:
    """Exchanges of every age that are under way at the same time."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.begun: list[Exchange] = []
        self.requests: list[Exchange] = []
        """Whose turn it was, in order."""

    async def begin_four(self) -> None:
        """And a step in each of those that are there. Four, so that nobody comes back to the same instance."""
        self.begun.extend(Exchange(self.client) for _ in range(4))
        await self.step()

    async def step(self) -> None:
        for exchange in self.begun:
            if exchange.done is None:
                self.requests.append(exchange)
                await exchange.step()

    async def finish(self) -> None:
        for _ in range(2):
            await self.step()


async def test_rotation_of_keys(cluster: Cluster) -> None:
    """Instance by instance, while exchanges are under way; none is lost.

    `[old, new]`, then `[new, old]` and, when what the old key has sealed is finished, `[new]`. In between the
    instances have different rings, and none may refuse what another has sealed.
    """
    old, new = cluster.key_files[0].read_text(), secrets.token_hex(32)
    async with connect(cluster.url, nobody) as client:
        traffic = Traffic(client)

        async def deploy(*keys: str) -> None:
            for file in cluster.key_files:
                # In one go: an instance must not read half a file.
                written = file.with_suffix(".new")
                written.write_text("\n".join(keys))
                written.replace(file)
                await anyio.sleep(RELOADED)
                for _ in range(3):
                    await traffic.begin_four()

        await traffic.begin_four()
        await deploy(old, new)
        stale_at = len(traffic.requests)
        stale = await ask(client, "send_parcel", PARCEL)
        await deploy(new, old)
        await traffic.finish()
        await deploy(new)
        await traffic.finish()

        assert len(traffic.begun) == 4 * (1 + 3 * 3 * 3)
        assert {exchange.done for exchange in traffic.begun} == {SENT}
        # The new rings were read, or all of this would have shown nothing.
        for _ in cluster.key_files:
            with pytest.raises(MCPError) as refused:
                await by_hand(
                    client,
                    "send_parcel",
                    PARCEL,
                    input_responses={"to": accept(city="Oslo")},
                    request_state=stale.request_state,
                )
            assert_refused(refused.value)

    # And no exchange had one instance to itself.
    rounds = cluster.rounds()
    del rounds[stale_at]
    visited: dict[Exchange, set[str]] = {}
    for exchange, instance in zip(traffic.requests, rounds[: len(traffic.requests)], strict=True):
        visited.setdefault(exchange, set()).add(instance)
    assert all(len(instances) > 1 for instances in visited.values())


@pytest.mark.parametrize("location", ["mcp", "default"])
async def test_stream_is_not_buffered(cluster: Cluster, location: str, tmp_path: Path) -> None:
    """The call ends only after its progress has arrived."""
    there = tmp_path / "there"
    reports: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        reports.append(done)
        there.touch()

    async with connect(cluster.url.removesuffix("mcp") + location) as client:
        waited = await client.call_tool(
            "wait_for", {"path": str(there)}, progress_callback=progress
        )
    assert text(waited) == "there it is"
    assert reports == [1.0]


@pytest.mark.parametrize("location", ["mcp", "default"])
async def test_subscription_begins_at_once(cluster: Cluster, location: str) -> None:
    """The acknowledgement comes through, although nothing follows it."""
    async with connect(cluster.url.removesuffix("mcp") + location) as client:
        async with client.listen(tools_list_changed=True) as changes:
            assert changes.honored.tools_list_changed


@pytest.mark.parametrize("revision", ["2025-03-26", "2025-11-25"])
async def test_sessions_of_older_clients(cluster: Cluster, revision: str) -> None:
    """Nothing but the client's address leads to the instance that has the session."""
    accepted = {"accept": "application/json, text/event-stream"}

    def message(number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}

    async with httpx2.AsyncClient(headers=accepted) as client:
        offer = {
            "protocolVersion": revision,
            "capabilities": {},
            "clientInfo": {"name": "old", "version": "1"},
        }
        begun = await client.post(cluster.url, json=message(0, "initialize", offer))
        assert begun.json()["result"]["protocolVersion"] == revision
        session = {"mcp-session-id": begun.headers["mcp-session-id"]}
        if revision > "2025-03-26":
            session["mcp-protocol-version"] = revision
        for number in range(1, 7):
            listed = await client.post(
                cluster.url, json=message(number, "tools/list", {}), headers=session
            )
            assert listed.status_code == 200 and "send_parcel" in listed.text
        ended = await client.delete(cluster.url, headers=session)
        assert ended.is_success
        gone = await client.post(cluster.url, json=message(7, "ping", {}), headers=session)
        assert gone.status_code == 404
