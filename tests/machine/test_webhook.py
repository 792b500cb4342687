"""Webhooks against receivers of every kind: what counts as delivered, and what is never done."""

import socket
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from core.machine.webhook import WebhookCall, verdict
from core.machine.wire_http import MOST_READ, Resolve
from core.notifications import Delivery, Webhook, body, trial
from tests.machine.receiver import AUTHORITY, HONEST, KEYS, LYING, Answer, Receiver

NOW = datetime(2031, 5, 1, 9, tzinfo=UTC)
STAMP = int(NOW.timestamp())
WEB = "93.184.215.14"
"""A public address, which no test ever connects to."""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as made:
        yield made


def target(url: str, **said: Any) -> Webhook:
    return Webhook(
        "ops", **{"url": url, "secrets": KEYS, "allow_private": True, "timeout": timedelta(seconds=20), **said}
    )


def content() -> dict[str, Any]:
    return body(trial("ops", "0194-the-id", NOW), "buildbox", None)


def deliver(webhook: Webhook, resolve: Resolve = socket.getaddrinfo) -> Delivery:
    return WebhookCall(webhook, resolve).deliver(content(), STAMP)


def names(*addresses: str) -> Resolve:
    """A name service that gives these addresses for any name."""

    def resolve(_host: str, port: int, **_: object) -> list[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, port)) for address in addresses]

    return resolve


def test_a_receiver_can_tell_who_sent_it_with_either_secret(receiver: Receiver) -> None:
    assert deliver(target(receiver.url("/told?x=1"))) == Delivery()
    got = receiver.next()
    assert (got.id, got.headers["webhook-timestamp"], got.path) == ("0194-the-id", str(STAMP), "/told?x=1")
    assert got.json["type"] == "target.test"
    assert all(got.signed_with(key) for key in KEYS)
    assert not got.signed_with(b"someone else's key of 32 bytes..")
    assert len(got.headers["webhook-signature"].split(" ")) == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_a_failure_and_is_not_followed(receiver: Receiver, status: int) -> None:
    with Receiver() as other:
        receiver.answer = lambda _: Answer(status, {"location": other.url()})
        found = deliver(target(receiver.url()))
        assert found.error is not None
        assert "redirects are not followed" in found.error
        assert other.connections == 0


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503, 599])
def test_any_other_answer_is_a_failure(receiver: Receiver, status: int) -> None:
    receiver.answer = lambda _: Answer(status)
    found = deliver(target(receiver.url()))
    assert found.error is not None
    assert str(status) in found.error
    assert not found.gone


def test_gone_means_that_nothing_more_is_wanted(receiver: Receiver) -> None:
    receiver.answer = lambda _: Answer(410)
    assert deliver(target(receiver.url())) == Delivery("it answered 410 Gone", gone=True)


def test_a_receiver_that_is_down_is_said_to_be() -> None:
    with Receiver() as gone:
        url = gone.url()
    assert deliver(target(url)).error == "connection refused"


