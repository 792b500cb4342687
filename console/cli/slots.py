"""`slots`: how many jobs run at once, shown or changed while the engine runs."""

import click

from console.cli.desk import Desk
from console.cli.jsonout import print_json
from console.cli.options import verb
from console.cli.output import line
from console.typed import whole_number
from core.refusals import Refused


@verb("slots", "jobdeck slots", "jobdeck slots 4", "jobdeck slots default")
@click.argument("number", metavar="[N|default]", required=False)
@click.pass_obj
def slots(desk: Desk, number: str | None) -> None:
    """Show how many jobs run at once, or change it until the engine ends; `default` goes back to its own number."""
    with desk.store() as store:
        if number is not None:
            wanted = None if number == "default" else whole_number(number, "the number of slots")
            with store.write(desk.actor) as work:
                if work.leader() is None:
                    raise Refused("no engine runs, so there are no slots to change; see: jobdeck serve --slots")
                work.choose_slots(wanted)
            _tell(desk, wanted)
            return
        with store.read() as views:
            leader = views.leader()
            busy = views.usage().total
    total = None if leader is None else leader.limits.slots
    if desk.json:
        print_json({"slots": total, "busy": busy})
    elif total is None:
        line("no engine runs; start one with: jobdeck serve --slots N")
    else:
        line(f"{busy:,} of {total:,} slots are busy")


def _tell(desk: Desk, wanted: int | None) -> None:
    if desk.json:
        print_json({"slots": wanted})
    elif wanted is None:
        line("the engine goes back to its own number of slots")
    else:
        line(f"{wanted:,} {'slot' if wanted == 1 else 'slots'} from now on; what runs goes on")
