"""What verbs are made of: the options they all share, their examples, and arguments that several of them take."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import click

from console.cli.desk import Desk
from console.typed import whole_number

F = TypeVar("F", bound=Callable[..., Any])

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


def _remember(ctx: click.Context, param: click.Parameter, value: object) -> None:
    """Keep a shared option where it was given; before and behind the verb count alike."""
    if value not in (None, False) and param.name:
        setattr(ctx.ensure_object(Desk), param.name, value)


def shared_options() -> list[click.Parameter]:
    """The options that stand before the verb or behind it."""
    return [
        click.Option(
            ["--home"], metavar="DIR", expose_value=False, callback=_remember, help="Where jobdeck keeps everything."
        ),
        click.Option(["--db"], metavar="FILE", expose_value=False, callback=_remember, help="Another store."),
        click.Option(
            ["--json"], is_flag=True, expose_value=False, callback=_remember, help="Answer as one JSON document."
        ),
    ]


def write_examples(formatter: click.HelpFormatter, examples: Sequence[str]) -> None:
    """The examples at the end of a help page."""
    if examples:
        with formatter.section("Examples"):
            formatter.write("".join(f"{' ' * formatter.current_indent}{example}\n" for example in examples))


class Verb(click.Command):
    """A verb of the command line."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        kwargs["context_settings"] = CONTEXT | kwargs.get("context_settings", {})
        super().__init__(*args, **kwargs)
        self.params.extend(shared_options())
        self.examples = examples

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Examples come last, where the eye ends up."""
        write_examples(formatter, self.examples)


def verb(name: str, *examples: str, **settings: Any) -> Callable[[Callable[..., Any]], Verb]:
    """Make a function a verb with these examples."""

    def made(function: Callable[..., Any]) -> Verb:
        return click.command(name, cls=Verb, examples=examples, **settings)(function)

    return made


def ids_argument(function: F) -> F:
    """One job or several, by number, UUID or the beginning of one."""
    return click.argument("ids", metavar="ID...", nargs=-1, required=True)(function)


def id_argument(function: F) -> F:
    """One job, by number, UUID or the beginning of one."""
    return click.argument("ref", metavar="ID")(function)


class Whole(click.ParamType[int]):
    """A whole number, with a sentence when it isn't one."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:  # noqa: ARG002
        """The number that was typed."""
        if isinstance(value, int):
            return value
        name = "the number" if param is None else param.opts[0]
        return whole_number(str(value), name)


WHOLE = Whole()
