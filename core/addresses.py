"""Which addresses a webhook may be sent to: judged by the address that is connected to, never by a name."""

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

_NAT64 = IPv6Network("64:ff9b::/96")


def refused_address(text: str, *, allow_private: bool, encrypted: bool) -> str | None:
    """Why nothing may be sent to an address; None when it may."""
    address = _meant(ip_address(text.partition("%")[0]))
    if address.is_multicast or address.is_unspecified:
        return f"{text} is no address of a single machine"
    if not address.is_global:
        return None if allow_private else f"{text} is a private address; allow_private = true would let it pass"
    return None if encrypted else f"{text} is a public address, where only https:// goes"


def _meant(address: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The address of the other network, for those that only wrap one."""
    if isinstance(address, IPv4Address):
        return address
    wrapped = address.ipv4_mapped or address.sixtofour
    if wrapped is None and address in _NAT64:
        wrapped = IPv4Address(int(address) & 0xFFFFFFFF)
    if wrapped is None and address.teredo is not None:
        wrapped = address.teredo[1]
    return address if wrapped is None else wrapped
