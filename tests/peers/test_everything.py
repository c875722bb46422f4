"""The Python SDK as client of `everything`: what servers offer beside tools that ask with forms."""

import json
from typing import Any

import anyio
import pytest
from host import DECLINE, Launch, Person, accept, text
from mcp import MCPError
from mcp.client.subscriptions import PromptsListChanged, ResourceUpdated
from mcp_types import (
    BlobResourceContents,
    CreateMessageResult,
    ImageContent,
    ListRootsResult,
    PromptReference,
    ResourceTemplateReference,
    Root,
    TextContent,
    TextResourceContents,
)
from process import PATIENCE

pytestmark = pytest.mark.anyio


async def model(context: Any, params: Any) -> CreateMessageResult:
    return CreateMessageResult(
        role="assistant", content=TextContent(type="text", text="Good morning"), model="a-model"
    )


async def roots(context: Any) -> ListRootsResult:
    return ListRootsResult(roots=[Root(uri="file:///srv/a%20b"), Root(uri="file:///srv/c")])


async def test_three_kinds_of_questions_in_one_round(launch: Launch) -> None:
    person = Person([accept(name="Ada")])
    handlers = {"sampling_callback": model, "list_roots_callback": roots}
    async with launch("everything", person, **handlers) as client:
        result = await client.call_tool("test_input_required_result_multiple_inputs")
        assert text(result) == "Good morning Ada, with 2 directories"
        result = await client.call_tool("test_input_required_result_list_roots")
        assert text(result).split() == ["file:///srv/a%20b", "file:///srv/c"]


async def test_form_made_at_run_time(launch: Launch) -> None:
    chosen = {"titledSingle": "value1", "legacyEnum": "opt2", "untitledMulti": ["option3"]}
    person = Person([accept(**chosen), DECLINE])
    async with launch("everything", person) as client:
        result = await client.call_tool("test_elicitation_sep1330_enums")
        assert json.loads(text(result).partition("content=")[2]) == chosen
        result = await client.call_tool("test_elicitation_sep1330_enums")
        assert text(result) == "Elicitation completed: action=decline, content={}"
    properties = person.asked[0].requested_schema["properties"]
    assert properties["legacyEnum"]["enumNames"][1] == "Option Two"
    assert properties["titledSingle"]["oneOf"][0] == {"const": "value1", "title": "First Option"}
    assert properties["titledMulti"]["items"]["anyOf"][2]["title"] == "Third Choice"


async def test_prompts(launch: Launch) -> None:
    async with launch("everything") as client:
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        arguments = prompts["test_prompt_with_arguments"].arguments
        assert [(argument.name, argument.required) for argument in arguments or []] == [
            ("arg1", True),
            ("arg2", True),
        ]
        got = await client.get_prompt("test_prompt_with_arguments", {"arg1": "ä", "arg2": "'"})
        [message] = got.messages
        assert message.content.text == "Prompt with arguments: arg1='ä', arg2='''"
        image, _ = (await client.get_prompt("test_prompt_with_image")).messages
        assert isinstance(image.content, ImageContent) and image.content.mime_type == "image/png"
        with pytest.raises(MCPError):
            await client.get_prompt("test_prompt_with_arguments", {"arg1": "alone"})


async def test_prompt_that_asks(launch: Launch) -> None:
    person = Person([accept(context="a review"), DECLINE])
    async with launch("everything", person) as client:
        got = await client.get_prompt("test_input_required_result_prompt")
        [message] = got.messages
        assert message.content.text == "Use this context: a review"
        with pytest.raises(MCPError):
            await client.get_prompt("test_input_required_result_prompt")


async def test_resources(launch: Launch) -> None:
    async with launch("everything") as client:
        uris = {resource.uri for resource in (await client.list_resources()).resources}
        functions = {"test://static-text", "test://static-binary", "test://watched-resource"}
        provided = {"test://records/one", "test://records/two", "test://records/three"}
        assert uris == functions | provided
        [template] = (await client.list_resource_templates()).resource_templates
        assert template.uri_template == "test://template/{id}/data"

        [contents] = (await client.read_resource("test://static-text")).contents
        assert isinstance(contents, TextResourceContents)
        assert contents.text == "This is the content of the static text resource."
        [contents] = (await client.read_resource("test://static-binary")).contents
        assert isinstance(contents, BlobResourceContents) and contents.mime_type == "image/png"
        [contents] = (await client.read_resource("test://template/a%20b/data")).contents
        assert contents.uri == "test://template/a%20b/data"
        assert '"id":"a b"' in contents.text
        with pytest.raises(MCPError):
            await client.read_resource("test://no-such-resource")


async def test_completions(launch: Launch) -> None:
    prompt = PromptReference(type="ref/prompt", name="test_prompt_with_arguments")
    template = ResourceTemplateReference(type="ref/resource", uri="test://template/{id}/data")
    async with launch("everything") as client:
        found = await client.complete(prompt, {"name": "arg1", "value": "par"})
        assert found.completion.values == ["paris", "party"]
        found = await client.complete(
            prompt, {"name": "arg2", "value": "x"}, context_arguments={"arg1": "paris"}
        )
        assert found.completion.values == ["x of paris"]
        found = await client.complete(template, {"name": "id", "value": "4"})
        assert found.completion.values == ["456"]


async def test_changes(launch: Launch) -> None:
    watched = "test://watched-resource"
    wanted = {"prompts_list_changed": True, "resource_subscriptions": [watched]}
    async with launch("everything") as client, client.listen(**wanted) as changes:
        with anyio.fail_after(PATIENCE):
            await client.call_tool("test_trigger_resource_change")
            assert await anext(changes) == ResourceUpdated(uri=watched)
            before = {prompt.name for prompt in (await client.list_prompts()).prompts}
            await client.call_tool("test_trigger_prompt_change")
            assert await anext(changes) == PromptsListChanged()
            after = {prompt.name for prompt in (await client.list_prompts()).prompts}
            assert before - after == {"test_dynamic_prompt"}


async def test_progress_and_log(launch: Launch) -> None:
    logged: list[Any] = []
    reports: list[tuple[float, float | None]] = []

    async def log(params: Any) -> None:
        logged.append((params.level, params.data))

    async def progress(done: float, total: float | None, message: str | None) -> None:
        reports.append((done, total))

    async with launch("everything", logging_callback=log, log_level="info") as client:
        await client.call_tool("test_tool_with_progress", progress_callback=progress)
        await client.call_tool("test_tool_with_logging")
    assert reports == [(0, 100), (50, 100), (100, 100)]
    assert logged == [
        ("info", "Tool execution started"),
        ("info", "Tool processing data"),
        ("info", "Tool execution completed"),
    ]


@pytest.mark.parametrize("value", ["eu-west", "Grüße, 世界", " padded ", "=?base64?QQ==?=", ""])
async def test_argument_in_a_header(launch: Launch, value: str) -> None:
    """Over HTTP the value is in a header as well, where not every text can stand as it is."""
    async with launch("everything") as client:
        await client.list_tools()
        assert text(await client.call_tool("test_header_parameter", {"value": value})) == value