@pytest.mark.parametrize("part", ["nothing", "half a head", "drops"])
def test_a_slow_receiver_is_left_after_its_time(part: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        over = threading.Event()

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                if part == "half a head":
                    connection.sendall(b"HTTP/1.1 200 OK\r\nx: ")
                while not over.wait(0.02):
                    if part == "drops":
                        connection.sendall(b"H")

        thread = threading.Thread(target=answer)
        thread.start()
        begun = time.monotonic()
        try:
            found = deliver(target(f"http://127.0.0.1:{server.getsockname()[1]}", timeout=timedelta(seconds=0.3)))
            took = time.monotonic() - begun
        finally:
            over.set()
            with socket.socket() as last:
                last.connect_ex(server.getsockname())
            thread.join()
    assert found.error is not None
    assert took < 5


def test_a_call_can_be_cut_off_from_another_thread(receiver: Receiver) -> None:
    release = threading.Event()

    def slow(_: object) -> Answer:
        release.wait()
        return Answer()

    receiver.answer = slow
    call = WebhookCall(target(receiver.url(), timeout=timedelta(minutes=5)))
    found: list[Delivery] = []
    thread = threading.Thread(target=lambda: found.append(call.deliver(content(), STAMP)))
    thread.start()
    receiver.next()
    call.cut()
    thread.join(10)
    release.set()
    assert found
    assert found[0].error is not None


def test_of_a_big_answer_no_more_is_read_than_its_bound(receiver: Receiver) -> None:
    receiver.answer = lambda _: Answer(200, content=b"x" * 65_536, endless=True)
    call = WebhookCall(target(receiver.url()))
    assert call.deliver(content(), STAMP) == Delivery()
    assert call._line.read <= MOST_READ


def test_a_head_without_end_is_no_answer() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                try:
                    connection.sendall(b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 10_000_000)
                except OSError:
                    return

        thread = threading.Thread(target=answer)
        thread.start()
        found = deliver(target(f"http://127.0.0.1:{server.getsockname()[1]}"))
        thread.join()
    assert found.error == "it answered something that is no HTTP"


def test_nonsense_is_no_answer_and_is_not_repeated() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(65_536)
                connection.sendall(b"SSH-2.0-secret\r\n\r\n")

        thread = threading.Thread(target=answer)
        thread.start()
        found = deliver(target(f"http://127.0.0.1:{server.getsockname()[1]}"))
        thread.join()
    assert found.error == "it answered something that is no HTTP"


def test_an_honest_certificate_is_accepted() -> None:
    with Receiver(HONEST) as receiver:
        assert deliver(target(receiver.url(host="localhost"), ca=str(AUTHORITY)), names("127.0.0.1")) == Delivery()
        assert receiver.next().id == "0194-the-id"


def test_a_certificate_for_another_host_is_refused() -> None:
    with Receiver(LYING) as receiver:
        found = deliver(target(receiver.url(host="localhost"), ca=str(AUTHORITY)), names("127.0.0.1"))
        assert found.error is not None
        assert "certificate is not trusted" in found.error
        assert "hostname mismatch" in found.error
        assert receiver.requests.empty()


def test_a_certificate_that_nobody_vouches_for_is_refused() -> None:
    with Receiver(HONEST) as receiver:
        found = deliver(target(receiver.url(host="localhost")), names("127.0.0.1"))
        assert found.error is not None
        assert "certificate is not trusted" in found.error
        assert receiver.requests.empty()


def test_a_file_of_certificates_that_is_none_is_named(tmp_path: Path) -> None:
    empty = tmp_path / "empty.pem"
    empty.write_text("nothing")
    for ca, why in ((tmp_path / "gone.pem", "no such file or directory"), (empty, "it holds no certificates")):
        with Receiver(HONEST) as receiver:
            found = deliver(target(receiver.url(), ca=str(ca)))
            assert found.error == f"its file of certificates {ca} can't be used: {why}"
            assert receiver.connections == 0


def test_an_address_that_swallows_everything_leaves_time_for_the_next(receiver: Receiver) -> None:
    with socket.create_server(("127.0.0.2", receiver.port), backlog=0) as full, socket.socket() as first:
        # Its queue is full, so further connections are neither taken nor refused.
        first.connect(full.getsockname())
        webhook = target(f"http://hooks.example.com:{receiver.port}/", timeout=timedelta(seconds=2))
        assert deliver(webhook, names("127.0.0.2", "127.0.0.1")) == Delivery()


def test_a_receiver_without_tls_is_no_https() -> None:
    with Receiver() as receiver:
        found = deliver(target(f"https://127.0.0.1:{receiver.port}/"))
        assert found.error is not None
        assert found.error.startswith("TLS failed")
        assert receiver.requests.empty()


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.8.8.8", "10.0.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1"]
)
def test_a_public_name_that_leads_to_this_network_is_not_followed(receiver: Receiver, address: str) -> None:
    webhook = target(f"https://hooks.example.com:{receiver.port}/", allow_private=False)
    found = deliver(webhook, names(address))
    assert found.error is not None
    assert address in found.error
    assert receiver.connections == 0


def test_a_name_is_looked_up_once_so_it_cant_change_between_check_and_connection(receiver: Receiver) -> None:
    asked = []

    def rebinding(host: str, port: int, **_: object) -> list[tuple[Any, ...]]:
        asked.append(host)
        address = "192.0.2.1" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 0, "", (address, port))]

    found = deliver(target(f"https://hooks.example.com:{receiver.port}/", allow_private=False), rebinding)
    assert found.error is not None
    assert "192.0.2.1 is a private address" in found.error
    assert asked == ["hooks.example.com"]
    assert receiver.connections == 0


def test_of_several_addresses_only_those_that_are_allowed_are_tried(receiver: Receiver) -> None:
    webhook = target(f"http://hooks.example.com:{receiver.port}/")
    assert deliver(webhook, names(WEB, "224.0.0.1", "127.0.0.1")) == Delivery()


def test_nothing_goes_unencrypted_to_a_public_address() -> None:
    found = deliver(target("http://hooks.example.com/"), names(WEB))
    assert found.error == f"{WEB} is a public address, where only https:// goes"


def test_a_name_that_leads_nowhere_is_said_to() -> None:
    def unknown(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    assert deliver(target("https://hooks.example.com/"), unknown).error == "its name can't be found"


def test_only_a_2xx_is_a_delivery() -> None:
    assert [status for status in range(200, 600) if verdict(status).error is None] == list(range(200, 300))
