"""`jobdeck job …`: what a running job says to the engine that runs it. Loads neither click nor the store."""

from __future__ import annotations

import os
import sys

from console.cli.guard import complain
from core.refusals import BadInput, JobdeckError, Refused, Trouble

HELP = """Usage: jobdeck job WORD [OPTIONS]

  Talk to the engine from inside a running job, in any language.

Words:
{words}

Examples:
  jobdeck job progress 40 -m "4 of 10 files"
  jobdeck job checkpoint '{{"next_file": 5}}'
  jobdeck job gate deploy -m "Deploy to production?"
  jobdeck job fail --terminal -m "the input is broken"
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_MINUTE_OPTIONS = {"-m": "--message"}


class Word:
    """One word that a job can say; no dataclass, which would take longer to load than everything else here."""

    def __init__(
        self, usage: str, meaning: str, options: tuple[str, ...] = (), flags: tuple[str, ...] = (), most: int = 0
    ) -> None:
        self.usage = usage
        self.meaning = meaning
        self.options = options
        """Options with a value."""
        self.flags = flags
        self.most = most
        """How many arguments it takes."""


WORDS = {
    "progress": Word("[PERCENT] [-m TEXT]", "say how far the job has come", ("--message",), most=1),
    "checkpoint": Word("[JSON | -]", "keep a JSON value for the next attempt; without one, print the last", most=1),
    "params": Word("", "print the job's params as JSON"),
    "gate": Word(
        "NAME [-m TEXT] [--expires DURATION] [--four-eyes]",
        "go on if approved; else ask, and stop here until it is",
        ("--message", "--expires"),
        ("--four-eyes",),
        most=1,
    ),
    "commit": Word("[--result JSON]", "make the job's effect count from here on", ("--result",)),
    "artifact": Word("PATH", "name a file that the job has made", most=1),
    "fail": Word(
        "[-m TEXT] [--retryable | --terminal]",
        "say that the job failed, and whether a retry can help",
        ("--message",),
        ("--retryable", "--terminal"),
    ),
    "heartbeat": Word("", "say that the job is still alive"),
}


def run(arguments: Sequence[str]) -> int:
    """Carry out one word of a running job."""
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    if name is None or any(argument in ("--help", "-h") for argument in arguments):
        sys.stdout.write(_help(name))
        return 0
    word = WORDS.get(name)
    if word is None:
        from difflib import get_close_matches

        close = get_close_matches(name, WORDS, n=1)
        hint = f"did you mean {close[0]}?" if close else f"use one of {', '.join(WORDS)}"
        raise BadInput(f'"{name[:60]}" is not something a job can say; {hint}')
    rest = [argument for argument in arguments if argument != "--json"]
    rest.remove(name)
    given, options = _parsed(name, word, rest)
    said = _SAID[name](given, options)
    if not os.environ.get("JOBDECK_EXEC_ID") or not os.environ.get("JOBDECK_RUN"):
        raise Refused(f"jobdeck job {name} works only inside a running job, and this is not one")
    return _say(name, said)


def _help(name: str | None) -> str:
    word = WORDS.get(name or "")
    if word is not None:
        return f"Usage: jobdeck job {name} {word.usage}\n\n  {word.meaning[:1].upper()}{word.meaning[1:]}.\n"
    return HELP.format(words="\n".join(f"  {word:<11} {about.meaning}" for word, about in WORDS.items()))


def _parsed(name: str, word: Word, arguments: list[str]) -> tuple[list[str], dict[str, str]]:
    """Arguments and options, by hand: a parser would take longer to load than everything else here."""
    given: list[str] = []
    options: dict[str, str] = {}
    left = list(arguments)
    while left:
        argument = left.pop(0)
        key, equals, value = argument.partition("=")
        key = _MINUTE_OPTIONS.get(key, key)
        if argument == "--":
            given += left
            break
        if key in word.flags and not equals:
            options[key] = ""
        elif key in word.options:
            if not equals and not left:
                raise BadInput(f"{key} needs a value; see jobdeck job {name} --help")
            options[key] = value if equals else left.pop(0)
        elif argument.startswith("-") and argument != "-" and not argument[1:2].isdigit():
            raise BadInput(f"jobdeck job {name} has no option {key[:40]}; see jobdeck job {name} --help")
        else:
            given.append(argument)
    if len(given) > word.most:
        raise BadInput(f"jobdeck job {name} {word.usage}: that is one argument too many")
    return given, options


def _progress(given: list[str], options: dict[str, str]) -> dict[str, Any]:
    share: float | None = None
    if given:
        try:
            share = float(given[0].removesuffix("%"))
        except ValueError:
            raise BadInput(f'"{given[0][:40]}" is not a number from 0 to 100') from None
        if not 0 <= share <= 100:
            raise BadInput(f"progress goes from 0 to 100, not {given[0][:40]}")
    elif "--message" not in options:
        raise BadInput('say how far it has come, as in: jobdeck job progress 40 -m "4 of 10 files"')
    return {"share": share, "message": options.get("--message")}


def _checkpoint(given: list[str], _options: dict[str, str]) -> dict[str, Any]:
    return {"value": _json(given[0], "the checkpoint")} if given else {}


def _gate(given: list[str], options: dict[str, str]) -> dict[str, Any]:
    if not given:
        raise BadInput('a gate has a name, as in: jobdeck job gate deploy -m "Deploy to production?"')
    return {
        "name": given[0],
        "message": options.get("--message") or given[0],
        "expires": options.get("--expires"),
        "four_eyes": "--four-eyes" in options,
    }


def _commit(_given: list[str], options: dict[str, str]) -> dict[str, Any]:
    return {"result": _json(options["--result"], "the result")} if "--result" in options else {}


def _artifact(given: list[str], _options: dict[str, str]) -> dict[str, Any]:
    if not given:
        raise BadInput("an artifact has a path, as in: jobdeck job artifact out/report.pdf")
    return {"path": os.path.abspath(given[0])}


def _fail(_given: list[str], options: dict[str, str]) -> dict[str, Any]:
    if "--retryable" in options and "--terminal" in options:
        raise BadInput("a failure is either --retryable or --terminal")
    kind = "RETRYABLE" if "--retryable" in options else "TERMINAL" if "--terminal" in options else None
    return {"message": options.get("--message") or "", "error_type": kind}


_SAID: dict[str, Callable[[list[str], dict[str, str]], dict[str, Any]]] = {
    "progress": _progress,
    "checkpoint": _checkpoint,
    "params": lambda _given, _options: {},
    "gate": _gate,
    "commit": _commit,
    "artifact": _artifact,
    "fail": _fail,
    "heartbeat": lambda _given, _options: {},
}


def _json(text: str, what: str) -> Any:
    from core.jsontext import CHECKPOINT_LIMIT, loads

    return loads(sys.stdin.buffer.read(CHECKPOINT_LIMIT + 1) if text == "-" else text, what, CHECKPOINT_LIMIT)


def _say(name: str, said: dict[str, Any]) -> int:
    from core.machine.python_job import EngineGone, Line, Said

    def waits() -> None:
        complain(f"waiting for approval at gate {said['name']}; the job stops here")

    line = Line()
    try:
        if name == "gate":
            return 0 if line.pass_gate(waits, **said) else Refused.exit_code
        answer = line.say(name, **said)
    except EngineGone as error:
        raise Trouble(str(error)) from error
    except Said as error:
        raise _as_refusal(str(error), error.code) from error
    for key in ("checkpoint", "params"):
        if key in answer:
            import json

            sys.stdout.write(json.dumps(answer[key]) + "\n")
    return 0


def _as_refusal(sentence: str, code: int) -> JobdeckError:
    kinds: dict[int, type[JobdeckError]] = {1: Trouble, 2: BadInput, 3: Refused}
    return kinds.get(code, Refused)(sentence)
