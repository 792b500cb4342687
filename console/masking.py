"""What is hidden on screens: patterns and names from the config, asked for each piece of text that others wrote."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.secrets import HIDDEN, Secrets

BAGS = frozenset({"params", "param_overrides", "env", "checkpoint", "result", "metadata"})
"""Under these keys of a document stand names that others chose."""


class _Mask:
    """What is hidden in this process; one config holds for all of it."""

    def __init__(self) -> None:
        self.secrets = Secrets()
        self.expression: re.Pattern[str] | None = None


_mask = _Mask()


def hide(secrets: Secrets) -> None:
    """Hide these from now on."""
    _mask.secrets, _mask.expression = secrets, secrets.expression


def hide_as_configured(path: Path) -> None:
    """Hide what the config of that path says; one without a word of it costs no parsing."""
    from core.refusals import BadInput

    try:
        if b"secrets" not in path.read_bytes():
            hide(Secrets())
            return
        from console.config import load

        hide(load(path).secrets)
    except FileNotFoundError:
        hide(Secrets())
    except (BadInput, OSError) as error:
        from console.cli.output import aside

        aside(f"the config can't be used, so nothing of what it hides is hidden: {error}")


def masked(text: str) -> str:
    """The text without what is hidden."""
    return text if _mask.expression is None else _mask.expression.sub(HIDDEN, text)


def masked_in_place(text: str) -> str:
    """The same, with every place in the text staying where it is."""
    return text if _mask.expression is None else _mask.expression.sub(lambda found: "•" * len(found[0]), text)


def masked_json(value: Any, *, inside: bool = True) -> Any:
    """A value without what is hidden; `inside` tells that its keys are names that others chose."""
    secrets = _mask.secrets
    if not (secrets.names or secrets.patterns):
        return value
    if isinstance(value, str):
        return masked(value)
    if isinstance(value, Mapping):
        return {
            key: HIDDEN
            if inside and item is not None and secrets.hides(str(key))
            else masked_json(item, inside=inside or key in BAGS)
            for key, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [masked_json(item, inside=inside) for item in value]
    return value
