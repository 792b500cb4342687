"""`schedule`: templates that are submitted by the clock."""

from typing import Any

import click

from console.cli.desk import Desk
from console.cli.group import Entry, Lazy
from console.cli.jsonout import dumped, job_json, print_json, schedule_json
from console.cli.options import verb
from console.cli.output import DIM, line
from console.cli.tables import Column, print_facts, print_table
from console.masking import masked_json
from console.moments import exact
from console.plain import plain
from core.cron import Cron
from core.edits import ScheduleEdit
from core.jobs import Command, NewSchedule, Schedule
from core.jsontext import check_text, parse_params
from core.refusals import BadInput
from core.schedules import CatchUp, Overlap
from core.when import format_relative, parse_zone

VERBS = {
    "add": Entry("schedules:add", "Submit a template by the clock."),
    "list": Entry("schedules:list_", "All schedules."),
    "show": Entry("schedules:show", "One schedule whole."),
    "edit": Entry("schedules:edit", "Change a schedule."),
    "enable": Entry("schedules:enable", "Let a schedule fire."),
    "disable": Entry("schedules:disable", "Keep a schedule from firing."),
    "trigger": Entry("schedules:trigger", "Submit its job now, besides its times."),
    "preview": Entry("preview:preview", "When it fires next, and what the clocks do to it."),
    "remove": Entry("schedules:remove", "Remove a schedule; its jobs stay."),
}

schedule = Lazy(
    "schedule",
    sections={"Verbs": VERBS},
    examples=('jobdeck schedule add nightly --template nightly --cron "30 2 * * *" --timezone Europe/Paris',),
    help="Templates that are submitted by the clock.",
    no_args_is_help=True,
)

