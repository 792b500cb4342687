"""`metrics`: what a monitor wants to know, once."""

import sys

import click

from console.cli.desk import Desk
from console.cli.jsonout import print_json
from console.cli.options import verb


@verb("metrics", "jobdeck metrics", "jobdeck metrics > /var/lib/node_exporter/jobdeck.prom")
@click.pass_obj
def metrics(desk: Desk) -> None:
    """Print what a monitor wants to know, in Prometheus' text format; what has ended is counted for the last hour.

    serve --metrics 9464 answers the same at http://127.0.0.1:9464/metrics, and counts on.
    """
    from console.metrics.collecting import BACK, Collector

    with desk.store() as store:
        text = Collector(store, desk.clock, desk.config.lease, BACK).text()
    if desk.json:
        print_json(text.splitlines())
    elif sys.stdout is not None:
        sys.stdout.write(text)
