"""What the demo's jobs do: print, tell their progress, fail now and then, ask. They run as python jobs."""

import random
import time

GREEN, YELLOW, RED, DIM, PLAIN = "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[2m", "\x1b[0m"


def steady(job):  # type: ignore[no-untyped-def]
    """Work through a number of parts, telling how far it has come."""
    parts, seconds, noun = job.params["parts"], job.params["seconds"], job.params["noun"]
    begun = (job.checkpoint or {}).get("done", 0)
    if begun:
        print(f"{DIM}going on after part {begun}{PLAIN}", flush=True)
    for part in range(begun, parts):
        time.sleep(seconds / parts)
        done = part + 1
        print(f"{GREEN}✓{PLAIN} {noun} {done} of {parts}", flush=True)
        job.progress(100 * done / parts, f"{noun} {done} of {parts}")
        if done % 5 == 0:
            job.checkpoint = {"done": done}
    return {noun: parts}


def flaky(job):  # type: ignore[no-untyped-def]
    """Talk to something that is not always there; the last attempts are luckier."""
    print("connecting to the other side …", flush=True)
    time.sleep(job.params["seconds"])
    if random.random() < job.params["luck"] ** job.attempt:  # noqa: S311 - luck, not a secret
        print(f"{RED}connection reset by peer{PLAIN}", flush=True)
        job.fail("connection reset by peer", retryable=True)
    print(f"{GREEN}synchronised{PLAIN}", flush=True)


def deploy(job):  # type: ignore[no-untyped-def]
    """Build, ask, ship."""
    print(f"building {job.params['what']}", flush=True)
    for part in range(5):
        time.sleep(job.params["seconds"] / 5)
        job.progress(15 * (part + 1), f"building, step {part + 1} of 5")
    job.gate("ship", f"ship {job.params['what']} to production?")
    job.progress(80, "shipping")
    time.sleep(2)
    job.commit({"shipped": job.params["what"]})
    print(f"{GREEN}shipped{PLAIN}", flush=True)


def hopeless(job):  # type: ignore[no-untyped-def]
    """Find out that the input is broken."""
    time.sleep(job.params["seconds"])
    print(f"{RED}row 1,337: not a date: '31 February'{PLAIN}", flush=True)
    job.fail("row 1,337: not a date: '31 February'", retryable=False)
