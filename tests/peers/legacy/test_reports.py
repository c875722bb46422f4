"""What a server sends beside results: progress, log messages and changes; and calls that are taken back."""

from pathlib import Path

import anyio
import pytest
from conftest import Launch
from host import ROOTS, Host, found, text

pytestmark = pytest.mark.anyio

WATCHED = {"uri": "test://watched-resource"}


async def test_progress(launch: Launch) -> None:
    async with launch("everything") as host:
        await host.request("tools/call", {"name": "test_tool_with_progress", "arguments": {}}, True)
        reports = [
            (report["progress"], report["total"]) for report in host.heard("notifications/progress")
        ]
        forget_the_last_report(host)
    # Where the last report and the result come at once, the TypeScript SDK may be done with the call already.
    assert reports[:2] == [(0, 100), (50, 100)]
    assert (
        reports[2:] in ([], [(100, 100)])
        if launch.sdk == "typescript"
        else reports[2:] == [(100, 100)]
    )


def forget_the_last_report(host: Host) -> None:
    late = "Received a progress notification for an unknown token"
    host.strays = [stray for stray in host.strays if late not in stray]


async def test_log_messages(launch: Launch) -> None:
    async with launch("everything") as host:

        async def logged() -> list[tuple[str, str]]:
            host.events.clear()
            await host.call("test_tool_with_logging")
            return [
                (entry["level"], entry["data"]) for entry in host.heard("notifications/message")
            ]

        expected = [
            ("info", "Tool execution started"),
            ("info", "Tool processing data"),
            ("info", "Tool execution completed"),
        ]
        # Until a level is set the server chooses it.
        assert await logged() == expected
        await host.request("logging/setLevel", {"level": "warning"})
        assert await logged() == []
        await host.request("logging/setLevel", {"level": "debug"})
        assert await logged() == expected


async def test_changes(launch: Launch) -> None:
    async with launch("everything") as host:
        before = {prompt["name"] for prompt in await host.everything_of("prompts")}
        await host.call("test_trigger_prompt_change")
        await host.hears("notifications/prompts/list_changed")
        after = {prompt["name"] for prompt in await host.everything_of("prompts")}
        assert before - after == {"test_dynamic_prompt"}
        await host.call("test_trigger_tool_change")
        await host.hears("notifications/tools/list_changed")
        assert [method for method, _ in host.events] == [
            "notifications/prompts/list_changed",
            "notifications/tools/list_changed",
        ]


async def test_subscriptions(launch: Launch) -> None:
    async with launch("everything") as host:
        updated = "notifications/resources/updated"

        async def change() -> None:
            """Changes the resource, and waits until all that there is to hear of it has come."""
            host.events.clear()
            await host.call("test_trigger_resource_change")
            await host.call("test_trigger_prompt_change")
            await host.hears("notifications/prompts/list_changed")

        await change()
        assert host.heard(updated) == []
        await host.request("resources/subscribe", WATCHED)
        await change()
        assert await host.hears(updated) == [WATCHED]
        await host.request("resources/unsubscribe", WATCHED)
        await change()
        assert host.heard(updated) == []


async def test_call_that_is_taken_back(launch: Launch, tmp_path: Path) -> None:
    """No answer comes, and the connection goes on: an answer that nobody waits for is a stray."""
    there = tmp_path / "there"
    async with launch("peer-server") as host:
        await host.taken_back("wait_for", {"path": str(there)})
        # Over HTTP the cancellation is a request of its own, which nobody waits for.
        await anyio.sleep(0.5)
        there.touch()
        await anyio.sleep(0.2)
        assert (await host.request("ping")) == {}
        assert "wait_for" in {tool["name"] for tool in await host.everything_of("tools")}


async def test_directories_that_change(launch: Launch) -> None:
    script = {ROOTS: [found("file:///srv/a"), found("file:///srv/b")]}
    async with launch("everything", script) as host:
        for directory in ("a", "b"):
            result = await host.call("test_input_required_result_list_roots")
            assert text(result) == f"file:///srv/{directory}\n"
            await host.request("notifications/roots/list_changed")
        assert await host.request("ping") == {}
