"""The store: opens the file, hands out transactions, and says whether anything has changed."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from core.gates import token
from core.refusals import Trouble
from store import sqlite
from store.keyfile import load_key
from store.opening import prepare
from store.views import Views

if TYPE_CHECKING:
    from store.work import Work

Now = Callable[[], datetime]


def wall_clock() -> datetime:
    """The present instant."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes on the disk."""

    file: int
    wal: int
    free: int
    """What of the file holds nothing now."""


class Store:
    """A jobdeck store. Not shared between threads: each thread opens its own, which is cheap."""

    def __init__(
        self,
        path: Path,
        key_path: Path | None = None,
        now: Now = wall_clock,
        ring: Callable[[], None] = lambda: None,
    ) -> None:
        self.path = path
        self.key_path = key_path or path.with_name("jobdeck.key")
        self._now = now
        self._ring = ring
        prepare(path)
        try:
            self._connection: Any = sqlite.connect(path)
            sqlite.take_short_turns(self._connection)
            self._seen = sqlite.data_version(self._connection)
        except sqlite.driver.Error as error:
            raise sqlite.explain(error, path) from error
        self._key: bytes | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    @contextmanager
    def write(self, actor: str, now: datetime | None = None) -> Iterator["Work"]:
        """One transaction that changes things: all of it is stored when the block ends, or none of it.

        Once it is stored, whoever waits for changes is rung up.
        """
        # Who only looks need not wait for all that can be done to a store.
        from store.work import Work

        begun = now or self._now()
        with self._transaction(sqlite.begin_write):
            yield Work(self._connection, begun, actor, self._token_key)
        self._ring()

    @contextmanager
    def read(self, now: datetime | None = None) -> Iterator[Views]:
        """One consistent look; keep it short, an open one keeps the log from being folded back."""
        with self._transaction(sqlite.begin_read):
            yield Views(self._connection, now or self._now(), "")

    @contextmanager
    def _transaction(self, begin: Callable[[Any], None]) -> Iterator[None]:
        try:
            begin(self._connection)
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                # A full disk or an I/O error has rolled back by itself already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        except sqlite.driver.Error as error:
            raise sqlite.explain(error, self.path) from error

    def shrink(self, most_pages: int = 200) -> bool:
        """Give a few free pages back to the disk and fold the log back; whether there is more to give.

        A tenth of the file stays free, since what comes next will fill it.
        """
        try:
            free, pages = sqlite.free_pages(self._connection)
            too_many = min(free - max(pages // 10, most_pages), most_pages)
            if too_many > 0:
                with self._transaction(sqlite.begin_write):
                    sqlite.give_back(self._connection, too_many)
            else:
                sqlite.fold_back(self._connection)
            return too_many > 0 and sqlite.free_pages(self._connection)[0] < free
        except sqlite.driver.Error as error:
            raise sqlite.explain(error, self.path) from error

    def sizes(self) -> Sizes:
        """How large the store is on the disk."""
        try:
            free, pages = sqlite.free_pages(self._connection)
            size = self.path.stat().st_size
            wal = self.path.with_name(self.path.name + "-wal")
            return Sizes(size, wal.stat().st_size if wal.exists() else 0, free * size // max(pages, 1))
        except sqlite.driver.Error as error:
            raise sqlite.explain(error, self.path) from error
        except OSError as error:
            raise Trouble(f"{self.path} can't be read: {(error.strerror or str(error)).lower()}") from error

    def compact(self) -> None:
        """Write the whole file anew, without what is free in it; nobody may work on it meanwhile."""
        try:
            sqlite.compact(self._connection)
        except sqlite.driver.Error as error:
            raise sqlite.explain(error, self.path) from error

    def changed(self) -> bool:
        """Whether another process or connection has committed since the last time this was asked."""
        try:
            version = sqlite.data_version(self._connection)
        except sqlite.driver.Error as error:
            raise sqlite.explain(error, self.path) from error
        changed, self._seen = version != self._seen, version
        return changed

    def token_of(self, approval_id: str) -> str:
        """The token that answers a gate, for someone who may read the key file."""
        return token(self._token_key(), approval_id)

    def _token_key(self) -> bytes:
        if self._key is None:
            self._key = load_key(self.key_path)
        return self._key


def identity(path: Path) -> str:
    """Which file it is, so that a copy of it is known for one."""
    try:
        facts = path.stat()
    except OSError as error:
        raise Trouble(f"{path} can't be read: {(error.strerror or str(error)).lower()}") from error
    return f"{facts.st_dev}:{facts.st_ino}"
