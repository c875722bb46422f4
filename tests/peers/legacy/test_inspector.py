"""The command line of the Inspector, as a developer would try a server with it. It opens with `initialize`."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from conftest import options, serving_http
from process import PATIENCE, binary
from typescript_host import HERE, NODE

INSPECTOR = HERE / "node_modules/.bin/mcp-inspector"


@contextmanager
def reached(over: str, server: str) -> Iterator[list[str]]:
    """The arguments that name a server."""
    if over == "stdio":
        yield [binary(server), *options(server)]
    else:
        with serving_http(server) as url:
            yield [url, "--transport", "http"]


@pytest.fixture(params=["stdio", "http"])
def over(request: pytest.FixtureRequest) -> str:
    return request.param


def inspect(server: list[str], home: Path, method: str, *options: str) -> dict[str, Any]:
    """What it prints. It keeps a catalog in its home."""
    line = [str(NODE), str(INSPECTOR), "--cli", *server, "--method", method, *options]
    env = {**os.environ, "HOME": str(home)}
    done = subprocess.run(line, env=env, capture_output=True, text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_tools(over: str, tmp_path: Path) -> None:
    """Strict, so that a schema which some host would not take is an error."""
    with reached(over, "everything") as server:
        listed = inspect(server, tmp_path, "tools/list", "--strict")
        assert "test_simple_text" in {tool["name"] for tool in listed["tools"]}
        argument = ("--tool-name", "test_header_parameter", "--tool-arg", "value=here")
        called = inspect(server, tmp_path, "tools/call", *argument)
        assert called["content"] == [{"type": "text", "text": "here"}]


def test_prompts_and_resources(over: str, tmp_path: Path) -> None:
    with reached(over, "everything") as server:
        prompt = (
            "--prompt-name",
            "test_prompt_with_arguments",
            "--prompt-args",
            "arg1=a",
            "arg2=b",
        )
        [message] = inspect(server, tmp_path, "prompts/get", *prompt)["messages"]
        assert message["content"]["text"] == "Prompt with arguments: arg1='a', arg2='b'"
        uri = ("--uri", "test://static-text")
        [contents] = inspect(server, tmp_path, "resources/read", *uri)["contents"]
        assert contents["text"] == "This is the content of the static text resource."
