"""What the jobs of the crash tests run: `python -I -S actor.py DIRECTORY STEP…`, small, because it is started so often.

Each process writes down what it does and what it was told, and holds a lock of its job's key as long as anything of it
lives; whoever finds that taken has found two executions of one job alive at once.
"""

from __future__ import annotations

import _socket
import fcntl
import os
import sys
import time

KEY = os.environ["JOBDECK_JOB_KEY"]
EXECUTION = os.environ["JOBDECK_EXEC_ID"]


def note(ledger: str, what: str) -> None:
    """Write one line down, whole."""
    descriptor = os.open(ledger, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(descriptor, f"{what} {KEY} {EXECUTION}\n".encode())
    os.close(descriptor)


def say(word: str, more: str = "") -> str:
    """Say a word to the engine; its answer, which is empty when there is none any more."""
    try:
        line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        # By a short name: the kernel takes no long ones.
        os.chdir(os.environ["JOBDECK_RUN"])
        line.connect("engine.sock")
        secret = os.environ["JOBDECK_SECRET"]
        line.send(f'{{"exec_id": "{EXECUTION}", "secret": "{secret}", "word": "{word}"{more}}}\n'.encode())
        return line.recv(65536).decode()
    except OSError:
        return ""


def told(answer: str) -> str:
    """The answer, if it is one that lets the job go on; otherwise the job ends here."""
    if not answer:
        sys.exit(75)
    if '"error"' in answer:
        sys.exit(76)
    return answer


def descend(emigrate: bool) -> None:
    """A child with a child of its own, one of them in a session of its own if that is wanted."""
    children = []
    for _ in range(2):
        child = os.fork()
        if child == 0:
            if emigrate:
                os.setsid()
            if os.fork() == 0:
                time.sleep(0.03)
            else:
                os.wait()
            os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def act(ledger: str, step: str) -> None:
    """One step of the job."""
    name, _, value = step.partition("=")
    if name == "sleep":
        time.sleep(float(value))
    elif name == "exit":
        note(ledger, "end")
        sys.exit(int(value))
    elif name in ("tree", "emigrants"):
        descend(name == "emigrants")
    elif name == "effect":
        note(ledger, "effect")
    elif name == "commit":
        told(say("commit", ', "result": 1'))
        note(ledger, "committed")
    elif name == "checkpoint":
        kept = "null" not in told(say("checkpoint"))
        note(ledger, "saw-it" if kept else "saw-none")
        if not kept:
            told(say("checkpoint", ', "value": 1'))
            note(ledger, "kept")
            sys.exit(1)
    elif name == "gate":
        if "true" not in told(say("gate", ', "name": "g", "message": "?"')):
            note(ledger, "stopped")
            time.sleep(60)
        note(ledger, "passed")
    else:
        raise ValueError(step)


def main(directory: str, steps: list[str]) -> None:
    """Play the job's part."""
    ledger = f"{directory}/ledger"
    lock = os.open(f"{directory}/{KEY}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        note(ledger, "overlap")
    note(ledger, "begin")
    for step in steps:
        act(ledger, step)
    note(ledger, "end")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
