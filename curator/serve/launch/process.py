"""A server's processes, from the command to the end of the last of them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import requests

from curator._errors import ServerError
from curator._progress import Narrator
from curator.models.embedded import cache_folder
from curator.serve.http import Connection
from curator.serve.launch.log import GrowingLog, error_in, is_consequence, last_error, phase_of, size, tail
from curator.serve.launch.port import LOOPBACK, HeldPort

_GRACE_SECONDS, _LOOK_SECONDS, _HEALTH_SECONDS = 10.0, 0.5, 30.0
# After the grace the supervisor kills, which may take a while on a busy machine.
_STOP_SECONDS = _GRACE_SECONDS + 40.0
_MOST_ERRORS, _KEPT_LOGS = 20, 20


class ServerProcess:
    """A command that serves HTTP, started, watched and ended.

    Nothing of it outlives this process, however this one ends (see supervise.py).

    Args:
        command: interpreter and arguments; ``--port`` is among them.
        environment: variables that are added to ours.
        port: where it will listen; let go once it does.
        log: file that what it writes is appended to.
        tell: called with a line for the user, also from another thread.

    Attributes:
        url: its address.
        log: the file.
    """

    def __init__(
        self,
        command: Sequence[str | Path],
        environment: Mapping[str, str],
        port: HeldPort,
        log: Path,
        tell: Callable[[str], None],
    ) -> None:
        self.url = f"http://{LOOPBACK}:{port.number}"
        self.log = log
        self._port = port
        self._tell = tell
        self._phase = "it starts"
        self._ended = threading.Event()
        self._until: int | None = None
        supervise = [sys.executable, "-P", "-m", "curator.serve.launch.supervise", str(_GRACE_SECONDS)]
        # Its own session: a Ctrl-C in the terminal is ours to act on, in the right order.
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            self._begin = size(log)
            self._process = subprocess.Popen(
                [*supervise, *command],
                stdin=subprocess.PIPE,
                stdout=stream,
                stderr=stream,
                env={**os.environ, **environment},
                start_new_session=True,
            )
        self._watch = threading.Thread(target=self._follow, daemon=True)
        self._watch.start()

    def wait_until_healthy(self, seconds: float, narrator: Narrator) -> None:
        """Wait for ``/health`` to answer 200, and say what is waited for.

        Raises:
            ServerError: the server ended, or is not ready after ``seconds``; with its own last words.
        """
        told, deadline = "", time.monotonic() + seconds
        narrator.say(f"the server's log: {self.log}")
        with narrator.bar("start the server", None):
            while not self._answers():
                gone = self.gone()
                if gone:
                    raise ServerError(gone)
                if time.monotonic() > deadline:
                    raise ServerError(
                        f"the server is not ready after {seconds:.0f} s: {self._phase}, its last words are "
                        f"{self._last_error()!r}; its log is {self.log}"
                    )
                if self._phase != told:
                    told = self._phase
                    narrator.say(f"waiting for the server: {told}")
                self._ended.wait(_LOOK_SECONDS)
        self._port.release()

    def gone(self) -> str | None:
        """That the server has ended and why, in words, or ``None``."""
        code = self._process.poll()
        if code is None:
            return None
        reason = self._last_error() or f"exit code {code}"
        # One that kills itself after an error has told it; a last line that is no error tells no cause.
        if code == 137 and not error_in(reason):
            reason = "killed, most likely out of memory"
        return f"the server ended ({reason}); its log is {self.log}"

    def stop(self) -> None:
        """End it and all that it started; returns when nothing of it is left."""
        # What a server writes while it is ended is not the user's concern.
        self._until = size(self.log)
        self._port.release()
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._ended.set()
        self._watch.join()

    def _last_error(self) -> str:
        return last_error(tail(self.log, self._begin))

    def _answers(self) -> bool:
        with closing(Connection(self.url, timeout=_HEALTH_SECONDS, tries=1, backoff=0.0)) as connection:
            try:
                return connection.health() == 200
            except requests.RequestException:
                return False

    def _follow(self) -> None:
        """Show the errors of the log as they come."""
        log, told = GrowingLog(self.log, self._begin), 0
        while True:
            ended = self._ended.wait(_LOOK_SECONDS)
            for line in log.new_lines(self._until):
                self._phase = phase_of(line) or self._phase
                error = error_in(line)
                if error and not is_consequence(error) and told <= _MOST_ERRORS:
                    told += 1
                    more = f"more errors are in {self.log}"
                    self._tell(f"server: {error}" if told <= _MOST_ERRORS else more)
            if ended:
                return


def log_file(named: Path | None) -> Path:
    """Where a server's log goes: the user's file, else a new one in the cache, which keeps the last 20."""
    if named is not None:
        named.parent.mkdir(parents=True, exist_ok=True)
        return named
    folder = cache_folder() / "server-logs"
    folder.mkdir(parents=True, exist_ok=True)
    old = sorted(folder.glob("sglang-*.log"), key=lambda file: file.stat().st_mtime)
    for file in old[: max(0, len(old) - _KEPT_LOGS + 1)]:
        file.unlink(missing_ok=True)
    return folder / f"sglang-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{time.monotonic_ns() % 1000:03}.log"
