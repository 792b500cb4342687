"""Where the engine is put together: the store, the config and this machine become a loop that can be run."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from console.clerk import Clerk
from console.home import Places
from console.housekeeping import housekeeping
from console.masking import hide, masked_json
from console.standing import Standing
from core.config import Config
from core.engine.events import Event
from core.engine.terms import Terms
from core.machine import python_job
from core.machine.lookup import resolved
from core.machine.loop import Loop, Place
from core.refusals import Trouble
from store.store import Store, identity


def terms_of(places: Places, config: Config) -> Terms:
    """The terms that an engine of this home works under."""
    return Terms(
        limits=config.limits(os.cpu_count() or 1 if config.slots is None else config.slots),
        type_named=config.type_named,
        logs=places.logs,
        python=sys.executable,
        python_job=str(Path(python_job.__file__)),
        lease=config.lease,
        grace=config.grace,
        log_limit=config.log_limit,
        targets=tuple(config.targets.values()),
        resolve=resolved,
        env={
            "JOBDECK_HOME": str(places.home),
            "JOBDECK_DB": str(places.db),
            "JOBDECK_RUN": str(places.run),
            "PATH": _path_with_jobdeck(),
        },
    )


def make_loop(
    places: Places,
    config: Config,
    tell: Callable[[Event], None],
    *,
    slots: int | None = None,
    until_idle: bool = False,
    stepped: Callable[[], None] = lambda: None,
    adopted: Callable[[Config], None] = lambda _: None,
) -> tuple[Loop, Store]:
    """A loop with a store of its own, both for the thread that is to run it; `adopted` hears of another config."""
    hide(config.secrets)
    standing = Standing(places.config, config, lambda kind, words: tell(Event(datetime.now(UTC), kind, words)))

    def news() -> Terms | None:
        found = standing.reread()
        if found is None:
            return None
        hide(found.secrets)
        adopted(found)
        return terms_of(places, found)

    store = Store(places.db)
    try:
        places.run.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        store.close()
        raise Trouble(f"{places.run} can't be made: {(error.strerror or str(error)).lower()}") from error
    place = Place(places.run, identity(places.db))
    loop = Loop(
        place,
        store,
        terms_of(places, config),
        tell,
        slots=slots,
        until_idle=until_idle,
        stepped=stepped,
        open_store=lambda: Store(places.db),
        conceal=lambda told: masked_json(told, inside=False),
        beside=lambda: _companions(places, lambda: standing.config, tell),
        news=news,
    )
    return loop, store


@contextmanager
def _companions(places: Places, config: Callable[[], Config], tell: Callable[[Event], None]) -> Iterator[None]:
    """Whatever goes on in this process as long as its engine leads."""
    with Clerk(places), housekeeping(places, config, tell):
        yield


def _path_with_jobdeck() -> str:
    """The search path of jobs, on which they find the command that talks to this engine."""
    ours = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", os.defpath)
    return path if ours in path.split(os.pathsep) else f"{path}{os.pathsep}{ours}"
