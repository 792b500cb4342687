"""`man`: the manual page, made from the verbs themselves."""

import sys
from collections.abc import Iterator

import click

from console import __version__
from console.cli.desk import Desk
from console.cli.group import Lazy, jobdeck
from console.cli.jsonout import print_json
from console.cli.options import Verb, verb

EXITS = (
    ("0", "done"),
    ("1", "the thing itself failed: a job that was waited for, something that doctor found, a full disk"),
    ("2", "the command line or its input is wrong"),
    ("3", "refused: an illegal step, a key that is taken, a wrong token"),
    ("4", "there is no such thing"),
)
PLACES = (
    ("JOBDECK_HOME", "where jobdeck keeps everything; --home wins"),
    ("JOBDECK_DB", "another store; --db wins"),
    ("NO_COLOR", "no colour"),
)


@verb(
    "man",
    "jobdeck man > ~/.local/share/man/man1/jobdeck.1",
    "jobdeck man | man -l -",
)
@click.pass_obj
def manual(desk: Desk) -> None:
    """Print the manual page, with every verb, option and example."""
    text = "".join(f"{one}\n" for one in _page())
    if desk.json:
        print_json({"page": text})
    elif sys.stdout is not None:
        sys.stdout.write(text)


def _page() -> Iterator[str]:
    yield f'.TH JOBDECK 1 "" "jobdeck {__version__}" "User Commands"'
    yield ".SH NAME"
    yield r"jobdeck \- a durable job scheduler and its terminal console"
    yield ".SH SYNOPSIS"
    yield r".B jobdeck"
    yield r"[\fIverb\fR [\fIoptions\fR]]"
    yield ".SH DESCRIPTION"
    yield from _paragraphs(jobdeck.help or "")
    yield ".SH COMMON OPTIONS"
    for option in Verb("x").params:
        yield from _option(option)
    for title, section in jobdeck.sections.items():
        yield f".SH {_escaped(title.upper())}"
        for name in section:
            yield from _verb(jobdeck, name, ("jobdeck",))
    for title, rows in (("EXIT STATUS", EXITS), ("ENVIRONMENT", PLACES)):
        yield f".SH {title}"
        for name, words in rows:
            yield from (".TP", f".B {_escaped(name)}", _escaped(words))


def _verb(group: Lazy, name: str, before: tuple[str, ...]) -> Iterator[str]:
    command = group.get_command(click.Context(group), name)
    if command is None:
        return
    path = (*before, name)
    if isinstance(command, Lazy):
        for one in command.entries:
            yield from _verb(command, one, path)
        return
    yield f".SS {_escaped(' '.join(path))}"
    context = click.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context)).replace("[OPTIONS]", "[options]")
    yield f"\\fB{_escaped(' '.join(path))}\\fR {_escaped(usage)}"
    yield ".PP"
    yield from _paragraphs(command.help or "")
    common = {option.name for option in Verb("x").params}
    for option in command.params:
        if option.name not in common:
            yield from _option(option)
    examples = getattr(command, "examples", ())
    if examples:
        yield from (".PP", ".EX", *(_escaped(one) for one in examples), ".EE")


def _option(option: click.Parameter) -> Iterator[str]:
    if not isinstance(option, click.Option) or option.hidden:
        return
    names = ", ".join([*option.opts, *option.secondary_opts])
    value = "" if option.is_flag else f" {option.metavar or option.type.name.upper()}"
    yield from (".TP", f"\\fB{_escaped(names)}\\fR{_escaped(value)}", _escaped(option.help or ""))


def _paragraphs(text: str) -> Iterator[str]:
    for part in text.replace("\b", "").strip().split("\n\n"):
        yield from (_escaped(one.strip()) for one in part.splitlines() if one.strip())
        yield ".PP"


def _escaped(text: str) -> str:
    """Text that roff takes for text."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + plain if plain[:1] in {".", "'"} else plain
