"""Signatures of webhooks after Standard Webhooks 1.0: what a receiver checks to know who has sent it."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence

from core.refusals import BadInput

PREFIX = "whsec_"
LEAST, MOST = 24, 64
HINT = "make one with: echo whsec_$(openssl rand -base64 32)"


def parse_secret(text: str) -> bytes:
    """The key that a secret stands for; what is wrong with it is said without repeating it."""
    try:
        key = base64.b64decode(text.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        raise BadInput(f"the secret is not base64; {HINT}") from None
    if not LEAST <= len(key) <= MOST:
        raise BadInput(f"the secret has {len(key)} bytes; use {LEAST} to {MOST}: {HINT}")
    return key


def signature(key: bytes, notification_id: str, timestamp: int, content: bytes) -> str:
    """One signature."""
    signed = f"{notification_id}.{timestamp}.".encode() + content
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def signed_headers(keys: Sequence[bytes], notification_id: str, timestamp: int, content: bytes) -> dict[str, str]:
    """The three headers; while secrets are exchanged there is a signature by each."""
    return {
        "webhook-id": notification_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(signature(key, notification_id, timestamp, content) for key in keys),
    }
