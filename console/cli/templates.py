"""`template`: named kinds of jobs."""

from collections.abc import Mapping
from typing import Any

import click

from console.cli.desk import Desk
from console.cli.group import Entry, Lazy
from console.cli.job_options import job_options
from console.cli.jsonout import dumped, print_json, template_json
from console.cli.options import verb
from console.cli.output import line
from console.cli.tables import Column, print_facts, print_table
from console.masking import masked_json
from console.moments import exact
from console.plain import plain
from console.starts import start
from core.jobs import Template
from core.when import format_duration, format_relative

VERBS = {
    "add": Entry("templates:add", "Add a template, or replace one."),
    "list": Entry("templates:list_", "All templates."),
    "show": Entry("templates:show", "One template whole."),
    "remove": Entry("templates:remove", "Remove a template that no schedule uses."),
}

template = Lazy(
    "template",
    sections={"Verbs": VERBS},
    examples=("jobdeck template add nightly --timeout 2h -- ./nightly.sh", "jobdeck submit --template nightly"),
    help="Named kinds of jobs, with the options that their jobs start from.",
    no_args_is_help=True,
)


@verb(
    "add",
    "jobdeck template add nightly --type etl --timeout 2h -- ./nightly.sh",
    "jobdeck template add nightly --replace --param date=today -- ./nightly.sh",
    context_settings={"allow_interspersed_args": True},
)
@click.argument("name")
@job_options
@click.option("--replace", "replacing", is_flag=True, help="Replace the template of that name.")
@click.argument("argv", nargs=-1, metavar="[--] ARGV...")
@click.pass_obj
def add(desk: Desk, name: str, wanted: Mapping[str, Any], replacing: bool, argv: tuple[str, ...]) -> None:
    """Add a template: a name, a command behind --, and the options that its jobs start from."""
    begun = start(desk.config, desk.here, wanted.get("type"))
    new = begun.template({**wanted, "argv": argv} if argv else wanted)
    with desk.write() as work:
        made = work.replace_template(name, new) if replacing else work.add_template(name, new)
    if desk.json:
        print_json(template_json(made))
    else:
        line(f"template {plain(made.name)} {'replaced' if replacing else 'added'}; use it with: "
             f"jobdeck submit --template {plain(made.name)}")  # fmt: skip


@verb("list", "jobdeck template list", "jobdeck template list --json")
@click.pass_obj
def list_(desk: Desk) -> None:
    """List all templates."""
    with desk.read() as views:
        found = list(views.templates())
    if desk.json:
        print_json([template_json(one) for one in found])
        return
    if not found:
        line("no templates yet; try: jobdeck template add greet -- echo hello")
        return
    columns: list[Column[Template]] = [
        Column("NAME", lambda one: one.name, least=8),
        Column("TYPE", lambda one: one.new_job.job_type, least=6, drop=2),
        Column("PRI", lambda one: str(one.new_job.priority), right=True, drop=3),
        Column("COMMAND", lambda one: one.new_job.command.text, least=12, drop=1),
        Column("CHANGED", lambda one: format_relative(one.updated_at, desk.now), drop=4),
    ]
    print_table(found, columns)


@verb("show", "jobdeck template show nightly", "jobdeck template show nightly --json")
@click.argument("name")
@click.pass_obj
def show(desk: Desk, name: str) -> None:
    """Show one template whole."""
    with desk.read() as views:
        found = views.template(name)
    if desk.json:
        print_json(template_json(found))
        return
    new = found.new_job
    print_facts(
        [
            ("template", found.name),
            ("type", new.job_type),
            ("command", new.command.text),
            ("directory", new.command.cwd or ""),
            ("environment", " ".join(f"{key}={value}" for key, value in masked_json(new.command.env).items())),
            ("priority", str(new.priority)),
            ("retries", f"at most {new.max_retries}, {new.backoff}"),
            ("timeout", "" if new.timeout is None else format_duration(new.timeout)),
            ("takes turns on", new.concurrency_key),
            ("approval", "" if new.approval is None else new.approval.message),
            ("tags", " ".join(f"{key}={value}" for key, value in new.tags.items())),
            ("params", dumped(masked_json(new.params)) if new.params else ""),
            ("created", f"{exact(found.created_at, desk.zone, desk.now)} by {found.created_by}"),
            ("changed", exact(found.updated_at, desk.zone, desk.now)),
        ]
    )


@verb("remove", "jobdeck template remove nightly")
@click.argument("name")
@click.pass_obj
def remove(desk: Desk, name: str) -> None:
    """Remove a template; the jobs it made stay."""
    with desk.write() as work:
        work.remove_template(name)
    if desk.json:
        print_json({"removed": name})
    else:
        line(f"template {plain(name)} removed")
