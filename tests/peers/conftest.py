"""Runs the asynchronous tests on asyncio; anyio's plugin, a part of the SDK's own dependencies, does it."""

from functools import partial

import pytest
from host import Launch, launch_over


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(params=["stdio", "http"])
def launch(request: pytest.FixtureRequest) -> Launch:
    """A test that takes it runs over both transports."""
    return partial(launch_over, request.param)
