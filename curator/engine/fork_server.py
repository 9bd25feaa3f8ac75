"""A process that has imported a module, and forks for each run of it: ``python -m curator.engine.fork_server``.

Its arguments are the module and the process that it must not outlive. The module has ``preload()``, which imports
what a run needs and starts no thread that computes, and ``forked()``, which runs it by ``sys.argv`` and may expect
the memory, the signals and the streams of a process of its own. Orders come as lines of JSON, ``{"arguments",
"log"}``, each answered by one when its process has ended: ``{"code", "answer"}``, the last line that it printed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import tempfile
from typing import IO, Any

from curator.engine.parent import die_with_parent

_LOOK_SECONDS = 0.02
_TAIL = 1 << 16


def main() -> None:
    """Serve until there are no more orders."""
    name, parent = sys.argv[1], int(sys.argv[2])
    die_with_parent(parent)
    # What imports print is no answer.
    answers = os.dup(1)
    os.dup2(2, 1)
    module = importlib.import_module(name)
    module.preload()
    # Else a job's garbage collector writes to every object of ours, and so copies all memory that it shares.
    gc.collect()
    gc.freeze()
    server, on_interrupt = os.getpid(), signal.getsignal(signal.SIGINT)
    # Ctrl-C comes to the whole group: the job gets it, and whoever asked ends us.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while line := _line():
        order = json.loads(line)
        with tempfile.TemporaryFile() as printed:
            job = os.fork()
            if not job:
                die_with_parent(server)
                os.close(answers)
                signal.signal(signal.SIGINT, on_interrupt)
                _become(order, name, printed)
                module.forked()
                # The usual end of a process: what was to be done at exit is done.
                return
            code = _wait(job)
            if code is None:
                return
            os.write(answers, json.dumps({"code": code, "answer": _last_line(printed)}).encode() + b"\n")


def _line() -> bytes:
    """The next order, read byte by byte: what stands in a buffer would be the job's too."""
    line = bytearray()
    while byte := os.read(0, 1):
        if byte == b"\n":
            return bytes(line)
        line += byte
    return b""


def _become(order: dict[str, Any], name: str, printed: IO[bytes]) -> None:
    """Give this process, the job, streams and arguments of its own."""
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for given, number in ((nothing, 0), (printed.fileno(), 1), (log, 2)):
        os.dup2(given, number)
    sys.argv = [name, *order["arguments"]]


def _wait(job: int) -> int | None:
    """The job's exit code, minus the signal that ended it; ``None``: nobody asks any more, and it was ended."""
    while True:
        found, status = os.waitpid(job, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        # Nothing is sent while a job runs: what can be read is the end.
        if select.select([0], [], [], _LOOK_SECONDS)[0]:
            os.kill(job, signal.SIGKILL)
            os.waitpid(job, 0)
            return None


def _last_line(printed: IO[bytes]) -> str:
    printed.seek(max(printed.seek(0, os.SEEK_END) - _TAIL, 0))
    return printed.read().decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]


if __name__ == "__main__":
    main()
