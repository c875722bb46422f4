"""Servers that ask in the middle of a call, with hosts whose answers come while it is open."""

import json
import threading
import time
import urllib.parse
import urllib.request

import pytest
from conftest import Launch
from host import (
    CANCEL,
    DECLINE,
    ELICIT,
    ROOTS,
    SAMPLE,
    Answer,
    Host,
    Message,
    Refused,
    accept,
    found,
    said,
    text,
)

pytestmark = pytest.mark.anyio

NOTE = {"note_id": "n-1"}
RETURN = {"order_id": "O-1145", "sku": "KG-1043"}


async def delete(host: Host) -> str:
    result = await host.call("delete_note", **NOTE)
    assert not result.get("isError"), text(result)
    return text(result)


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
async def test_form_accepted(launch: Launch, revision: str) -> None:
    """Of the first revision that has forms, and of the one that has pages as well."""
    script = {ELICIT: [accept(confirm=True)]}
    async with launch("notes", script, revision=revision) as host:
        assert await delete(host) == "Deleted note n-1."
        assert "n-1" not in text(await host.call("list_notes"))
    [(_, question)] = host.person.asked
    assert question["message"].startswith("Delete note n-1 (")
    assert question["requestedSchema"]["required"] == ["confirm"]
    field = question["requestedSchema"]["properties"]["confirm"]
    assert field["type"] == "boolean"
    assert field["description"] == "Check to delete the note for good."


@pytest.mark.parametrize(
    "answer", [DECLINE, CANCEL, accept(confirm=False)], ids=["decline", "cancel", "unchecked"]
)
async def test_form_not_accepted(launch: Launch, answer: Message) -> None:
    async with launch("notes", {ELICIT: [answer]}) as host:
        assert await delete(host) == "Kept note n-1: the user did not confirm."
    assert len(host.person.asked) == 1


async def test_answer_that_does_not_fit_is_asked_again(launch: Launch) -> None:
    answers: list[Answer] = [accept(confirm="certainly"), accept(confirm=True)]
    async with launch("notes", {ELICIT: answers}) as host:
        assert await delete(host) == "Deleted note n-1."
    first, second = host.person.messages
    assert second.startswith(first) and "confirm" in second[len(first) :]
    assert "certainly" not in second


async def test_missing_note_ends_before_anyone_is_asked(launch: Launch) -> None:
    async with launch("notes", {ELICIT: []}) as host:
        assert (await host.call("delete_note", note_id="no-such-note"))["isError"]
    assert host.person.asked == []


async def test_host_that_cannot_be_asked(launch: Launch) -> None:
    """It hears why, and the connection goes on."""
    async with launch("notes") as host:
        reason = await refusal(host, "delete_note", **NOTE)
        assert "elicitation" in reason
        assert "n-1" in text(await host.call("list_notes"))


async def refusal(host: Host, tool: str, **arguments: str) -> str:
    """Why a call failed, as the model reads it."""
    result = await host.call(tool, **arguments)
    assert result.get("isError"), result
    return text(result)


async def test_host_that_answers_with_an_error(launch: Launch) -> None:
    script = {ELICIT: [Refused(-32603, "the dialog crashed"), accept(confirm=True)]}
    async with launch("notes", script) as host:
        assert "the dialog crashed" in await refusal(host, "delete_note", **NOTE)
        assert await delete(host) == "Deleted note n-1."


async def test_forms_of_a_shop(launch: Launch) -> None:
    answers: list[Answer] = [
        accept(release=True),
        accept(reason="arrived late", restock=True, note="box dented"),
        DECLINE,
    ]
    async with launch("shop", {ELICIT: answers}) as host:
        # By hand, with a state that is remembered on the way.
        quoted = await host.call("quote_refund", order_id="O-2289")
        issued = await host.call("issue_refund", quote_id=quoted["structuredContent"]["id"])
        assert issued["structuredContent"]["status"] == "requested"
        recorded = await host.call("record_return", **RETURN)
        assert "arrived late" in text(recorded)
        declined = await host.call("record_return", **RETURN)
        assert not declined.get("isError") and "arrived late" not in text(declined)
    release, reason, _ = host.person.messages
    assert release.startswith("Refund 180.00 on order O-2289?")
    assert "KG-1043" in reason and "O-1145" in reason


async def test_page(launch: Launch) -> None:
    """Agreeing to open a page is not having signed in there: the call goes on when that is done."""

    def signs_in_later(question: Message) -> Message:
        threading.Thread(target=browse, args=(question["url"],)).start()
        return accept()

    async with launch("shop", {ELICIT: [signs_in_later]}) as host:
        refund = await issue(host)
        result = await host.call("pay_refund", refund_id=refund)
        assert not result.get("isError"), text(result)
        assert text(result).startswith(f"{refund} paid")
        [(_, question)] = host.person.asked
        assert question["mode"] == "url"
        [done] = await host.hears("notifications/elicitation/complete")
        assert done == {"elicitationId": question["elicitationId"]}


