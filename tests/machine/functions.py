"""What python jobs call in these tests; copied to where they run, in interpreters that may be as old as 3.8."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from typing import Any

NEIGHBOURS = "bell clocks leadlock logfile loop processes procfs python_job switchboard waiter wire"


def echo(job: Any) -> Any:
    given = {"params": job.params, "id": job.id, "key": job.key, "type": job.type, "attempt": job.attempt}
    return {**given, "version": list(sys.version_info[:2]), "name": __name__}


def size(job: Any) -> int:
    return len(job.params["text"])


def neighbours(_: Any) -> Any:
    found = []
    for name in (*NEIGHBOURS.split(), "core", "store", "console"):
        try:
            found.append(importlib.import_module(name).__file__)
        except ImportError:
            continue
    return {"found": found, "path": sys.path[0]}


def everything(job: Any) -> None:
    job.progress(40, "4 of 10")
    job.heartbeat()
    job.artifact("out.pdf")
    seen = job.checkpoint
    job.checkpoint = {"seen": seen, "text": "\u65e5\u672c"}
    if job.attempt == 1:
        sys.exit(3)
    job.commit({"again": job.checkpoint})
    raise ValueError("too late to fail")


def _end_is_heard() -> bool:
    return signal.getsignal(signal.SIGTERM) == signal.SIG_DFL


def gated(job: Any) -> None:
    print("before")
    try:
        job.gate("deploy", "Deploy?")
    finally:
        print("cleaned up")
    print("behind", _end_is_heard())


def gated_in_a_thread(job: Any) -> None:
    def ask() -> None:
        job.gate("deploy", "Deploy?")
        print("behind")

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()


def refused_gate(job: Any) -> None:
    job.commit()
    try:
        job.gate("deploy")
    except Exception as error:
        print(error, _end_is_heard())


def fails(job: Any) -> None:
    job.fail("no such day\nin the calendar", retryable=False)
    print("not reached")


def fails_retryably(job: Any) -> None:
    job.fail("try again", retryable=True)


def raises(_: Any) -> None:
    raise RuntimeError("first line\nsecond \x1b[31mline")


def leaves(job: Any) -> None:
    sys.exit(job.params["code"])


def returns_what_is_no_json(_: Any) -> Any:
    return {1, 2}


def returns_much(job: Any) -> str:
    return "x" * int(job.params["length"])


def returns_nothing(_: Any) -> None:
    pass


def large_checkpoint(job: Any) -> int:
    job.checkpoint = "\u0436" * (job.params["bytes"] // 2 - 1)
    return len(job.checkpoint)


def odd_text(job: Any) -> str:
    try:
        job.checkpoint = "\ud800"
    except Exception as error:
        return str(error)
    return "it was taken"


def interrupted(job: Any) -> Any:
    """While the engine stands still, an alarm ends the wait for its answer."""

    class Alarm(Exception):
        pass

    def ring(*_: object) -> None:
        raise Alarm

    signal.signal(signal.SIGALRM, ring)
    os.kill(os.getppid(), signal.SIGSTOP)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        job.checkpoint = "first"
    except Alarm:
        pass
    finally:
        os.kill(os.getppid(), signal.SIGCONT)
    return job.checkpoint


def waits(job: Any) -> None:
    print("ready", flush=True)
    while not os.path.exists("go"):
        pass
    job.progress(50)
    print("not reached")
