"""A function beside the command: begun at once, waited for when it is asked for."""

from __future__ import annotations

import os
import time

import psutil
import pytest

from curator._errors import InputError
from curator.engine.aside import aside


def where() -> int:
    """The process that runs it."""
    return os.getpid()


def fails() -> int:
    """What no command can use."""
    raise InputError("held-out.jsonl:3: no")


def sleeps() -> int:
    """For longer than anybody waits."""
    time.sleep(600)
    return 0


def test_it_runs_in_another_process_with_several_workers_and_here_with_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("curator.engine.aside.usable_cores", lambda: 2)
    with aside(where, 2) as found:
        assert found() == found() != os.getpid()
    with aside(where, 1) as found:
        assert found() == os.getpid()


@pytest.mark.parametrize("workers", [1, 2])
def test_its_error_is_raised_where_it_is_asked_for(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curator.engine.aside.usable_cores", lambda: 2)
    with aside(fails, workers) as found, pytest.raises(InputError, match=r"held-out\.jsonl:3: no"):
        found()


def test_nobody_waits_for_what_is_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curator.engine.aside.usable_cores", lambda: 2)
    with aside(sleeps, 2):
        children = {child.pid for child in psutil.Process().children()}
    left = [child for child in psutil.Process().children() if child.pid in children]
    # The tracker of multiprocessing stays.
    assert not any("spawn_main" in " ".join(child.cmdline()) for child in left)
