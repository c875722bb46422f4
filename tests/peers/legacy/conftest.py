"""Runs the asynchronous tests on asyncio, and each over every way to connect.

The tests of this folder have a Python environment of their own, since both SDKs are called `mcp`.
"""

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import pytest
import python_host
import typescript_host
from host import Answer, Host, Message, Person
from process import binary, serving

HOSTS = {"python": python_host, "typescript": typescript_host}

Over = Literal["stdio", "http"]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Launch(Protocol):
    """What the fixture `launch` is: a host of one of our servers, with the answers of a person by method.

    Of the SDK it knows nothing but its name, since some do a thing their own way.
    """

    sdk: str
    over: Over

    def __call__(
        self,
        server: str,
        script: dict[str, list[Answer]] | None = None,
        *,
        revision: str | None = None,
    ) -> AbstractAsyncContextManager[Host]: ...


@dataclass
class Launched:
    sdk: str
    over: Over

    @asynccontextmanager
    async def __call__(
        self,
        server: str,
        script: dict[str, list[Answer]] | None = None,
        *,
        revision: str | None = None,
    ) -> AsyncIterator[Host]:
        with self.running(server) as reach:
            async with connect(self.sdk, reach, script, revision) as host:
                yield host

    def running(self, server: str) -> AbstractAsyncContextManager[Message] | Any:
        """A process of the server, where it is not the host that launches it."""
        if self.over == "http":
            return serving_http(server)
        return nullcontext({"command": binary(server), "args": options(server), "env": None})


def options(server: str) -> list[str]:
    return ["--serve"] if server in ("notes", "shop") else []


def serving_http(server: str) -> Any:
    """Gives how to reach a server over HTTP, to any number of hosts."""
    arguments = [*options(server), *(["--http"] if server != "peer-server" else [])]
    return serving(binary(server), *arguments)


@asynccontextmanager
async def connect(
    sdk: str,
    reach: Message | str,
    script: dict[str, list[Answer]] | None = None,
    revision: str | None = None,
) -> AsyncIterator[Host]:
    """A host that complains of nothing as long as it is connected."""
    reach = {"url": reach} if isinstance(reach, str) else reach
    async with HOSTS[sdk].connect(reach, Person(script or {}), revision) as host:
        yield host
        assert host.strays == []


@pytest.fixture(params=["python-stdio", "python-http", "typescript-stdio", "typescript-http"])
def launch(request: pytest.FixtureRequest) -> Launch:
    """A test that takes it runs with both SDKs over both transports."""
    return Launched(*request.param.split("-"))


@pytest.fixture(params=["python", "typescript"])
def sdk(request: pytest.FixtureRequest) -> str:
    """For tests of what is over HTTP alone."""
    return request.param