def browse(url: str) -> None:
    """Signs in, after a moment, at the page of the demo, which is on this machine."""
    assert urllib.parse.urlsplit(url).hostname == "127.0.0.1"
    time.sleep(0.3)
    form = urllib.parse.urlencode({"clerk": "lea", "pin": "2468"}).encode()
    browser = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with browser.open(url, form, timeout=20) as response:
        assert response.status == 200


async def issue(host: Host) -> str:
    """A refund that nobody needs to release."""
    quoted = await host.call("quote_refund", order_id="O-3310")
    issued = await host.call("issue_refund", quote_id=quoted["structuredContent"]["id"])
    return issued["structuredContent"]["id"]


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=["decline", "cancel"])
async def test_page_that_is_not_opened(launch: Launch, answer: Message) -> None:
    async with launch("shop", {ELICIT: [answer]}) as host:
        result = await host.call("pay_refund", refund_id=await issue(host))
        assert result["isError"]
    assert len(host.person.asked) == 1


async def test_model_and_directories(launch: Launch) -> None:
    script = {SAMPLE: [said("Paris")] * 2, ROOTS: [found("file:///srv/a%20b", "file:///srv/c")]}
    async with launch("everything", script) as host:
        result = await host.call("test_sampling", prompt="The capital of France?")
        assert text(result) == "LLM response: Paris"
        result = await host.call("test_input_required_result_sampling")
        assert text(result) == "Paris"
        result = await host.call("test_input_required_result_list_roots")
        assert text(result).split() == ["file:///srv/a%20b", "file:///srv/c"]
    _, params = host.person.asked[0]
    assert params["maxTokens"] == 100
    [message] = params["messages"]
    assert (message["role"], message["content"]["text"]) == ("user", "The capital of France?")


async def test_three_kinds_of_questions_in_one_round(launch: Launch) -> None:
    script = {
        ELICIT: [accept(name="Ada")],
        SAMPLE: [said("Good morning")],
        ROOTS: [found("file:///srv")],
    }
    async with launch("everything", script) as host:
        result = await host.call("test_input_required_result_multiple_inputs")
        assert text(result) == "Good morning Ada, with 1 directories"
    assert [method for method, _ in host.person.asked] == [ELICIT, SAMPLE, ROOTS]


async def test_only_what_the_host_can_answer(launch: Launch) -> None:
    async with launch("everything", {SAMPLE: [said("Hi")]}) as host:
        result = await host.call("test_input_required_result_capabilities")
        assert text(result) == "Hi, stranger!"


async def test_question_made_from_an_answer(launch: Launch) -> None:
    async with launch("everything", {ELICIT: [accept(name="Ada"), accept(color="blue")]}) as host:
        result = await host.call("test_input_required_result_multi_round")
        assert text(result) == "Ada likes blue"
    assert host.person.messages[1].endswith("favorite color, Ada?")


async def test_form_with_every_kind_of_choice(launch: Launch) -> None:
    chosen = {
        "untitledSingle": "option1",
        "titledSingle": "value1",
        "legacyEnum": "opt2",
        "untitledMulti": ["option1", "option3"],
        "titledMulti": ["value3"],
    }
    async with launch("everything", {ELICIT: [accept(**chosen)]}) as host:
        result = await host.call("test_elicitation_sep1330_enums")
        assert json.loads(text(result).partition("content=")[2]) == chosen


async def test_form_with_defaults(launch: Launch) -> None:
    async with launch("everything", {ELICIT: [accept(age=31)]}) as host:
        result = await host.call("test_elicitation_sep1034_defaults")
        filled = json.loads(text(result).partition("content=")[2])
        assert (filled["name"], filled["age"], filled["verified"]) == ("John Doe", 31, True)


async def test_prompt_that_asks(launch: Launch) -> None:
    async with launch("everything", {ELICIT: [accept(context="a review"), DECLINE]}) as host:
        prompt = {"name": "test_input_required_result_prompt"}
        [message] = (await host.request("prompts/get", prompt))["messages"]
        assert message["content"]["text"] == "Use this context: a review"
        with pytest.raises(Refused):
            await host.request("prompts/get", prompt)


@pytest.mark.parametrize("revision", ["2024-11-05", "2025-03-26", "2025-06-18"])
async def test_what_an_older_revision_cannot_ask(launch: Launch, revision: str) -> None:
    """No form before 2025-06-18 and no page before 2025-11-25, whatever the host declares."""
    script = {
        ELICIT: [accept(release=True)],
        SAMPLE: [said("Paris")],
        ROOTS: [found("file:///srv")],
    }
    async with launch("shop", script, revision=revision) as host:
        assert host.initialized["protocolVersion"] == revision
        refund = json.loads(text(await host.call("issue_refund", quote_id=await quote(host))))["id"]
        assert await refusal(host, "pay_refund", refund_id=refund)
        if revision < "2025-06-18":
            assert f"version {revision} cannot" in await refusal(host, "record_return", **RETURN)
    assert host.person.asked == []
    async with launch("everything", script, revision=revision) as host:
        assert text(await host.call("test_sampling", prompt="?")) == "LLM response: Paris"
        assert text(await host.call("test_input_required_result_list_roots")) == "file:///srv\n"


async def quote(host: Host) -> str:
    return json.loads(text(await host.call("quote_refund", order_id="O-3310")))["id"]
