"""The Python SDK as client of `shop`: a question by hand, a resolver, and a page to open."""

import secrets
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

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
from mcp import Client, MCPError
from mcp_types import ElicitRequestParams, ElicitResult

pytestmark = pytest.mark.anyio

REASONS = ["damaged in transit", "wrong item sent", "missing part", "arrived late", "changed mind"]
CONFIRM = "confirm"
QUESTION = (
    "Refund 180.00 on order O-2289? It is above the policy limit, so a lead must confirm it."
)
RETURN = {"order_id": "O-1145", "sku": "KG-1043"}
RELEASED = {CONFIRM: accept(release=True)}


async def quote(client: Client, order: str = "O-2289") -> dict[str, Any]:
    """The arguments that refund an order."""
    result = await client.call_tool("quote_refund", {"order_id": order})
    assert not result.is_error, text(result)
    assert result.structured_content is not None
    return {"quote_id": result.structured_content["id"]}


async def refund(client: Client, order: str = "O-2289") -> dict[str, Any]:
    """Issues a refund through all rounds, and gives it back."""
    result = await client.call_tool("issue_refund", await quote(client, order))
    assert not result.is_error, text(result)
    assert result.structured_content is not None
    return result.structured_content


async def test_lists(launch: Launch) -> None:
    async with launch("shop") as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == {
        "find_order",
        "quote_refund",
        "issue_refund",
        "record_return",
        "pay_refund",
    }
    # What a person answers is no argument of the tool.
    for name, arguments in {
        "issue_refund": {"quote_id"},
        "record_return": {"order_id", "sku"},
        "pay_refund": {"refund_id"},
    }.items():
        assert set(tools[name].input_schema["properties"]) == arguments


async def test_nobody_is_asked_below_the_limit(launch: Launch) -> None:
    async with launch("shop") as client:
        assert (await refund(client, "O-3310"))["status"] == "requested"


async def test_automatic_rounds(launch: Launch) -> None:
    person = Person([accept(release=True)])
    async with launch("shop", person) as client:
        issued = await refund(client)
    assert (issued["id"], issued["status"]) == ("R-0111", "requested")
    [question] = person.asked
    assert (question.mode, question.message) == ("form", QUESTION)
    assert list(question.requested_schema["properties"]) == ["release"]
    assert question.requested_schema["properties"]["release"]["type"] == "boolean"
    assert question.requested_schema["required"] == ["release"]


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (accept(release=False), "cancelled"),
        (DECLINE, "cancelled"),
        # Nobody has decided: it stays held, and a later call asks again.
        (CANCEL, "needs_confirmation"),
    ],
    ids=["not released", "decline", "cancel"],
)
async def test_refund_that_is_not_released(launch: Launch, answer: ElicitResult, status: str) -> None:
    person = Person([answer])
    async with launch("shop", person) as client:
        assert (await refund(client))["status"] == status
    assert len(person.asked) == 1


async def test_by_hand(launch: Launch) -> None:
    async with launch("shop", nobody) as client:
        arguments = await quote(client)
        asked = await ask(client, "issue_refund", arguments)
        assert the_question(asked, CONFIRM).message == QUESTION
        # The state of the tool is the refund's id, and the client does not get to read it.
        assert asked.request_state and "R-0111" not in asked.request_state
        done = await by_hand(
            client,
            "issue_refund",
            arguments,
            input_responses=RELEASED,
            request_state=asked.request_state,
        )
        assert done.structured_content["id"] == "R-0111"
        assert done.structured_content["status"] == "requested"


