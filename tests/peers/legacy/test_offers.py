"""What servers offer beside questions, as hosts with a handshake see it."""

import json
from typing import Any

import pytest
from conftest import Launch
from host import Refused, text

pytestmark = pytest.mark.anyio

REVISIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]


@pytest.mark.parametrize("revision", REVISIONS)
async def test_handshake_in_each_revision(launch: Launch, revision: str) -> None:
    """The SDKs' own schemas are of 2025-11-25; what may not be there they would take. It must work all the same."""
    async with launch("everything", revision=revision) as host:
        begun = host.initialized
        assert begun["protocolVersion"] == revision
        assert begun["serverInfo"]["name"] == "everything"
        assert begun["instructions"] == "Call any tool: none of them does any harm."
        assert {"tools", "prompts", "resources", "logging"} <= set(begun["capabilities"])
        assert begun["capabilities"]["resources"] == {"subscribe": True, "listChanged": True}
        assert (host.session is not None) == (launch.over == "http")
        tools = {tool["name"]: tool for tool in await host.everything_of("tools")}
        assert "title" not in tools["test_simple_text"] or revision >= "2025-06-18"
        result = await host.call("test_simple_text")
        assert text(result) == "This is a simple text response for testing."
        assert await host.request("ping") == {}
    async with launch("shop", revision=revision) as host:
        tools = {tool["name"]: tool for tool in await host.everything_of("tools")}
        result = await host.call("quote_refund", order_id="O-3310")
        has_structure = revision >= "2025-06-18"
        assert ("outputSchema" in tools["quote_refund"]) == has_structure
        assert ("structuredContent" in result) == has_structure
        # The text is the same for hosts that know of no structure.
        if has_structure:
            assert json.loads(text(result)) == result["structuredContent"]


async def test_contents(launch: Launch) -> None:
    async with launch("everything") as host:
        await host.everything_of("tools")

        async def blocks(tool: str, **arguments: Any) -> list[dict[str, Any]]:
            return (await host.call(tool, **arguments))["content"]

        [image] = await blocks("test_image_content")
        assert (image["type"], image["mimeType"]) == ("image", "image/png")
        [audio] = await blocks("test_audio_content")
        assert (audio["type"], audio["mimeType"]) == ("audio", "audio/wav")
        [resource] = await blocks("test_embedded_resource")
        assert resource["resource"]["text"] == "This is an embedded resource content."
        mixed = await blocks("test_multiple_content_types")
        assert [block["type"] for block in mixed] == ["text", "image", "resource"]
        failed = await host.call("test_error_handling")
        assert failed["isError"]
        assert text(failed) == "This tool intentionally returns an error for testing"
        [echo] = await blocks("test_header_parameter", value="Grüße, 世界")
        assert echo["text"] == "Grüße, 世界"


async def test_errors_that_the_host_reads(launch: Launch) -> None:
    async with launch("everything") as host:
        with pytest.raises(Refused) as refused:
            await host.request("tools/call", {"name": "no-such-tool", "arguments": {}})
        assert refused.value.code == -32602
        with pytest.raises(Refused) as refused:
            await host.request("resources/read", {"uri": "test://no-such-resource"})
        assert refused.value.code == -32002
        with pytest.raises(Refused) as refused:
            await host.request("prompts/get", {"name": "no-such-prompt"})
        assert refused.value.code == -32602


async def test_prompts(launch: Launch) -> None:
    async with launch("everything") as host:
        prompts = {prompt["name"]: prompt for prompt in await host.everything_of("prompts")}
        arguments = prompts["test_prompt_with_arguments"]["arguments"]
        assert [(each["name"], each["required"]) for each in arguments] == [
            ("arg1", True),
            ("arg2", True),
        ]
        given = {"name": "test_prompt_with_arguments", "arguments": {"arg1": "ä", "arg2": "'"}}
        [message] = (await host.request("prompts/get", given))["messages"]
        assert message["content"]["text"] == "Prompt with arguments: arg1='ä', arg2='''"
        image, _ = (await host.request("prompts/get", {"name": "test_prompt_with_image"}))[
            "messages"
        ]
        assert image["content"]["type"] == "image"


async def test_resources(launch: Launch) -> None:
    async with launch("everything") as host:
        uris = {resource["uri"] for resource in await host.everything_of("resources")}
        functions = {"test://static-text", "test://static-binary", "test://watched-resource"}
        provided = {"test://records/one", "test://records/two", "test://records/three"}
        assert uris == functions | provided
        [template] = await host.everything_of("resourceTemplates", "resources/templates/list")
        assert template["uriTemplate"] == "test://template/{id}/data"

        async def read(uri: str) -> dict[str, Any]:
            [contents] = (await host.request("resources/read", {"uri": uri}))["contents"]
            return contents

        assert (await read("test://static-text"))["text"].startswith("This is the content")
        assert (await read("test://static-binary"))["mimeType"] == "image/png"
        filled = await read("test://template/a%20b/data")
        assert json.loads(filled["text"])["id"] == "a b"


async def test_completions(launch: Launch) -> None:
    prompt = {"type": "ref/prompt", "name": "test_prompt_with_arguments"}
    template = {"type": "ref/resource", "uri": "test://template/{id}/data"}
    async with launch("everything") as host:

        async def complete(ref: dict[str, str], name: str, value: str, **known: str) -> list[str]:
            params: dict[str, Any] = {"ref": ref, "argument": {"name": name, "value": value}}
            if known:
                params["context"] = {"arguments": known}
            found = await host.request("completion/complete", params)
            return found["completion"]["values"]

        assert await complete(prompt, "arg1", "par") == ["paris", "party"]
        assert await complete(prompt, "arg2", "x", arg1="paris") == ["x of paris"]
        assert await complete(template, "id", "4") == ["456"]
