"""A page in headless Chromium that calls a tool of another origin and answers what it asks."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any
from urllib.parse import quote

import pytest
from host import INVALID_PARAMS
from process import PATIENCE, binary, installed, serving

PAGE = Path(__file__).parent / "browser/page.html"


class Pages(ThreadingHTTPServer):
    """Serves the page under any name of this machine, and collects what it posts."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.outcomes: Queue[dict[str, Any]] = Queue()


class Handler(BaseHTTPRequestHandler):
    server: Pages

    def do_GET(self) -> None:
        is_page = self.path.startswith("/?")
        self.respond(200 if is_page else 404, PAGE.read_bytes() if is_page else b"")

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.server.outcomes.put(json.loads(self.rfile.read(length)))
        self.respond(200, b"")

    def respond(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *values: Any) -> None:
        pass


@pytest.fixture
def pages() -> Iterator[Pages]:
    with Pages() as pages:
        Thread(target=pages.serve_forever, daemon=True).start()
        yield pages
        pages.shutdown()


@contextmanager
def browser(url: str, profile: Path) -> Iterator[None]:
    """A browser that shows this page, and knows the names under `.test` as this machine."""
    line = [
        installed("chromium", "google-chrome"),
        "--headless",
        # It has one for code from elsewhere, and cannot set it up for root.
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
        "--no-proxy-server",
        "--host-resolver-rules=MAP *.test 127.0.0.1",
        f"--user-data-dir={profile}",
        url,
    ]
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait(PATIENCE)


def outcome(pages: Pages, host: str, server: str, profile: Path) -> dict[str, Any]:
    """What came of the page, served as one of `host`."""
    origin = f"http://{host}:{pages.server_port}"
    with browser(f"{origin}/?server={quote(server, safe='')}", profile):
        found = pages.outcomes.get(timeout=3 * PATIENCE)
    assert found.pop("origin") == origin
    return found


@pytest.mark.parametrize("host", ["localhost", "app.test"])
def test_page_that_may_call(pages: Pages, host: str, tmp_path: Path) -> None:
    """Pages of this machine may, and those of an origin that the server lists."""
    allowed = f"http://app.test:{pages.server_port}"
    with serving(binary("peer-server"), more=("--origin", allowed)) as server:
        found = outcome(pages, host, server, tmp_path)
    assert found == {
        "asked": ["Where does P-7 go?", "Send P-7 to Oslo?"],
        "text": "Sent P-7 to Oslo.",
        "unknown": INVALID_PARAMS,
    }


@pytest.mark.parametrize("host", ["evil.test", "app.test.evil.test"])
def test_page_that_may_not_call(pages: Pages, host: str, tmp_path: Path) -> None:
    allowed = f"http://app.test:{pages.server_port}"
    with serving(binary("peer-server"), more=("--origin", allowed)) as server:
        found = outcome(pages, host, server, tmp_path)
    assert found == {"asked": [], "failed": "TypeError: Failed to fetch"}