_timezone = click.option("--timezone", metavar="TZ", help="An IANA name such as Europe/Paris; the default is UTC.")
# By value: click would take the members of an enum by their names.
_catch_up = click.option(
    "--catch-up", type=click.Choice([str(one) for one in CatchUp]), help="After downtime: the latest, all, or none."
)
_overlap = click.option(
    "--overlap", type=click.Choice([str(one) for one in Overlap]), help="While its last job is still live."
)
_failure = click.option("--pause-on-failure/--no-pause-on-failure", default=None, help="Disable it when a job fails.")
_params = click.option("--param", "params", multiple=True, metavar="K=V", help="Set a param of its jobs; repeatable.")


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were given, under the names that a schedule has for them."""
    given = {name: value for name, value in options.items() if value is not None and value != ()}
    if "params" in given:
        given["param_overrides"] = parse_params(given.pop("params"))
    if "cron" in given:
        given["cron_expression"] = given.pop("cron")
    return given


@verb(
    "add",
    'jobdeck schedule add nightly --template nightly --cron "30 2 * * *" --timezone Europe/Paris',
    "jobdeck schedule add poll --template poll --cron '*/5 * * * *' --overlap skip --catch-up none",
)
@click.argument("name")
@click.option("--template", required=True, metavar="NAME", help="What it submits.")
@click.option("--cron", required=True, metavar="EXPR", help="Five fields: minute, hour, day, month, weekday.")
@_timezone
@_catch_up
@_overlap
@_failure
@_params
@click.option("--disabled", is_flag=True, help="Add it, but do not let it fire yet.")
@click.pass_obj
def add(desk: Desk, /, name: str, disabled: bool, **options: Any) -> None:
    """Submit a template by the clock."""
    new = NewSchedule(name=check_text(name, "the schedule's name", 100), enabled=not disabled, **_given(options))
    with desk.write() as work:
        made = work.add_schedule(new)
    _tell(desk, made, f"schedule {made.name} added: {_words(made)}")


@verb("list", "jobdeck schedule list", "jobdeck schedule list --json", "jobdeck schedule list --crontab")
@click.option("--crontab", "as_crontab", is_flag=True, help="As the lines of a crontab that would fire the same.")
@click.pass_obj
def list_(desk: Desk, as_crontab: bool) -> None:
    """List all schedules."""
    with desk.read() as views:
        found = list(views.schedules())
        commands = {one.template_id: one.new_job.command for one in views.templates()} if as_crontab else {}
    if as_crontab:
        _print_crontab(desk, [(one, commands[one.template_id]) for one in found])
        return
    if desk.json:
        print_json([schedule_json(one) for one in found])
        return
    if not found:
        line('no schedules yet; try: jobdeck schedule add NAME --template NAME --cron "0 6 * * *"')
        return
    columns: list[Column[Schedule]] = [
        Column("NAME", lambda one: one.name, least=8, colour=lambda one: None if one.enabled else DIM),
        Column("NEXT", lambda one: _next(one, desk)),
        Column("WHEN", _words, least=10, drop=1),
        Column("TEMPLATE", lambda one: one.template_name, least=6, drop=2),
        Column("LAST", lambda one: _last(one, desk), drop=3),
        Column("FIRED", lambda one: f"{one.fired_count:,}", right=True, drop=4),
        Column("SKIPPED", lambda one: f"{one.skipped_count:,}", right=True, drop=5),
    ]
    print_table(found, columns)


def _print_crontab(desk: Desk, found: list[tuple[Schedule, Command]]) -> None:
    from core.crontab_jobs import crontab_of

    lines = list(crontab_of(found))
    if desk.json:
        print_json(lines)
    for text in [] if desk.json else lines or ["# there are no schedules yet"]:
        # For a file rather than for eyes: nothing is cut, and what a terminal would heed is no part of any line.
        line("".join(letter if letter.isprintable() or letter == "\t" else "?" for letter in text))


@verb("show", "jobdeck schedule show nightly", "jobdeck schedule show nightly --json")
@click.argument("name")
@click.pass_obj
def show(desk: Desk, name: str) -> None:
    """Show one schedule whole."""
    with desk.read() as views:
        found = views.schedule(name)
    if desk.json:
        print_json(schedule_json(found))
        return
    upcoming, last = found.next_trigger_at, found.last_triggered_at
    print_facts(
        [
            ("schedule", found.name),
            ("state", "enabled" if found.enabled else "disabled"),
            ("template", found.template_name),
            ("cron", found.cron_expression),
            ("means", _words(found)),
            ("next", exact(upcoming, desk.zone, desk.now) if upcoming and found.enabled else ""),
            ("last", exact(last, desk.zone, desk.now) if last else ""),
            ("fired", f"{found.fired_count:,}"),
            ("skipped", f"{found.skipped_count:,}" + (f": {found.last_skip_reason}" if found.last_skip_reason else "")),
            ("missed", f"{found.missed_count:,}"),
            ("after downtime", f"catch up: {found.catch_up}"),
            ("while one is live", found.overlap),
            ("on failure", "disabled" if found.pause_on_failure else ""),
            ("params", dumped(masked_json(found.param_overrides)) if found.param_overrides else ""),
            ("created", f"{exact(found.created_at, desk.zone, desk.now)} by {found.created_by}"),
        ]
    )


@verb("edit", 'jobdeck schedule edit nightly --cron "0 3 * * *"', "jobdeck schedule edit nightly --overlap queue")
@click.argument("name")
@click.option("--template", metavar="NAME", help="What it submits.")
@click.option("--cron", metavar="EXPR", help="Five fields: minute, hour, day, month, weekday.")
@_timezone
@_catch_up
@_overlap
@_failure
@_params
@click.pass_obj
def edit(desk: Desk, /, name: str, **options: Any) -> None:
    """Change a schedule; what is not named stays as it is."""
    given = _given(options)
    if not given:
        raise BadInput('there is nothing to change; name it, as in: jobdeck schedule edit NAME --cron "0 3 * * *"')
    with desk.write() as work:
        changed = work.edit_schedule(name, ScheduleEdit(**given))
    _tell(desk, changed, f"schedule {changed.name} changed: {_words(changed)}")


@verb("enable", "jobdeck schedule enable nightly")
@click.argument("name")
@click.pass_obj
def enable(desk: Desk, name: str) -> None:
    """Let a schedule fire, from its next time on."""
    with desk.write() as work:
        changed = work.enable_schedule(name, enabled=True)
    _tell(desk, changed, f"schedule {changed.name} is enabled; next {_next(changed, desk)}")


@verb("disable", "jobdeck schedule disable nightly")
@click.argument("name")
@click.pass_obj
def disable(desk: Desk, name: str) -> None:
    """Keep a schedule from firing."""
    with desk.write() as work:
        changed = work.enable_schedule(name, enabled=False)
    _tell(desk, changed, f"schedule {changed.name} is disabled")


@verb("trigger", "jobdeck schedule trigger nightly")
@click.argument("name")
@click.pass_obj
def trigger(desk: Desk, name: str) -> None:
    """Submit a schedule's job now, besides its times, and print the job's id."""
    with desk.write() as work:
        job = work.trigger_schedule(name)
    if desk.json:
        print_json(job_json(job))
    else:
        line(str(job.id))


@verb("remove", "jobdeck schedule remove nightly")
@click.argument("name")
@click.pass_obj
def remove(desk: Desk, name: str) -> None:
    """Remove a schedule; the jobs it made stay."""
    with desk.write() as work:
        work.remove_schedule(name)
    if desk.json:
        print_json({"removed": name})
    else:
        line(f"schedule {plain(name)} removed")


def _tell(desk: Desk, changed: Schedule, sentence: str) -> None:
    if desk.json:
        print_json(schedule_json(changed))
    else:
        line(plain(sentence))


def _words(one: Schedule) -> str:
    try:
        return f"{Cron.parse(one.cron_expression, parse_zone(one.timezone)).describe()} ({one.timezone})"
    except BadInput as error:
        # A zone that its database no longer knows must not hide every other schedule.
        return f"{one.cron_expression}: {error}"


def _next(one: Schedule, desk: Desk) -> str:
    if not one.enabled or one.next_trigger_at is None:
        return "disabled"
    return format_relative(one.next_trigger_at, desk.now)


def _last(one: Schedule, desk: Desk) -> str:
    return "never" if one.last_triggered_at is None else format_relative(one.last_triggered_at, desk.now)
