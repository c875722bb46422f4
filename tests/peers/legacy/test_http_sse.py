"""The HTTP transport of revision 2024-11-05: one stream for all that the server says, and a POST for each message."""

import pytest
from conftest import connect, serving_http
from host import DECLINE, ELICIT, ROOTS, SAMPLE, accept, found, said, text

pytestmark = pytest.mark.anyio

WATCHED = {"uri": "test://watched-resource"}


async def test_a_tour(sdk: str) -> None:
    """Questions, reports and changes, with calls after each, all on one stream."""
    script = {
        ELICIT: [accept(username="ada", email="a@example.com"), DECLINE],
        SAMPLE: [said("Paris")],
        ROOTS: [found("file:///srv")],
    }
    with serving_http("everything") as url:
        async with connect(sdk, {"sse": url}, script) as host:
            assert host.initialized["serverInfo"]["name"] == "everything"
            assert host.session is None
            tools = {tool["name"] for tool in await host.everything_of("tools")}
            assert "test_simple_text" in tools

            asked = await host.call("test_elicitation", message="Who?")
            assert text(asked).startswith("User response: accept")
            asked = await host.call("test_elicitation", message="Who?")
            assert text(asked) == "User response: decline"
            assert text(await host.call("test_sampling", prompt="?")) == "LLM response: Paris"
            result = await host.call("test_input_required_result_list_roots")
            assert text(result) == "file:///srv\n"

            await host.call("test_tool_with_logging")
            assert len(host.heard("notifications/message")) == 3
            await host.request("resources/subscribe", WATCHED)
            await host.call("test_trigger_resource_change")
            assert await host.hears("notifications/resources/updated") == [WATCHED]
            await host.call("test_trigger_tool_change")
            await host.hears("notifications/tools/list_changed")
            assert await host.request("ping") == {}


async def test_beside_sessions_at_the_same_endpoint(sdk: str) -> None:
    with serving_http("everything") as url:
        async with connect(sdk, {"sse": url}) as old, connect(sdk, url) as host:
            for each in (old, host, old):
                assert await each.request("ping") == {}
