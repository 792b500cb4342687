"""The options that describe a job, shared by `submit` and `template add`, and the wishes that they make."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from console.cli.options import WHOLE
from core.jsontext import parse_pairs, parse_params

F = TypeVar("F", bound=Callable[..., Any])

ENV_LIMIT = 131_072
"""Linux starts no process with a longer variable."""

_ABOUT_THE_JOB = (
    click.option("--type", "type", metavar="NAME", help="What kind of job it is."),
    click.option("--priority", type=WHOLE, metavar="N", help="Higher runs first; the default is 0."),
    click.option("--approval", metavar="TEXT", help="Ask this before it runs, and wait for the answer."),
    click.option("--approval-expires", metavar="DURATION", help="Fail when nobody has answered by then."),
    click.option("--four-eyes", is_flag=True, default=None, help="Someone else than the submitter must approve."),
    click.option("--max-retries", type=WHOLE, metavar="N", help="How often it is tried again; the default is 3."),
    click.option("--backoff", metavar="RULE", help="Wait before a retry: fixed:1s or exponential:1s:5m."),
    click.option("--timeout", metavar="DURATION", help="Stop a run that takes longer."),
    click.option("--concurrency-key", metavar="KEY", help="Jobs with the same key take turns."),
    click.option("--tag", "tags", multiple=True, metavar="K=V", help="A tag to find it by; repeatable."),
    click.option("--param", "params", multiple=True, metavar="K=V", help="A param, as JSON or text; repeatable."),
    click.option("--cwd", metavar="DIR", help="Where it runs; the default is the current directory."),
    click.option("--env", multiple=True, metavar="K=V", help="A variable of its environment; repeatable."),
    click.option("--shell", is_flag=True, default=None, help="Run one text through the shell."),
)
_ABOUT_ONE_SUBMISSION = (
    click.option("--key", metavar="KEY", help="At most one live job has this type and key."),
    click.option("--at", metavar="TIME", help="Not before then: 18:00, tomorrow 6:00, in 10m, or ISO 8601."),
    click.option("--deadline", metavar="TIME", help="Fail if it has not started by then."),
    click.option("--draft", is_flag=True, default=None, help="Record it only; release puts it into the queue."),
    click.option("--hold", is_flag=True, default=None, help="Queue it, but keep it from starting."),
)


def job_options(function: F) -> F:
    """What a job or a template can be given; arrives as one mapping, `wanted`."""
    return _gathered(function, _ABOUT_THE_JOB)


def submission_options(function: F) -> F:
    """What a job can be given when it is submitted; arrives as one mapping, `wanted`."""
    return _gathered(function, (*_ABOUT_ONE_SUBMISSION, *_ABOUT_THE_JOB))


def _gathered(function: F, options: tuple[Callable[[Any], Any], ...]) -> F:
    # Options are made anew on a throw-away function, whose parameters tell which names are ours.
    def probe() -> None: ...

    for option in options:
        option(probe)
    names = [parameter.name for parameter in probe.__click_params__]  # type: ignore[attr-defined]

    @functools.wraps(function)
    def gathered(*args: Any, **given: Any) -> Any:
        wanted = {name: value for name in names if (value := given.pop(name)) not in (None, ())}
        return function(*args, wanted=_paired(wanted), **given)

    for option in reversed(options):
        gathered = option(gathered)
    return gathered  # type: ignore[return-value]


def _paired(wanted: dict[str, Any]) -> Mapping[str, Any]:
    """The wishes with every `name=value` taken apart."""
    if "tags" in wanted:
        wanted["tags"] = parse_pairs(wanted["tags"], "tag")
    if "env" in wanted:
        wanted["env"] = parse_pairs(wanted["env"], "env", value_limit=ENV_LIMIT, allow_newlines=True)
    if "params" in wanted:
        wanted["params"] = parse_params(wanted["params"])
    return wanted
