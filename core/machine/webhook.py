"""Delivering a notification to a webhook: signed, to a checked address, within a time, and never anywhere else."""

import http.client
import json
import socket
import ssl
from contextlib import suppress
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from core.machine.wire_http import Line, NotSent, Resolve
from core.notifications import Delivery, Webhook
from core.signing import signed_headers
from core.when import format_duration

AGENT = "jobdeck"
MOST_BODY = 64 * 1024
BODY_WITHIN = 1.0
"""Seconds for which the rest of an answer is waited for, once its status is known; nothing in it is used."""


class WebhookCall:
    """One request; `cut` ends it from any thread."""

    def __init__(self, target: Webhook, resolve: Resolve = socket.getaddrinfo) -> None:
        self._target = target
        self._resolve = resolve
        self._line = Line(target.timeout.total_seconds())

    def cut(self) -> None:
        """End it at once."""
        self._line.cut()

    def deliver(self, body: dict[str, Any], timestamp: int) -> Delivery:
        """Send it; whatever goes wrong comes back in words that repeat nothing of the request or the answer."""
        content = json.dumps(body, separators=(",", ":")).encode()
        try:
            status = self._send(content, signed_headers(self._target.secrets, str(body["id"]), timestamp, content))
        except (OSError, http.client.HTTPException) as error:
            return Delivery(self._in_words(error))
        finally:
            self._line.close()
        return verdict(status)

    def _send(self, content: bytes, headers: dict[str, str]) -> int:
        target = self._target
        parts = urlsplit(target.url)
        encrypted = parts.scheme == "https"
        default = 443 if encrypted else 80
        host, port = str(parts.hostname), parts.port or default
        context = self._context() if encrypted else None
        self._line.connect(host, port, self._resolve, allow_private=target.allow_private, encrypted=encrypted)
        if context is not None:
            self._line.encrypt(context, host)
        connection = http.client.HTTPConnection(host, port)
        connection.default_port = default
        connection.sock = self._line
        path = parts.path or "/"
        connection.request(
            "POST",
            f"{path}?{parts.query}" if parts.query else path,
            content,
            {**headers, "content-type": "application/json", "user-agent": AGENT, "connection": "close"},
        )
        response = connection.getresponse()
        with suppress(OSError, http.client.HTTPException), response:
            # A receiver that still writes would otherwise take the end of the connection for a failure of its own.
            self._line.hurry(BODY_WITHIN)
            response.read(MOST_BODY)
        return response.status

    def _context(self) -> ssl.SSLContext:
        """Whom to trust."""
        try:
            return ssl.create_default_context(cafile=self._target.ca)
        except OSError as error:
            why = "it holds no certificates" if isinstance(error, ssl.SSLError) else (error.strerror or "").lower()
            raise NotSent(f"its file of certificates {self._target.ca} can't be used: {why}") from error

    def _in_words(self, error: Exception) -> str:
        match error:
            case NotSent():
                return str(error)
            case ssl.SSLCertVerificationError():
                return f"its certificate is not trusted: {error.verify_message.rstrip('.').lower()}"
            case ssl.SSLError():
                return f"TLS failed: {(error.reason or 'it was broken off').lower().replace('_', ' ')}"
            case TimeoutError():
                return f"it did not answer within {format_duration(self._target.timeout)}"
            case socket.gaierror():
                return "its name can't be found"
            case OSError():
                return (error.strerror or "the connection broke").lower()
            case _:
                return "it answered something that is no HTTP"


def verdict(status: int) -> Delivery:
    """What an answer means: only a 2xx is a delivery, and a redirect is never followed."""
    if 200 <= status < 300:
        return Delivery()
    try:
        words = f"it answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = f"it answered {status}"
    if 300 <= status < 400:
        return Delivery(f"{words}; redirects are not followed, so give the address where it has gone")
    return Delivery(words, gone=status == HTTPStatus.GONE)
