"""A host on the Python SDK 1.x."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from unittest import mock

import anyio
from host import ELICIT, ROOTS, SAMPLE, Host, Message, Person, Refused
from mcp import ClientSession, McpError, StdioServerParameters, types
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from process import PATIENCE


@asynccontextmanager
async def connect(reach: Message, person: Person, revision: str | None) -> AsyncIterator[Host]:
    """`reach` has `command`, `args` and `env`, or `url`, or `sse`."""
    if "command" in reach:
        transport = stdio_client(StdioServerParameters(**reach))
    elif "sse" in reach:
        transport = sse_client(reach["sse"])
    else:
        transport = streamable_http_client(reach["url"])
    async with transport as (reader, writer, *session_id):
        host = PythonHost(person)
        complaints = Complaints(host)
        callbacks = {ELICIT: "elicitation", SAMPLE: "sampling", ROOTS: "list_roots"}
        session = ClientSession(
            reader,
            writer,
            timedelta(seconds=PATIENCE),
            message_handler=host.hear,
            client_info=types.Implementation(name="python-peer", version="1.0.0"),
            **{f"{callbacks[method]}_callback": host.answer for method in person.script},
        )
        logging.getLogger().addHandler(complaints)
        try:
            async with session:
                host.client = session
                # The SDK offers its newest revision.
                offered = revision or types.LATEST_PROTOCOL_VERSION
                with mock.patch.object(types, "LATEST_PROTOCOL_VERSION", offered):
                    host.initialized = dump(await session.initialize())
                host.session = session_id[0]() if session_id else None
                yield host
        finally:
            logging.getLogger().removeHandler(complaints)


def dump(model: Any) -> Message:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


class Complaints(logging.Handler):
    """The SDK logs what it cannot use, and goes on."""

    def __init__(self, host: Host) -> None:
        super().__init__(logging.WARNING)
        self.host = host

    def emit(self, record: logging.LogRecord) -> None:
        self.host.strays.append(record.getMessage())


@dataclass
class PythonHost(Host):
    client: ClientSession = None  # type: ignore[assignment]

    async def hear(self, message: Any) -> None:
        if isinstance(message, Exception):
            self.strays.append(str(message))
        elif isinstance(message, types.ServerNotification):
            params = message.root.params
            # Reports of progress come through the callback of the call as well.
            self.events.append((message.root.method, dump(params) if params else {}))

    async def answer(self, context: Any, params: Any = None) -> Any:
        methods = {
            types.CreateMessageRequestParams: (SAMPLE, types.CreateMessageResult),
            type(None): (ROOTS, types.ListRootsResult),
        }
        method, result = methods.get(type(params), (ELICIT, types.ElicitResult))
        try:
            return result.model_validate(self.person(method, dump(params) if params else {}))
        except Refused as refused:
            return types.ErrorData(code=refused.code, message=refused.message, data=refused.data)

    async def request(
        self, method: str, params: Message | None = None, progress: bool = False
    ) -> Message:
        async def report(*_: Any) -> None:
            pass

        given = params or {}
        page = {"params": types.PaginatedRequestParams(**given)} if given else {}
        client = self.client
        methods = {
            "ping": lambda: client.send_ping(),
            "tools/list": lambda: client.list_tools(**page),
            "tools/call": lambda: client.call_tool(
                **given, progress_callback=report if progress else None
            ),
            "prompts/list": lambda: client.list_prompts(**page),
            "prompts/get": lambda: client.get_prompt(**given),
            "resources/list": lambda: client.list_resources(**page),
            "resources/templates/list": lambda: client.list_resource_templates(**page),
            "resources/read": lambda: client.read_resource(**given),
            "resources/subscribe": lambda: client.subscribe_resource(**given),
            "resources/unsubscribe": lambda: client.unsubscribe_resource(**given),
            "completion/complete": lambda: complete(client, **given),
            "logging/setLevel": lambda: client.set_logging_level(**given),
            "notifications/roots/list_changed": lambda: client.send_roots_list_changed(),
        }
        try:
            result = await methods[method]()
        except McpError as error:
            raise Refused(error.error.code, error.error.message, error.error.data) from error
        return {} if result is None else dump(result)

    async def taken_back(self, tool: str, arguments: Message) -> None:
        """The SDK sends no `notifications/cancelled` by itself."""
        request_id = self.client._request_id
        async with anyio.create_task_group() as tasks:
            params = {"name": tool, "arguments": arguments}
            tasks.start_soon(self.request, "tools/call", params, True)
            await self.hears("notifications/progress")
            cancelled = types.CancelledNotificationParams(
                requestId=request_id, reason="no longer needed"
            )
            await self.client.send_notification(
                types.ClientNotification(types.CancelledNotification(params=cancelled))
            )
            tasks.cancel_scope.cancel()


async def complete(
    client: ClientSession, ref: Message, argument: Message, context: Message | None = None
) -> types.CompleteResult:
    kinds = {"ref/prompt": types.PromptReference, "ref/resource": types.ResourceTemplateReference}
    return await client.complete(
        kinds[ref["type"]](**ref),
        argument,
        context_arguments=(context or {}).get("arguments"),
    )
