"""How each kind of target is told: one call for one delivery."""

from typing import Any, Protocol

from core.machine.told_program import ProgramCall
from core.machine.webhook import WebhookCall
from core.notifications import Delivery, Program, Target, Webhook


class Call(Protocol):
    """One delivery under way."""

    def deliver(self, body: dict[str, Any], timestamp: int) -> Delivery:
        """Do it, and say what it came to."""
        ...

    def cut(self) -> None:
        """End it at once, from any thread."""
        ...


class TerminalCall:
    """Consoles look by themselves for what they are to say."""

    def deliver(self, _body: dict[str, Any], _timestamp: int) -> Delivery:
        """It counts as said."""
        return Delivery()

    def cut(self) -> None:
        """There is nothing to end."""


def call(target: Target) -> Call:
    """How that target is told."""
    if isinstance(target, Webhook):
        return WebhookCall(target)
    if isinstance(target, Program):
        return ProgramCall(target)
    return TerminalCall()
