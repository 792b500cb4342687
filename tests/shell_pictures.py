"""Pictures of the command line at work, made by running it."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.text import Text

COLUMNS, LINES = 100, 30

MORNING = """
submit --type backup --key db-main --tag env=prod --priority 5 -- pg_dump main
submit --type etl --key orders-2026-11-18 --tag env=prod --param day=2026-11-18 -- python load.py
submit --type etl --key orders-2026-11-17 --tag env=prod -- python load.py
submit --type deploy --key web --approval 'ship 4.2 to production?' --four-eyes -- ./deploy.sh web
submit --type report --key weekly --at 'tomorrow 6:00' -- make report
submit --type cleanup --hold -- find /tmp -mtime +7 -delete
submit --type deploy --key api --draft -- ./deploy.sh api
submit --type thumbnails --key batch-7 -- convert batch-7
cancel 8
retry 8
move 3 --top
template add nightly --type backup -- pg_dump main
schedule add nightly-backup --template nightly --cron '30 2 * * *' --timezone Europe/Paris
"""
"""A believable queue, verb by verb."""

PICTURES: dict[str, tuple[str, ...]] = {
    "list": ("list", "list --filter 'type:etl tag:env=prod'"),
    "job": ("show 2", "chain 8"),
    "schedules": (
        "schedule list",
        "schedule preview --cron '30 2 * * *' --timezone Europe/Paris --after 2027-03-27T00:00Z --count 3",
    ),
    "refusals": ("approve 1", "cancel 99", "move 2 --sideways", "list --filter 'statsu:failed'"),
    "status": ("status", "doctor"),
}


def jobdeck(home: Path, line: str) -> str:
    """What a verb prints on a terminal of that size, colours and all."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
    command = ["/bin/sh", "-c", f"exec {Path(sys.executable).parent / 'jobdeck'} {line}"]
    kept = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    environment = {**kept, "JOBDECK_HOME": str(home), "TERM": "xterm-256color", "TZ": "UTC", "COLUMNS": str(COLUMNS)}
    child = subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower, env=environment, cwd="/tmp")
    os.close(follower)
    chunks = []
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    os.close(leader)
    child.wait()
    return b"".join(chunks).decode().replace("\r\n", "\n")


def shell_pictures(directory: Path) -> Iterator[tuple[str, str]]:
    """Each picture's name and its SVG."""
    home = directory / "shell"
    for line in MORNING.strip().splitlines():
        jobdeck(home, line)
    for name, lines in PICTURES.items():
        console = Console(record=True, width=COLUMNS, file=StringIO(), force_terminal=True, color_system="truecolor")
        for line in lines:
            console.print(Text.assemble(("$ ", "bold green"), (f"jobdeck {line}", "bold")))
            console.print(Text.from_ansi(jobdeck(home, line).replace(str(home), "~/.local/share/jobdeck")))
        yield f"shell-{name}", console.export_svg(title="jobdeck", unique_id=f"jobdeck-{name}")
