"""Where webhooks may go: public addresses under TLS, others only when the config says so."""

import pytest

from core.addresses import refused_address

PUBLIC = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::5db8:d70e", "::ffff:93.184.215.14"]
PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "::1",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "fe80::1",
    "fe80::1%eth0",
    "fd00::1",
    "100.64.0.1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::",
    "2002:a00:1::1",
]
NOBODY = ["0.0.0.0", "::", "224.0.0.1", "ff02::1", "::ffff:224.0.0.1", "::ffff:0.0.0.0"]  # noqa: S104


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_sent_to_under_tls_only(address: str) -> None:
    assert refused_address(address, allow_private=False, encrypted=True) is None
    assert refused_address(address, allow_private=True, encrypted=True) is None
    refusal = refused_address(address, allow_private=True, encrypted=False)
    assert refusal == f"{address} is a public address, where only https:// goes"


@pytest.mark.parametrize("address", PRIVATE)
def test_this_machine_and_its_network_are_sent_to_only_when_that_is_allowed(address: str) -> None:
    for encrypted in (False, True):
        assert refused_address(address, allow_private=True, encrypted=encrypted) is None
        refusal = refused_address(address, allow_private=False, encrypted=encrypted)
        assert refusal == f"{address} is a private address; allow_private = true would let it pass"


@pytest.mark.parametrize("address", NOBODY)
def test_what_is_no_single_machine_is_never_sent_to(address: str) -> None:
    assert (
        refused_address(address, allow_private=True, encrypted=True) == f"{address} is no address of a single machine"
    )
