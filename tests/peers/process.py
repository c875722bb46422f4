"""Programs under test as processes on loopback ports."""

import os
import random
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

PATIENCE = 20.0
"""Seconds that anything here may take before it counts as stuck."""


def binary(name: str) -> str:
    """One of our programs."""
    folder = os.environ.get("MCP_PEER_BIN")
    if folder is None:
        raise RuntimeError(
            "MCP_PEER_BIN does not name the folder of the programs: use tests/peers/run"
        )
    return str(Path(folder) / name)


def installed(*names: str) -> str:
    """A program of the system that has one of these names. Debian has some where only root looks."""
    for name in names:
        path = shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin")
        if path is not None:
            return path
    pytest.fail(f"{names[0]} is not installed; Debian's package has its name")


def free_port() -> int:
    """Below the range of outgoing connections, so that none of them takes it before we do."""
    while True:
        port = random.randrange(20_000, 32_768)
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


@contextmanager
def running(*command: str, port: int, env: dict[str, str] | None = None) -> Iterator[None]:
    """Runs a program for as long as the context lasts, from when it listens on the port."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env={**os.environ, **(env or {})})
    try:
        wait_until_open(port, process)
        yield
        assert not process.poll(), f"{command[0]} ended with status {process.returncode}"
    finally:
        process.terminate()
        process.wait(PATIENCE)


def wait_until_open(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=PATIENCE).close()
            return
        except ConnectionRefusedError:
            if process.poll() is not None:
                pytest.fail(f"{process.args} ended with status {process.returncode}")
            if time.monotonic() > end:
                pytest.fail(f"{process.args} does not listen on port {port}")
            time.sleep(0.01)


@contextmanager
def serving(
    program: str, *arguments: str, more: tuple[str, ...] = (), env: dict[str, str] | None = None
) -> Iterator[str]:
    """Runs a server that takes its address after `arguments`, and gives the URL of its endpoint."""
    port = free_port()
    command = (program, *arguments, f"127.0.0.1:{port}", *more)
    with running(*command, port=port, env=env):
        yield f"http://127.0.0.1:{port}/mcp"