async def test_tampered_state(launch: Launch) -> None:
    async with launch("shop", nobody) as client:
        arguments, other = await quote(client), await quote(client)
        asked = await ask(client, "issue_refund", arguments)
        state = asked.request_state
        wrong = [(arguments, changed(state, position)) for position in (0, 3, len(state) // 2, -2)]
        for sent, stale in [*wrong, (other, state)]:
            with pytest.raises(MCPError) as refused:
                await by_hand(
                    client, "issue_refund", sent, input_responses=RELEASED, request_state=stale
                )
            assert_refused(refused.value)
        # For another tool it is worth nothing either.
        with pytest.raises(MCPError) as refused:
            await by_hand(
                client, "record_return", RETURN, input_responses=RELEASED, request_state=state
            )
        assert_refused(refused.value)

        again = await by_hand(client, "issue_refund", arguments, input_responses=RELEASED)
        the_question(again, CONFIRM)

        honest = await by_hand(
            client, "issue_refund", arguments, input_responses=RELEASED, request_state=state
        )
        assert honest.structured_content["status"] == "requested"
        # One consent, one refund: the tool says so in words, and it is no protocol error.
        twice = await by_hand(
            client, "issue_refund", arguments, input_responses=RELEASED, request_state=state
        )
        assert twice.is_error and text(twice)


async def test_no_elicitation_callback(launch: Launch) -> None:
    async with launch("shop") as client:
        for tool, arguments in {"issue_refund": await quote(client), "record_return": RETURN}.items():
            with pytest.raises(MCPError) as refused:
                await client.call_tool(tool, arguments)
            error = refused.value
            assert error.code == MISSING_REQUIRED_CLIENT_CAPABILITY
            assert error.data["requiredCapabilities"] == {"elicitation": {"form": {}}}
        # Nothing was begun for a client that could not finish it: the next refund is the first.
        assert (await refund(client, "O-3310"))["id"] == "R-0111"


async def test_page_without_elicitation_callback(launch: Launch) -> None:
    async with launch("shop") as client:
        issued = await refund(client, "O-3310")
        with pytest.raises(MCPError) as refused:
            await client.call_tool("pay_refund", {"refund_id": issued["id"]})
        error = refused.value
        assert error.code == MISSING_REQUIRED_CLIENT_CAPABILITY
        assert error.data["requiredCapabilities"] == {"elicitation": {"url": {}}}


async def test_form_of_a_resolver(launch: Launch) -> None:
    person = Person([accept(reason="arrived late", restock=True, note="box dented")])
    async with launch("shop", person) as client:
        result = await client.call_tool("record_return", RETURN)
        assert not result.is_error
        assert "arrived late" in text(result)
    [question] = person.asked
    assert "KG-1043" in question.message and "O-1145" in question.message
    properties = question.requested_schema["properties"]
    assert set(properties) == {"reason", "restock", "note"}
    assert set(question.requested_schema["required"]) == {"reason", "restock"}
    assert properties["reason"]["type"] == "string"
    assert properties["reason"]["enum"] == REASONS
    assert properties["note"]["type"] == "string"
    assert properties["note"]["maxLength"] == 200


async def test_three_answers_three_sentences(launch: Launch) -> None:
    sentences = set()
    for answer in (accept(reason="missing part", restock=False), DECLINE, CANCEL):
        async with launch("shop", Person([answer])) as client:
            result = await client.call_tool("record_return", RETURN)
            assert not result.is_error
            sentences.add(text(result))
    assert len(sentences) == 3


async def test_answer_that_does_not_fit_is_asked_again(launch: Launch) -> None:
    wrong = [
        accept(reason="arrived late", restock=True, note="x" * 201),
        accept(reason="lost at sea", restock=True),
        accept(reason="arrived late"),
    ]
    person = Person([*wrong, accept(reason="arrived late", restock=True)])
    async with launch("shop", person) as client:
        result = await client.call_tool("record_return", RETURN)
        assert not result.is_error
    first, *again = person.messages
    # What must change, and never what was typed.
    for message, field in zip(again, ["note", "reason", "restock"], strict=True):
        assert message.startswith(first) and field in message[len(first) :]
        assert "xxx" not in message and "lost at sea" not in message


async def test_unknown_article_ends_before_anyone_is_asked(launch: Launch) -> None:
    async with launch("shop", Person([])) as client:
        result = await client.call_tool("record_return", {"order_id": "O-1145", "sku": "KG-9999"})
        assert result.is_error
        assert "KG-9999" in text(result)


async def test_replica_with_the_same_key_goes_on(launch: Launch) -> None:
    answers = {"found": accept(reason="changed mind", restock=True)}
    keyed = {"SHOP_REQUEST_STATE_KEY": secrets.token_hex(32)}
    async with launch("shop", nobody, env=keyed) as client:
        asked = await ask(client, "record_return", RETURN)
        the_question(asked, "found")
    retry = {"input_responses": answers, "request_state": asked.request_state}
    async with launch("shop", nobody, env=keyed) as client:
        done = await by_hand(client, "record_return", RETURN, **retry)
        assert "changed mind" in text(done)
    async with launch("shop", nobody) as client:
        with pytest.raises(MCPError) as refused:
            await by_hand(client, "record_return", RETURN, **retry)
        assert_refused(refused.value)


def browse(url: str, form: dict[str, str]) -> int:
    """Sends a form to a page of the demo, which is on this machine, and gives the status."""
    assert urllib.parse.urlsplit(url).hostname == "127.0.0.1"
    browser = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with browser.open(url, urllib.parse.urlencode(form).encode(), timeout=20) as response:
            return response.status
    except urllib.error.HTTPError as error:
        return error.code


async def test_page(launch: Launch) -> None:
    """Agreeing to open it is not having signed in, and who signs in must be who was asked."""

    def opens_only(question: ElicitRequestParams) -> ElicitResult:
        return accept()

    def signs_in(question: ElicitRequestParams) -> ElicitResult:
        assert browse(question.url, {"clerk": "tom", "pin": "1357"}) == 403
        assert browse(question.url, {"clerk": "lea", "pin": "2468"}) == 200
        return accept()

    reports: list[float] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        reports.append(done)

    person = Person([opens_only, signs_in])
    async with launch("shop", person) as client:
        issued = await refund(client, "O-3310")
        paid = await client.call_tool(
            "pay_refund", {"refund_id": issued["id"]}, progress_callback=progress
        )
        assert not paid.is_error, text(paid)
        assert issued["id"] in text(paid)
    first, second = person.asked
    assert (first.mode, second.mode) == ("url", "url")
    # The visit is the same in all rounds of the call.
    assert first.url == second.url
    # Only the round that pays has something to report.
    assert reports == [1.0]


@pytest.mark.parametrize("answer", [DECLINE, CANCEL], ids=["decline", "cancel"])
async def test_page_that_is_not_opened(launch: Launch, answer: ElicitResult) -> None:
    person = Person([answer])
    async with launch("shop", person) as client:
        issued = await refund(client, "O-3310")
        result = await client.call_tool("pay_refund", {"refund_id": issued["id"]})
        assert result.is_error
    assert len(person.asked) == 1


async def test_page_that_is_never_finished(launch: Launch) -> None:
    """The flow ends at the server, before the client's own limit of ten rounds."""
    person = Person([accept()] * 10)
    async with launch("shop", person) as client:
        issued = await refund(client, "O-3310")
        result = await client.call_tool("pay_refund", {"refund_id": issued["id"]})
        assert result.is_error
    assert len(person.asked) == 5
