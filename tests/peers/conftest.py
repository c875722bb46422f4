"""Runs the asynchronous tests on asyncio; anyio's plugin, a part of the SDK's own dependencies, does it."""

import pytest


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"
