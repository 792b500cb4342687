"""`doctor`: the store checked against every rule it promises to keep."""

import click

from console.cli.desk import Desk
from console.cli.jsonout import print_json
from console.cli.options import verb
from console.cli.output import GREEN, RED, counted, line, painted
from console.cli.tables import print_facts
from console.plain import plain
from core.refusals import NoSuchThing

FOUND_SOMETHING = 1


@verb("doctor", "jobdeck doctor", "jobdeck doctor --json")
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Check the store: its files, every row, every rule. It changes nothing; exit 1 when something is wrong."""
    desk: Desk = ctx.obj
    from store.doctor import examine

    places = desk.places
    if not places.db.exists():
        raise NoSuchThing(f"there is no store at {places.db}; the first job makes it: jobdeck submit -- echo hello")
    report = examine(places.db, places.key, places.home)
    findings = [{"where": finding.subject, "what": finding.words} for finding in report.findings]
    if desk.json:
        print_json({"healthy": report.healthy, "facts": report.facts, "findings": findings})
    else:
        print_facts((name.replace("_", " "), str(value)) for name, value in report.facts.items())
        line()
        for finding in findings:
            line(painted(plain(f"{finding['where']}: {finding['what']}"), RED))
        line(painted("all is well", GREEN) if report.healthy else counted(len(findings), "finding"))
    if not report.healthy:
        ctx.exit(FOUND_SOMETHING)
