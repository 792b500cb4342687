"""What may be written in a config about who is told: each target names one way, and the events it wants."""

from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

from core.bounds import NAME_LIMIT, PATH_LIMIT
from core.config_fields import Reader, a_flag, a_path, a_span, a_text, at, items_of, joined, read_table
from core.jsontext import check_text
from core.notifications import MOST_TARGETS, Program, Signal, Target, Terminal, Told, Webhook
from core.refusals import BadInput
from core.signing import HINT, parse_secret
from core.when import exact_duration, quoted

LONGEST = timedelta(minutes=5)
MOST_SECRETS = 5
MOST_ARGUMENTS = 100


def targets(path: str, value: object) -> dict[str, Target]:
    """The targets, by name."""
    found = {name: _target(joined(path, name), name, item) for name, item in items_of(path, value)}
    if len(found) > MOST_TARGETS:
        raise BadInput(f"{path}: there are {len(found)} targets; use {MOST_TARGETS} at the most")
    return found


def _target(path: str, name: str, value: object) -> Target:
    with at(path):
        check_text(name, "the name of a target", NAME_LIMIT)
    said = read_table(path, value, _TARGET)
    ways = [way for way in _WAYS if way in said]
    if len(ways) != 1:
        one = "it names no way to tell" if not ways else f"it names {' and '.join(ways)}"
        raise BadInput(f"{path}: {one}; give it one of {', '.join(_WAYS)}")
    [way] = ways
    for key in said:
        if key not in _COMMON and key not in _WAYS[way]:
            only = next(other for other, keys in _WAYS.items() if key in keys)
            raise BadInput(f"{path}.{key}: goes with {only}, and this target has {way}")
    if way == "terminal":
        return Terminal(name, signal=said.pop("terminal"), **said)
    if way == "command":
        return Program(name, **said)
    if not said.get("secrets"):
        raise BadInput(f"{path}: it has no secrets, so its receiver could trust nothing; {HINT}")
    webhook = Webhook(name, **said)
    if webhook.url.startswith("http:") and not webhook.allow_private:
        raise BadInput(f"{path}.url: http:// goes to private addresses only; use https://, or allow_private = true")
    return webhook


def _url(path: str, value: object) -> str:
    """Where a webhook is sent; what is wrong with it is said without repeating it, since it may hold a secret."""
    text = a_text(path, value)
    with at(path):
        check_text(text, "the address", PATH_LIMIT)
        if not text.isascii() or " " in text:
            raise BadInput("an address has only ASCII letters and no spaces; write others as %XX, and a host as xn--…")
        try:
            parts = urlsplit(text)
            host, _ = parts.hostname, parts.port
        except ValueError as error:
            raise BadInput(f"the address can't be read: {str(error).lower()[:100]}") from None
        if parts.scheme not in ("https", "http") or not host:
            raise BadInput("an address begins with https:// and a host")
        if "@" in parts.netloc:
            raise BadInput("an address with a user or a password in it is refused; the signature says who sends")
        if parts.fragment:
            raise BadInput("what stands behind # is never sent; leave it out")
    return text


def _secrets(path: str, value: object) -> tuple[bytes, ...]:
    """One secret, or several while they are exchanged."""
    texts = value if isinstance(value, list) else [value]
    if not 1 <= len(texts) <= MOST_SECRETS:
        raise BadInput(f"{path}: there are {len(texts)} secrets; use 1 to {MOST_SECRETS}")
    with at(path):
        return tuple(parse_secret(a_text("a secret", text)) for text in texts)


def _command(path: str, value: object) -> tuple[str, ...]:
    """A program and its arguments."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise BadInput(f'{path}: must be a list of texts such as ["/usr/local/bin/page", "ops"]')
    if not value or not value[0].strip() or len(value) > MOST_ARGUMENTS:
        raise BadInput(f"{path}: must have a program and at most {MOST_ARGUMENTS - 1} arguments")
    with at(path):
        for one in value:
            check_text(one, "an argument", PATH_LIMIT, allow_newlines=True, allow_empty=True)
    if "/" in value[0] and not value[0].startswith(("/", "~")):
        raise BadInput(f"{path}: {quoted(value[0])} depends on where one stands; write it from / or ~ on")
    return tuple(value)


def _signal(path: str, value: object) -> Signal:
    text = a_text(path, value)
    try:
        return Signal(text)
    except ValueError:
        raise BadInput(f"{path}: {quoted(text)} is not a signal; use {', '.join(Signal)}") from None


def _events(path: str, value: object) -> frozenset[str]:
    """What a target wants to hear."""
    if not isinstance(value, list) or not value:
        raise BadInput(f'{path}: must be a list of events such as ["{Told.JOB_FAILED}", "{Told.APPROVAL_WANTED}"]')
    for one in value:
        if a_text(path, one) not in frozenset(Told):
            raise BadInput(f"{path}: {quoted(one)} is not an event; use {', '.join(Told)}")
    return frozenset(value)


def _timeout(path: str, value: object) -> timedelta:
    span = a_span(path, value)
    if span > LONGEST:
        raise BadInput(f"{path}: {exact_duration(span)} is too long; use up to {exact_duration(LONGEST)}")
    return span


_COMMON = ("events", "timeout")
_WAYS: dict[str, tuple[str, ...]] = {
    "url": ("url", "secrets", "allow_private", "ca"),
    "command": ("command",),
    "terminal": ("terminal",),
}
"""The ways to tell, each with what else goes with it."""

_TARGET: dict[str, Reader] = {
    "url": _url,
    "secrets": _secrets,
    "allow_private": a_flag,
    "ca": a_path,
    "command": _command,
    "terminal": _signal,
    "events": _events,
    "timeout": _timeout,
}


def shown(target: Target) -> dict[str, Any]:
    """What may be told of a target: nothing of its secrets."""
    kind = {Webhook: "webhook", Program: "command", Terminal: "terminal"}[type(target)]
    return {"name": target.name, "kind": kind, "where": target.where, "events": sorted(target.events)}
