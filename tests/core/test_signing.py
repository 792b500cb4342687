"""Signatures after Standard Webhooks 1.0, against its own published example."""

import base64

import pytest

from core.refusals import BadInput
from core.signing import parse_secret, signature, signed_headers

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = base64.b64encode(b"x" * 64).decode()


def test_the_example_of_the_standard_comes_out() -> None:
    content = b'{"test": 2432232314}'
    found = signature(parse_secret(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, content)
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_while_secrets_are_exchanged_there_is_a_signature_by_each() -> None:
    keys = [parse_secret(SECRET), parse_secret(OTHER)]
    headers = signed_headers(keys, "id", 1, b"{}")
    assert headers["webhook-signature"].split() == [signature(key, "id", 1, b"{}") for key in keys]
    assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("id", "1")


@pytest.mark.parametrize(
    "text", ["whsec_", "whsec_c2hvcnQ=", "whsec_***", "plain words", base64.b64encode(b"y" * 65).decode()]
)
def test_what_is_no_secret_is_refused_without_being_repeated(text: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_secret(text)
    assert "openssl rand -base64 32" in str(refused.value)
    assert text.removeprefix("whsec_") == "" or text.removeprefix("whsec_") not in str(refused.value)
