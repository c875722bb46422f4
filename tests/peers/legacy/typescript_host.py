"""A host on the TypeScript SDK 1.x: `typescript/host.mjs`, driven from here."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from anyio.abc import Process
from anyio.streams.buffered import BufferedByteReceiveStream
from host import Host, Message, Person, Refused
from process import PATIENCE

HERE = Path(__file__).parent / "typescript"
NODE = HERE.parents[1] / "typescript/node_modules/.bin/node"


@asynccontextmanager
async def connect(reach: Message, person: Person, revision: str | None) -> AsyncIterator[Host]:
    """`reach` has `command`, `args` and `env`, or `url`, or `sse`."""
    declared: Message = {capability: {} for capability in person.capabilities}
    if "roots" in declared:
        declared["roots"] = {"listChanged": True}
    if revision in (None, "2025-11-25") and "elicitation" in declared:
        declared["elicitation"] = {"form": {}, "url": {}}
    settings = {**reach, "capabilities": declared, "revision": revision}
    command = [str(NODE), str(HERE / "host.mjs"), json.dumps(settings)]
    async with await anyio.open_process(command, stderr=None) as process:
        host = TypescriptHost(person, process)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(host.listen)
            with anyio.fail_after(PATIENCE):
                await host.ready.wait()
            if host.failed:
                raise host.failed
            yield host
            await process.stdin.aclose()
            with anyio.fail_after(PATIENCE):
                status = await process.wait()
            assert status == 0


class TypescriptHost(Host):
    def __init__(self, person: Person, process: Process) -> None:
        super().__init__(person)
        self.process = process
        self.ready = anyio.Event()
        self.failed: Exception | None = None
        self.requests = 0
        self.waiting: dict[int, tuple[anyio.Event, Message]] = {}
        """By the number of a request, who waits for its outcome and where it goes."""

    async def listen(self) -> None:
        lines = BufferedByteReceiveStream(self.process.stdout)
        while True:
            try:
                line = await lines.receive_until(b"\n", 1 << 24)
            except (anyio.IncompleteRead, anyio.EndOfStream):
                break
            await self.receive(json.loads(line))
        if not self.ready.is_set():
            self.failed = Refused(None, "the host did not connect")
            self.ready.set()
        for event, _ in self.waiting.values():
            event.set()

    async def receive(self, message: Message) -> None:
        if "ready" in message:
            self.initialized, self.session = message["ready"], message.get("session")
            self.ready.set()
        elif "ask" in message:
            try:
                answer = {"result": self.person(message["method"], message.get("params") or {})}
            except Refused as refused:
                answer = {"error": {"code": refused.code, "message": refused.message}}
            await self.say({"answer": message["ask"], **answer})
        elif "event" in message:
            self.events.append((message["event"], message.get("params") or {}))
        elif "stray" in message:
            self.strays.append(message["stray"])
        else:
            event, outcome = self.waiting.pop(message["id"])
            outcome.update(message)
            event.set()

    async def say(self, message: Message) -> None:
        await self.process.stdin.send(json.dumps(message).encode() + b"\n")

    async def begin(
        self, method: str, params: Message | None, progress: bool
    ) -> tuple[int, anyio.Event, Message]:
        self.requests += 1
        event, outcome = self.waiting[self.requests] = (anyio.Event(), {})
        await self.say(
            {"id": self.requests, "method": method, "params": params or {}, "progress": progress}
        )
        return self.requests, event, outcome

    async def request(
        self, method: str, params: Message | None = None, progress: bool = False
    ) -> Message:
        _, event, outcome = await self.begin(method, params, progress)
        with anyio.fail_after(2 * PATIENCE):
            await event.wait()
        if "error" in outcome:
            error = outcome["error"]
            raise Refused(error.get("code"), error["message"], error.get("data"))
        return outcome["result"]

    async def taken_back(self, tool: str, arguments: Message) -> None:
        number, event, _ = await self.begin(
            "tools/call", {"name": tool, "arguments": arguments}, True
        )
        await self.hears("notifications/progress")
        await self.say({"cancel": number})
        with anyio.fail_after(PATIENCE):
            await event.wait()
