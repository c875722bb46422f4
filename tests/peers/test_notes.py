"""The Python SDK as client of `notes`: one tool, and a question on a parameter."""

import pytest
from host import (
    CANCEL,
    DECLINE,
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    Launch,
    Person,
    accept,
    ask,
    assert_refused,
    by_hand,
    changed,
    nobody,
    text,
    the_question,
)
from mcp import MCPError

pytestmark = pytest.mark.anyio

NOTE = {"note_id": "n-1"}
KEY = "answer"
"""The parameter that the question stands on."""

KEPT = "Kept note n-1: the user did not confirm."
DELETED = "Deleted note n-1."


@pytest.mark.parametrize("mode", ["auto", "2026-07-28"])
async def test_connects_and_lists(launch: Launch, mode: str) -> None:
    async with launch("notes", mode=mode) as client:
        assert client.protocol_version == "2026-07-28"
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        tool = tools["delete_note"]
        assert list(tool.input_schema["properties"]) == ["note_id"]
        assert tool.input_schema["required"] == ["note_id"]
        assert tool.annotations is not None and tool.annotations.destructive_hint is True


async def test_automatic_rounds(launch: Launch) -> None:
    person = Person([accept(confirm=True)])
    async with launch("notes", person) as client:
        result = await client.call_tool("delete_note", NOTE)
        assert not result.is_error
        assert text(result) == DELETED
    [question] = person.asked
    assert question.mode == "form"
    assert question.message.startswith("Delete note n-1 (")
    assert question.message.endswith("This cannot be undone.")
    assert question.requested_schema["required"] == ["confirm"]
    field = question.requested_schema["properties"]["confirm"]
    assert field["type"] == "boolean"
    assert field["description"] == "Check to delete the note for good."


async def test_unchecked_box_is_no_consent(launch: Launch) -> None:
    async with launch("notes", Person([accept(confirm=False)])) as client:
        assert text(await client.call_tool("delete_note", NOTE)) == KEPT


async def test_answer_that_does_not_fit_is_asked_again(launch: Launch) -> None:
    person = Person([accept(confirm="certainly"), accept(confirm=True)])
    async with launch("notes", person) as client:
        assert text(await client.call_tool("delete_note", NOTE)) == DELETED
    # The reason names the field and never repeats what was typed.
    first, second = person.messages
    assert second != first and "confirm" in second
    assert "certainly" not in second


async def test_by_hand(launch: Launch) -> None:
    async with launch("notes", nobody) as client:
        asked = await ask(client, "delete_note", NOTE)
        assert the_question(asked, KEY).message.startswith("Delete note n-1 (")
        assert asked.request_state
        answers = {KEY: accept(confirm=True)}
        done = await by_hand(
            client, "delete_note", NOTE, input_responses=answers, request_state=asked.request_state
        )
        assert text(done) == DELETED


async def test_answer_without_state_is_asked_again(launch: Launch) -> None:
    async with launch("notes", nobody) as client:
        await ask(client, "delete_note", NOTE)
        again = await by_hand(
            client, "delete_note", NOTE, input_responses={KEY: accept(confirm=True)}
        )
        the_question(again, KEY)


@pytest.mark.parametrize("position", [0, 3, 60, -2])
async def test_tampered_state(launch: Launch, position: int) -> None:
    async with launch("notes", nobody) as client:
        asked = await ask(client, "delete_note", NOTE)
        answers = {KEY: accept(confirm=True)}
        with pytest.raises(MCPError) as refused:
            await by_hand(
                client,
                "delete_note",
                NOTE,
                input_responses=answers,
                request_state=changed(asked.request_state, position),
            )
        assert_refused(refused.value)
        # The honest retry still goes through: the wrong one changed nothing.
        done = await by_hand(
            client, "delete_note", NOTE, input_responses=answers, request_state=asked.request_state
        )
        assert text(done) == DELETED


@pytest.mark.parametrize("state", ["", "v1.", "v2.AAAA", "v1.!!!", "v1." + "A" * 100_000, "no state"])
async def test_nonsense_for_state(launch: Launch, state: str) -> None:
    async with launch("notes", nobody) as client:
        with pytest.raises(MCPError) as refused:
            await by_hand(client, "delete_note", NOTE, input_responses={}, request_state=state)
        assert_refused(refused.value)


async def test_state_with_other_arguments(launch: Launch) -> None:
    async with launch("notes", nobody) as client:
        asked = await ask(client, "delete_note", NOTE)
        with pytest.raises(MCPError) as refused:
            await by_hand(
                client,
                "delete_note",
                {"note_id": "n-2"},
                input_responses={KEY: accept(confirm=True)},
                request_state=asked.request_state,
            )
        assert_refused(refused.value)


async def test_state_of_another_process(launch: Launch) -> None:
    """Without a configured key each process has one of its own."""
    async with launch("notes", nobody) as client:
        asked = await ask(client, "delete_note", NOTE)
    async with launch("notes", nobody) as client:
        with pytest.raises(MCPError) as refused:
            await by_hand(
                client,
                "delete_note",
                NOTE,
                input_responses={KEY: accept(confirm=True)},
                request_state=asked.request_state,
            )
        assert_refused(refused.value)


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=["decline", "cancel"])
async def test_decline_and_cancel(launch: Launch, answer: object) -> None:
    person = Person([answer])
    async with launch("notes", person) as client:
        result = await client.call_tool("delete_note", NOTE)
        assert not result.is_error
        assert text(result) == KEPT
    assert len(person.asked) == 1


async def test_no_elicitation_callback(launch: Launch) -> None:
    async with launch("notes") as client:
        with pytest.raises(MCPError) as refused:
            await client.call_tool("delete_note", NOTE)
        error = refused.value
        assert error.code == MISSING_REQUIRED_CLIENT_CAPABILITY
        assert error.data["requiredCapabilities"] == {"elicitation": {"form": {}}}


async def test_missing_note_ends_before_anyone_is_asked(launch: Launch) -> None:
    async with launch("notes", Person([])) as client:
        result = await client.call_tool("delete_note", {"note_id": "no-such-note"})
        assert result.is_error


async def test_host_that_opens_with_a_handshake(launch: Launch) -> None:
    """As this SDK does for servers of earlier revisions: the question comes while the call is open."""
    person = Person([accept(confirm=True)])
    async with launch("notes", person, mode="legacy") as client:
        assert client.protocol_version == "2025-11-25"
        assert text(await client.call_tool("delete_note", NOTE)) == DELETED
    assert len(person.asked) == 1
