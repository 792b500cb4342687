"""A receiver of webhooks on this machine's loopback: it keeps what it got, and answers as it was told to."""

import base64
import hashlib
import hmac
import json
import queue
import ssl
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self

from tests.machine.waiting import LONG

CERTIFICATES = Path(__file__).parent / "certificates"
AUTHORITY = CERTIFICATES / "authority.pem"
HONEST, LYING = CERTIFICATES / "honest.pem", CERTIFICATES / "lying.pem"
"""Both are signed by the authority; the first is for this machine, the second for another."""
KEYS = (b"k" * 32, b"another key, to change to")
SECRETS = tuple("whsec_" + base64.b64encode(key).decode() for key in KEYS)


@dataclass(frozen=True)
class Received:
    """One request."""

    path: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.content)
        return found

    def signed_with(self, key: bytes) -> bool:
        """Whether one of its signatures is made with that key, checked as a receiver would who knows only the words."""
        said = self.headers["webhook-id"] + "." + self.headers["webhook-timestamp"] + "."
        digest = hmac.new(key, said.encode("ascii") + self.content, hashlib.sha256).digest()
        return "v1," + base64.b64encode(digest).decode("ascii") in self.headers["webhook-signature"].split(" ")


@dataclass(frozen=True)
class Answer:
    """How a request is answered."""

    status: int = 200
    headers: Mapping[str, str] | None = None
    content: bytes = b"ok"
    endless: bool = False
    """Whether the content is repeated until nobody reads any more."""


class Receiver:
    """Listens from its making to `close`."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.requests: queue.Queue[Received] = queue.Queue()
        self.answer: Callable[[Received], Answer] = lambda _: Answer()
        self.connections = 0
        self.sent = 0
        """How many bytes of endless answers went out."""
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                received = Received(self.path, {k.lower(): v for k, v in self.headers.items()}, content)
                receiver.requests.put(received)
                answer = receiver.answer(received)
                self.send_response(answer.status)
                for name, value in (answer.headers or {}).items():
                    self.send_header(name, value)
                if not answer.endless:
                    self.send_header("content-length", str(len(answer.content)))
                self.end_headers()
                self.wfile.write(answer.content)
                while answer.endless:
                    self.wfile.write(answer.content)
                    receiver.sent += len(answer.content)

            def log_message(self, *_: object) -> None:
                """Nothing is printed."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def get_request(self) -> Any:
                receiver.connections += 1
                return super().get_request()

            def handle_error(self, *_: object) -> None:
                """Whoever breaks a connection off means to."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._scheme = "http"
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
            self._scheme = "https"
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.01), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    def url(self, path: str = "/told", host: str = "127.0.0.1") -> str:
        return f"{self._scheme}://{host}:{self.port}{path}"

    def next(self) -> Received:
        """The next request, once it comes."""
        return self.requests.get(timeout=LONG)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
