"""Real processes: each in a session of its own, its output in its log, its whole tree ended when it is to end."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

from core.jobs import Execution
from core.machine import logfile
from core.machine.procfs import Stat, boot_id, marked_for, processes, started
from core.ports import Spawn

_KILL_LOOKS = 8
"""How often one call looks for more; a tree that still grows then is met again by the next call."""

OnExit = Callable[[int], None]
"""Given a descriptor that becomes readable when a process ends, and has to be closed."""


class Tree:
    """What runs for one execution: the first process, its session, and whoever carries its mark."""

    def __init__(self, exec_id: str, pid: int, pid_started: int | None, boot: str) -> None:
        self._exec_id = exec_id
        self.pid = pid
        self._pid_started = pid_started
        self.boot_id = boot

    @property
    def pid_started(self) -> int:
        """When its first process started; read when it is first asked for."""
        if self._pid_started is None:
            self._pid_started = started(self.pid) or 0
        return self._pid_started

    def members(self) -> list[Stat]:
        """The processes of the tree; one look at every process of the machine."""
        # A session whose number was given to another process since is that one's.
        session = self.pid if started(self.pid) in (None, self.pid_started) else None
        return [
            stat
            for stat in processes()
            if (stat.session == session and stat.started >= self.pid_started) or marked_for(stat.pid) == self._exec_id
        ]

    def terminate(self) -> None:
        """Ask the whole tree to end."""
        _send(signal.SIGTERM, self.members())

    def kill(self) -> None:
        """End the whole tree, and what it starts meanwhile; whoever slips away is met by the next call."""
        told: set[tuple[int, int]] = set()
        for _ in range(_KILL_LOOKS):
            missed = [one for one in self.members() if (one.pid, one.started) not in told]
            # A group is told all at once, so that no fork falls between a look and a signal.
            for group in {one.group for one in missed if one.session == self.pid}:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(group, signal.SIGKILL)
            _send(signal.SIGKILL, (one for one in missed if one.session != self.pid))
            told.update((one.pid, one.started) for one in missed)
            if not missed:
                break

    def gone(self) -> bool:
        """Whether nothing of it runs any more."""
        return not self.members()

    def exited(self) -> int | None:
        """An orphan's return code is nobody's to know."""
        return None

    def tend(self) -> None:
        """An orphan's log is left as it is."""


class Child(Tree):
    """A tree whose first process this engine has started itself."""

    def __init__(self, spawn: Spawn, child: "subprocess.Popen[bytes]") -> None:
        # To look at a process that is just being loaded would mean to wait for that.
        super().__init__(spawn.exec_id, child.pid, None, boot_id())
        self._log_path = spawn.log_path
        self._log_limit = spawn.log_limit
        self._child = child
        self._signalled = False
        self._gone = False

    def exited(self) -> int | None:
        """Its return code, negative for a signal; None while it runs."""
        if self._child.returncode is None:
            # Once its end is read off, its number may become another one's.
            _ = self.pid_started
        return self._child.poll()

    def gone(self) -> bool:
        """Whether nothing of its tree runs any more."""
        if self._gone or self._child.returncode is None:
            return self._gone
        # A tree that ended by itself is looked for by its group alone, which costs nothing; whoever has left the group
        # on purpose may stay. One that was told to end must be gone with all that it started.
        self._gone = super().gone() if self._signalled else not _group_lives(self.pid)
        return self._gone

    def tend(self) -> None:
        """Keep its log within its limit."""
        logfile.trim(self._log_path, self._log_limit, self.members)

    def terminate(self) -> None:
        """Ask the whole tree to end, each once: to some a second request means something else."""
        self._signalled = True
        if self._child.returncode is not None:
            super().terminate()
            return
        # All of the group at once, so that none slips away by a fork; nobody else can have its number while the end of
        # its first process was not read off.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGTERM)
        _send(signal.SIGTERM, (stat for stat in self.members() if stat.group != self.pid))

    def kill(self) -> None:
        """End the whole tree, and what it starts while it is being ended."""
        self._signalled = True
        super().kill()


class Processes:
    """Starts processes, and finds those that an earlier engine has left."""

    def __init__(self, watch: OnExit = os.close) -> None:
        self._watch = watch
        # An engine may run in a job of another; what that was given is not its own jobs'.
        self._environment = {name: value for name, value in os.environ.items() if name != "JOBDECK_PARAMS"}

    def spawn(self, spawn: Spawn) -> Child:
        """Start a process in a session of its own; an OSError says why it can't be started."""
        log = logfile.create(spawn.log_path)
        try:
            child = subprocess.Popen(
                spawn.argv,
                cwd=spawn.cwd,
                env={**self._environment, **spawn.env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        except ValueError as error:
            raise OSError(f"{spawn.argv[0]!r} can't be given what it is to be started with: {error}") from error
        finally:
            os.close(log)
        started_child = Child(spawn, child)
        try:
            self._watch(os.pidfd_open(child.pid))
        except OSError:
            # Told as never started, it may not go on. There may be no descriptor left to look at others with.
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            raise
        return started_child

    def leftovers(self, executions: Sequence[Execution]) -> Sequence[Tree]:
        """What still runs for these executions: found by what was noted, and by its mark."""
        here = boot_id()
        noted = {
            one.exec_id: one.pid
            for one in executions
            if one.pid is not None and one.boot_id == here and started(one.pid) == one.pid_started
        }
        wanted = {one.exec_id for one in executions}
        for stat in processes():
            exec_id = marked_for(stat.pid)
            if exec_id in wanted:
                noted.setdefault(exec_id, stat.session)
        return [Tree(exec_id, pid, started(pid) or 0, here) for exec_id, pid in noted.items()]


def _send(number: signal.Signals, members: Iterable[Stat]) -> None:
    for stat in members:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(stat.pid, number)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    # Those that ended still count there until they are read off, which in a container perhaps nobody does.
    return any(stat.group == group for stat in processes())
