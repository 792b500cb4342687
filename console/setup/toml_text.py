"""Values as TOML: the standard library reads it, and this writes it."""

import json
import re
from collections.abc import Mapping

from core.jobs import Json

_BARE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_NOT_IN_TEXT = re.compile("[\x7f-\x9f\u2028\u2029\ufeff]")


def toml_key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if _BARE.fullmatch(name) else _text(name)


def toml_value(value: Json) -> str:
    """A value on one line; ValueError for nothing at all, which TOML can't say."""
    if value is None:
        raise ValueError("TOML has no null")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        # A whole number with an exponent and no point is a float in TOML just as in JSON.
        return repr(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{toml_key(name)} = {toml_value(item)}" for name, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    return f"[{', '.join(toml_value(item) for item in value)}]"


def _text(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, which wants a few more."""
    return _NOT_IN_TEXT.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))
