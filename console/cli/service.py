"""`service`: the engine as a systemd user service."""

import sys
from pathlib import Path

import click

from console.cli.desk import Desk
from console.cli.group import Entry, Lazy
from console.cli.jsonout import print_json
from console.cli.options import WHOLE, verb
from console.cli.output import aside, line
from console.cli.tables import print_facts
from console.plain import plain
from console.service import MARK, systemctl, unit_path, unit_text
from core.limits import Limits
from core.refusals import NoSuchThing, Refused, Trouble

NAME = "jobdeck"
NOT_RUNNING = 1

VERBS = {
    "install": Entry("service:install", "Write the unit, enable and start it."),
    "status": Entry("service:status", "Whether it is there, enabled and running."),
    "uninstall": Entry("service:uninstall", "Stop it and take the unit away."),
}

service = Lazy(
    "service",
    sections={"Verbs": VERBS},
    examples=("jobdeck service install --dry-run", "jobdeck service install --slots 4 --metrics 9464"),
    help="The engine as a systemd user service.",
    no_args_is_help=True,
)

_name = click.option("--name", default=NAME, metavar="NAME", help="What the unit is called; the default is jobdeck.")


@verb(
    "install",
    "jobdeck service install --dry-run",
    "jobdeck service install --slots 4 --metrics 9464",
    "jobdeck --home ~/other service install --name jobdeck-other",
)
@_name
@click.option("--slots", type=WHOLE, metavar="N", help="As serve has it; without it the config says.")
@click.option("--metrics", metavar="[HOST:]PORT", help="As serve has it.")
@click.option("--no-start", is_flag=True, help="Write it only.")
@click.option("--replace", "replacing", is_flag=True, help="Overwrite a unit that was not written by this.")
@click.option("--dry-run", is_flag=True, help="Only print the unit.")
@click.pass_obj
def install(
    desk: Desk, name: str, slots: int | None, metrics: str | None, no_start: bool, replacing: bool, dry_run: bool
) -> None:
    """Write the unit, enable it and start it; done again, it takes over what has changed.

    It runs as you, with the search path that this command has. Without a login it needs: loginctl enable-linger
    """
    options: list[str] = []
    if slots is not None:
        Limits(slots)
        options += ["--slots", str(slots)]
    if metrics is not None:
        from console.metrics.server import address_of

        address_of(metrics)
        options += ["--metrics", metrics]
    path, text = unit_path(name), unit_text(desk.places, desk.config.grace, options)
    if dry_run:
        if desk.json:
            print_json({"unit": str(path), "text": text})
        elif sys.stdout is not None:
            sys.stdout.write(text)
        return
    before = _read(path)
    if before is not None and MARK not in before and not replacing:
        raise Refused(f"{path} is there and was not written by this; look at it, then --replace or --name another")
    changed = before != text
    if changed:
        _write(path, text)
    if not no_start:
        _ask(path, "daemon-reload")
        _ask(path, "enable", path.name)
        # What runs under an older unit goes on until it is restarted, which stops jobs: only when there is a reason.
        _ask(path, "restart" if changed else "start", path.name)
    if desk.json:
        print_json({"unit": str(path), "changed": changed, "started": not no_start})
        return
    line(plain(f"{path} {'written' if changed else 'is as it should be'}{'' if no_start else '; the service runs'}"))
    if no_start:
        aside(f"start it with: systemctl --user enable --now {path.name}")
    else:
        aside("it ends when you log out, unless: loginctl enable-linger")


@verb("status", "jobdeck service status", "jobdeck service status --json")
@_name
@click.pass_context
def status(ctx: click.Context, name: str) -> None:
    """Show whether the service is there, enabled and running; exit 1 when it does not run."""
    desk: Desk = ctx.obj
    path = unit_path(name)
    there = _read(path) is not None
    enabled = systemctl("is-enabled", path.name)[1] if there else "no"
    active = systemctl("is-active", path.name)[1] if there else "no"
    if desk.json:
        print_json({"unit": str(path), "there": there, "enabled": enabled, "active": active})
    elif not there:
        line(plain(f"there is no {path}; make it with: jobdeck service install"))
    else:
        print_facts([("unit", str(path)), ("enabled", enabled), ("active", active)])
    if active != "active":
        ctx.exit(NOT_RUNNING)


@verb("uninstall", "jobdeck service uninstall")
@_name
@click.pass_obj
def uninstall(desk: Desk, name: str) -> None:
    """Stop the service, which lets running jobs end within the grace time, and take its unit away; the store stays."""
    path = unit_path(name)
    before = _read(path)
    if before is None:
        raise NoSuchThing(f"there is no {path}")
    if MARK not in before:
        raise Refused(f"{path} was not written by jobdeck service install, so it stays")
    _ask(path, "disable", "--now", path.name)
    path.unlink()
    _ask(path, "daemon-reload")
    if desk.json:
        print_json({"removed": str(path)})
    else:
        line(plain(f"{path} removed; the store and its jobs are where they were"))


def _ask(path: Path, *arguments: str) -> None:
    code, words = systemctl(*arguments)
    if code:
        raise Trouble(f"systemctl --user {arguments[0]} failed for {path}: {words or f'exit {code}'}")


def _read(path: Path) -> str | None:
    try:
        return path.read_text(errors="replace")
    except FileNotFoundError:
        return None


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.part")
    draft.write_text(text)
    draft.replace(path)
