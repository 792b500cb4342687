"""The verbs by name: each is loaded only when it is called, and a mistyped one gets a suggestion."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from console import __version__
from console.cli.desk import Desk
from console.cli.options import CONTEXT, Verb, shared_options, write_examples
from core.refusals import BadInput, JobdeckError
from core.when import quoted

COMPLETE = "_JOBDECK_COMPLETE"


@dataclass(frozen=True)
class Entry:
    """Where a verb lives, and its line in the overview."""

    place: str
    """Module under `console.cli` and attribute."""
    words: str


JOBS = {
    "submit": Entry("submit:submit", "Put a job, or a file full of jobs, into the queue."),
    "list": Entry("lists:list_", "Jobs, in the order in which they matter."),
    "show": Entry("show:show", "One job whole: facts, executions, chain."),
    "history": Entry("history:history", "What happened to a job, or to all."),
    "events": Entry("events:events", "What happens to jobs, as it happens."),
    "chain": Entry("chains:chain", "A job's retries: links, and the attempts inside each."),
    "logs": Entry("logs:logs", "What a job has printed."),
    "wait": Entry("wait:wait", "Wait until jobs have ended."),
    "direct": Entry("direct:direct", "Run a job in the next free slot, past the queue."),
    "release": Entry("actions:release", "Put drafts into the queue."),
    "hold": Entry("actions:hold", "Keep jobs from starting."),
    "unhold": Entry("actions:unhold", "Let held jobs start again."),
    "cancel": Entry("actions:cancel", "Stop jobs for good."),
    "kill": Entry("actions:kill", "Stop running jobs at once."),
    "retry": Entry("actions:retry", "Run jobs again."),
    "give-up": Entry("actions:give_up", "Cut the remaining retries of jobs."),
    "priority": Entry("ordering:priority", "Change a job's priority."),
    "move": Entry("ordering:move", "Change a job's place in the queue."),
    "edit": Entry("edit:edit", "Change a job before its first run."),
    "report": Entry("report:report", "Report the result of a job that runs elsewhere."),
}
GATES = {
    "approvals": Entry("gates:approvals", "Gates that wait for an answer."),
    "approve": Entry("gates:approve", "Let a job pass its gate."),
    "deny": Entry("gates:deny", "Refuse a job's gate, which fails the job."),
}
CLOCKWORK = {
    "template": Entry("templates:template", "Named kinds of jobs."),
    "schedule": Entry("schedules:schedule", "Templates that are submitted by the clock."),
    "import": Entry("imports:import_", "Take over what cron has."),
    "apply": Entry("apply:apply", "Make templates and schedules what a file says."),
    "export": Entry("apply:export", "Templates and schedules as such a file."),
}
STORE = {
    "demo": Entry("open:demo", "The console on a lively throw-away store."),
    "serve": Entry("serve:serve", "Run the engine, without a screen."),
    "status": Entry("status:status", "The store, counts, and what comes next."),
    "slots": Entry("slots:slots", "How many jobs run at once."),
    "service": Entry("service:service", "The engine as a systemd user service."),
    "metrics": Entry("metrics:metrics", "What a monitor wants to know, for Prometheus."),
    "pause": Entry("status:pause", "Let nothing new start."),
    "resume": Entry("status:resume", "Let jobs start again."),
    "notify": Entry("notify:notify", "Who is told what happens, and what could not be told."),
    "config": Entry("config:config", "What the config file settles, and the types it declares."),
    "backup": Entry("backup:backup", "Copy the store while everything goes on."),
    "restore": Entry("backup:restore", "Put a backup in the store's place."),
    "prune": Entry("prune:prune", "Delete what has ended long ago, with its history and logs."),
    "doctor": Entry("doctor:doctor", "Check the store against every rule."),
    "job": Entry("group:job", "From inside a running job: progress, checkpoint, gate, commit …"),
    "completion": Entry("completion:completion", "Print the completion script of your shell."),
    "man": Entry("manual:manual", "Print the manual page."),
}
SECTIONS = {"Jobs": JOBS, "Gates": GATES, "Templates and schedules": CLOCKWORK, "The store": STORE}


class Lazy(click.Group):
    """A group whose verbs are imported when they are called."""

    def __init__(
        self, *args: Any, sections: Mapping[str, Mapping[str, Entry]], examples: tuple[str, ...] = (), **kwargs: Any
    ) -> None:
        kwargs["context_settings"] = CONTEXT | kwargs.get("context_settings", {})
        super().__init__(*args, **kwargs)
        self.sections = sections
        self.entries = {name: entry for section in sections.values() for name, entry in section.items()}
        self.examples = examples
        self.params.extend(shared_options())

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The verbs in the order of the overview."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The verb of that name, imported now."""
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        module, _, attribute = entry.place.partition(":")
        command: click.Command = getattr(import_module(f"console.cli.{module}"), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was named, or a sentence with the one that was probably meant."""
        name = args[0]
        if name not in self.entries and not ctx.resilient_parsing:
            close = get_close_matches(name, self.entries, n=1)
            hint = f"did you mean {close[0]}?" if close else f"see {ctx.command_path} --help"
            raise BadInput(f'{ctx.command_path} has no verb "{name[:60]}"; {hint}')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The overview, from the table alone: no verb is imported for it."""
        for title, section in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, entry.words) for name, entry in section.items()])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Examples come last, where the eye ends up."""
        write_examples(formatter, self.examples)


@click.group(
    "jobdeck",
    cls=Lazy,
    sections=SECTIONS,
    examples=("jobdeck submit -- echo hello", "jobdeck list --filter status:failed", "jobdeck submit --help"),
    invoke_without_command=True,
)
@click.version_option(__version__, message="jobdeck %(version)s")
@click.option("--read-only", is_flag=True, help="Open the console to look on only.")
@click.pass_context
def jobdeck(ctx: click.Context, read_only: bool) -> None:
    """Put jobs in order, hold them, gate them, run them, retry them, and never lose one.

    Without a verb it opens the console, which runs the engine too.
    """
    if ctx.invoked_subcommand is None:
        from console.cli.open import open_console

        ctx.exit(open_console(ctx.ensure_object(Desk), read_only=read_only))


job = Verb(
    "job",
    help="Talk to the engine from inside a running job.",
    examples=('jobdeck job progress 40 -m "4 of 10 files"',),
    add_help_option=False,
)
"""Only for the overview and for completion: the words themselves are answered before this parser is loaded."""


def call(argv: list[str], now: Callable[[], datetime] | None = None, job_id: str | None = None) -> int:
    """Parse this process's arguments and carry out the verb."""
    if os.environ.get(COMPLETE):
        jobdeck.main(argv, prog_name="jobdeck", complete_var=COMPLETE)
    desk = Desk(job_id=job_id) if now is None else Desk(clock=now)
    return carry_out(_as_text(argv), desk)


def carry_out(argv: list[str], desk: Desk) -> int:
    """Carry out a verb at a desk."""
    try:
        with jobdeck.make_context("jobdeck", argv, obj=desk) as ctx:
            jobdeck.invoke(ctx)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.UsageError as error:
        raise _in_words(error) from error
    except click.ClickException as error:
        raise JobdeckError(error.format_message()) from error
    return 0


def _as_text(argv: list[str]) -> list[str]:
    """The arguments as UTF-8, whatever the locale says; bytes that are no text could be neither stored nor shown."""
    texts = []
    for place, argument in enumerate(argv, start=1):
        try:
            texts.append(argument if argument.isascii() else os.fsencode(argument).decode())
        except UnicodeError:
            raise BadInput(f"argument {place} ({quoted(argument)}) is not valid UTF-8") from None
    return texts


def _in_words(error: click.UsageError) -> BadInput:
    """What the parser has to say, in one sentence, with the page that would help."""
    sentence = " ".join(error.format_message().split()).rstrip(".")
    sentence = sentence[:1].lower() + sentence[1:]
    path = error.ctx.command_path if error.ctx is not None else "jobdeck"
    return BadInput(f"{sentence}; see {path} --help")
