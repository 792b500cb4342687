"""A small web server for a monitor: one request at a time, in a thread of its own that the engine never waits for."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from console.home import Places
from console.metrics.collecting import Collector
from console.metrics.text import CONTENT_TYPE
from core.refusals import BadInput, JobdeckError, Trouble
from core.when import quoted
from store.store import Store, wall_clock

PATIENCE = 5.0
"""Seconds that a caller may take to say what it wants."""
LOOPBACK = "127.0.0.1"


def address_of(text: str) -> tuple[str, int]:
    """The host and port that are meant by `9464` or `127.0.0.1:9464`; without a host, nobody else can reach it."""
    host, colon, port = text.rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else LOOPBACK
    if not (port.isascii() and port.isdigit() and int(port[:9]) < 65_536 and host):
        raise BadInput(f"--metrics: {quoted(text)} is not an address; use a port, or one such as {LOOPBACK}:9464")
    return host, int(port)


@contextmanager
def serving(
    address: tuple[str, int], places: Places, lease: timedelta, trouble: Callable[[], str | None]
) -> Iterator[tuple[str, int]]:
    """Answer at that address as long as the block lasts; what is given back is the address itself."""
    try:
        server = _Server(address, places, lease, trouble)
    except (OSError, OverflowError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise Trouble(f"metrics can't be served at {address[0]}:{address[1]}: {reason}; choose another port") from error
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, name="metrics", daemon=True)
    thread.start()
    try:
        yield server.server_address[0], server.server_port  # type: ignore[misc]
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Server(HTTPServer):
    allow_reuse_address = True
    request_queue_size = 8

    def __init__(
        self, address: tuple[str, int], places: Places, lease: timedelta, trouble: Callable[[], str | None]
    ) -> None:
        self._places = places
        self._lease = lease
        self._trouble = trouble
        self._collector: Collector | None = None
        self._store: Store | None = None
        super().__init__(address, _Handler)

    def server_bind(self) -> None:
        """Bind it; the name of this machine is of no use here, and asking for it may take seconds."""
        super(HTTPServer, self).server_bind()
        self.server_name, self.server_port = self.server_address[0], self.server_address[1]  # type: ignore[assignment]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A caller who goes away in the middle is no trouble of ours."""

    def metrics(self) -> str:
        """The numbers; a store that could not be read is opened anew the next time."""
        try:
            if self._collector is None:
                self._store = Store(self._places.db)
                self._collector = Collector(self._store, wall_clock, self._lease)
            return self._collector.text()
        except JobdeckError:
            self._forget()
            raise

    def health(self) -> tuple[bool, str]:
        """Whether all is well, in a sentence."""
        trouble = self._trouble()
        if trouble is not None:
            return False, trouble
        try:
            with Store(self._places.db) as store, store.read() as views:
                leader, now = views.leader(), wall_clock()
        except JobdeckError as error:
            return False, str(error)
        if leader is None or leader.until <= now:
            return False, "no engine leads this store"
        return True, "ok"

    def server_close(self) -> None:
        """Give everything back."""
        super().server_close()
        self._forget()

    def _forget(self) -> None:
        store, self._store, self._collector = self._store, None, None
        if store is not None:
            store.close()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    timeout = PATIENCE
    server_version = "jobdeck"
    sys_version = ""

    def do_GET(self) -> None:
        """Answer."""
        path = self.path.partition("?")[0]
        if path == "/metrics":
            try:
                self._answer(200, self.server.metrics(), CONTENT_TYPE)
            except JobdeckError as error:
                self._answer(503, f"{error}\n")
        elif path == "/healthz":
            well, words = self.server.health()
            self._answer(200 if well else 503, f"{words}\n")
        else:
            self._answer(404, "there is /metrics and /healthz\n")

    def log_message(self, format: str, *args: Any) -> None:
        """Nobody wants to read of each look."""

    def _answer(self, code: int, text: str, kind: str = "text/plain; charset=utf-8") -> None:
        body = text.encode(errors="replace")
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
