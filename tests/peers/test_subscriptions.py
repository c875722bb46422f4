"""The Python SDK as subscriber to changes of `peer-server` over HTTP."""

import anyio
import pytest
from host import connect, text
from mcp.client.subscriptions import ToolsListChanged
from process import PATIENCE, binary, serving

pytestmark = pytest.mark.anyio


async def test_changes_and_the_end() -> None:
    with serving(binary("peer-server")) as url, anyio.fail_after(PATIENCE):
        async with connect(url) as client, client.listen(tools_list_changed=True) as changes:
            assert changes.honored.tools_list_changed
            for _ in range(2):
                assert text(await client.call_tool("change")) == "changed"
                assert isinstance(await anext(changes), ToolsListChanged)
            await client.call_tool("shut_down")
            # A stream that is cut off would raise.
            assert [change async for change in changes] == []


async def test_only_what_there_is_is_honoured() -> None:
    with serving(binary("peer-server")) as url, anyio.fail_after(PATIENCE):
        wanted = {"tools_list_changed": True, "resource_subscriptions": ["file:///a"]}
        async with connect(url) as client, client.listen(**wanted) as changes:
            assert changes.honored.tools_list_changed
            assert not changes.honored.resource_subscriptions
