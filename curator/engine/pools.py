"""How a process of a pool begins, and how a pool ends at once."""

from __future__ import annotations

import contextlib
import importlib
import signal
import threading
from concurrent.futures import ProcessPoolExecutor

from curator.engine.parent import die_with_parent


def begin(parent: int) -> None:
    """In a new process: end with process ``parent``, and leave Ctrl-C to it."""
    die_with_parent(parent)
    # It comes to all processes of a terminal.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The lock that tqdm shares with other processes would be told as leaked where this one is killed.
    with contextlib.suppress(ImportError):
        importlib.import_module("tqdm").tqdm.set_lock(threading.RLock())


def end_at_once(pool: ProcessPoolExecutor) -> None:
    """End the processes of a pool without waiting for what they do."""
    for process in list((pool._processes or {}).values()):
        process.kill()
    pool.shutdown(wait=True, cancel_futures=True)
