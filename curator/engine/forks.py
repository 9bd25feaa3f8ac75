"""Runs of one module in forks of a process that has imported it: seconds of imports once, not at every run."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

# What the bytes of a result must not hang on.
SAME_EVERY_TIME = {"PYTHONHASHSEED": "0", "TOKENIZERS_PARALLELISM": "false"}
_GLANCE_SECONDS = 0.5
_END_SECONDS = 5.0


class ForkServer:
    """Starts a fork server (fork_server.py) when it is first needed, and again when it has died.

    Args:
        module: what it runs.
        environment: variables that it and its jobs have beside ours.
    """

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self.module = module
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._messages: Any = None

    def start(self) -> None:
        """Begin to import, unless that has begun; returns at once."""
        if self._process is not None and self._process.poll() is None:
            return
        self.close()
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "curator.engine.fork_server", self.module, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            env={**os.environ, **SAME_EVERY_TIME, **self._environment},
        )

    def run(self, arguments: list[str], log: Path, look: Callable[[], None]) -> tuple[int, str]:
        """Run the module to its end.

        Args:
            arguments: its command line.
            log: file that takes its standard error; that of the server, where this died.
            look: called twice a second while it runs.

        Returns:
            Its exit code, minus the number of the signal that ended it, and the last line that it printed.
        """
        self.start()
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        try:
            # One that died meanwhile takes no orders; what it answers, nothing, says so.
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(json.dumps({"arguments": arguments, "log": str(log)}).encode() + b"\n")
                process.stdin.flush()
            while not select.select([process.stdout], [], [], _GLANCE_SECONDS)[0]:
                look()
            line = process.stdout.readline()
        except BaseException:
            # Also on Ctrl-C: a job left behind would go on writing into a folder that we are leaving.
            self.close()
            raise
        if line:
            answer = json.loads(line)
            return answer["code"], answer["answer"]
        code = process.wait()
        self._messages.seek(0)
        log.write_bytes(self._messages.read())
        self.close()
        return code or 1, ""

    def close(self) -> None:
        """End the server, and its job with it."""
        process, self._process = self._process, None
        if process is None:
            return
        for stream in (process.stdin, process.stdout):
            # A dead one's pipe cannot be flushed.
            with contextlib.suppress(OSError):
                stream.close()  # type: ignore[union-attr]
        try:
            # It ends its job first, which on Linux alone would die with it.
            process.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            # It is still importing, or stuck.
            process.kill()
            process.wait()
        self._messages.close()


_kept: ContextVar[ForkServer | None] = ContextVar("kept", default=None)


@contextlib.contextmanager
def kept(module: str, environment: Mapping[str, str]) -> Iterator[ForkServer]:
    """Within it, what `child.run_module` runs of a module are forks of one process.

    Args:
        module: as in fork_server.py.
        environment: variables that its runs have beside ours, which must be the same for all.
    """
    server = ForkServer(module, environment)
    token = _kept.set(server)
    try:
        yield server
    finally:
        _kept.reset(token)
        server.close()


def kept_for(module: str) -> ForkServer | None:
    """The server that is kept for a module, if one is."""
    server = _kept.get()
    return server if server is not None and server.module == module else None
