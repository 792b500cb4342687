"""What a running job says to its engine, checked and carried out: progress, checkpoint, gate, commit and the like."""

import hmac
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from core.classify import ErrorType, Said
from core.engine.run import Cause, Run
from core.jobs import Json
from core.jsontext import check_text
from core.refusals import BadInput, Fenced
from core.store_ports import StoreWork
from core.when import parse_duration

MESSAGE_LIMIT = 4000

Answer = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Word:
    """One thing said by a process, and the way back to it."""

    exec_id: str
    secret: str
    name: str
    said: Mapping[str, Json]
    reply: Callable[[Answer], None]


def known(word: Word, runs: Mapping[str, Run]) -> Run:
    """The run that speaks, once it has proved itself; one that is no longer ours is told that it is fenced."""
    run = runs.get(word.exec_id)
    if run is None or not hmac.compare_digest(run.secret.encode(), word.secret.encode("utf-8", "replace")):
        raise Fenced("this execution has ended or belongs to another engine; nothing it says counts any more")
    if run.cause is Cause.LOST:
        raise Fenced(f"job {run.claim.job.id}: this execution has lost its lease; nothing it says counts any more")
    return run


def at_once(word: Word, run: Run) -> Answer | None:
    """The answer to a word that needs no transaction; None when it needs one."""
    match word.name:
        case "heartbeat":
            return {}
        case "progress":
            share = word.said.get("share")
            if share is not None and (isinstance(share, bool) or not isinstance(share, int | float)):
                raise BadInput("progress is a number from 0 to 100")
            if share is not None and not 0 <= share <= 100:
                raise BadInput(f"progress goes from 0 to 100, not {share}")
            text = _text(word, "message", 500, empty=True)
            run.news = (run.news[0] if share is None and run.news else share, text)
            return {}
        case "params":
            return {"params": {**run.type.params, **run.claim.job.params}}
        case "fail":
            kind = word.said.get("error_type")
            if kind not in (None, ErrorType.RETRYABLE, ErrorType.TERMINAL):
                raise BadInput("a failure is RETRYABLE or TERMINAL")
            message = _text(word, "message", MESSAGE_LIMIT, empty=True) or ""
            run.said = Said(message, None if kind is None else ErrorType(kind))
            return {}
    return None


def carried_out(word: Word, run: Run, work: StoreWork, owner: str, now: datetime) -> Answer:
    """The answer to a word that changes the store."""
    match word.name:
        case "checkpoint":
            if "value" in word.said:
                work.checkpoint(run.exec_id, owner, word.said["value"])
                return {}
            return {"checkpoint": work.job(run.claim.job.id).checkpoint}
        case "commit":
            work.commit(run.exec_id, owner, word.said.get("result"))
            return {}
        case "artifact":
            work.add_artifact(run.exec_id, owner, _text(word, "path", 4096) or "")
            return {}
        case "gate":
            return _gate(word, run, work, owner, now)
    raise BadInput(f"a job can't say {word.name[:40]!r}")


def _gate(word: Word, run: Run, work: StoreWork, owner: str, now: datetime) -> Answer:
    name = _text(word, "name", 100) or ""
    message = _text(word, "message", MESSAGE_LIMIT, lines=True) or ""
    expires = _text(word, "expires", 60)
    asked = work.request_gate(
        run.exec_id,
        owner,
        name,
        message,
        four_eyes=word.said.get("four_eyes") is True,
        expires_at=None if expires is None else now + parse_duration(expires),
    )
    return {"granted": asked is None}


def _text(word: Word, name: str, limit: int, *, empty: bool = False, lines: bool = False) -> str | None:
    value = word.said.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise BadInput(f"{word.name}: {name} must be text")
    return check_text(value, f"{word.name}: {name}", limit, allow_empty=empty, allow_newlines=lines)
