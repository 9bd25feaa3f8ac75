"""Processes that stay: made once each, in the order of the tasks, gone with their parent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from curator._errors import DependencyError, InputError
from curator.engine import actors as actors_module
from curator.engine.actors import LocalActors


@dataclass(frozen=True)
class Settings:
    """What a function is made by."""

    factor: int
    folder: str


def make(settings: Settings) -> Callable[[int], int]:
    """A function that multiplies; each making leaves a file."""
    (Path(settings.folder) / f"{settings.factor}-{os.getpid()}").touch()
    return partial(_times, settings.factor)


def _times(factor: int, number: int) -> int:
    if number < 0:
        raise InputError(f"rows.jsonl:{-number}: no")
    return factor * number


def dies() -> Callable[[int], int]:
    """A function that ends its process."""
    return _die


def _die(_number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return 0


def threads() -> Callable[[int], str]:
    """Says how many threads libraries may have."""
    return _threads


def _threads(_number: int) -> str:
    return os.environ["OMP_NUM_THREADS"]


def wakes(folder: str) -> Callable[[int], int]:
    """Leaves a file, sleeps, and leaves another."""
    return partial(_wakes, folder)


def _wakes(folder: str, number: int) -> int:
    if number:
        (Path(folder) / "slept").touch()
        time.sleep(60)
        (Path(folder) / "woke").touch()
    return number


def counts() -> Callable[[int], int]:
    """Takes tqdm's lock, and stays."""
    return _counts


def _counts(number: int) -> int:
    from tqdm import tqdm

    with tqdm.get_lock():
        return number


def test_a_function_is_made_once_a_process_and_results_are_in_order(tmp_path: Path) -> None:
    actors = LocalActors(2)
    for _ in range(2):
        found = list(actors.map_by_actors(partial(make, Settings(3, str(tmp_path))), range(20)))
        assert found == [3 * number for number in range(20)]
    assert list(actors.map_by_actors(partial(make, Settings(5, str(tmp_path))), [2])) == [10]
    actors.close()
    made = [path.name for path in tmp_path.iterdir()]
    # Two processes at most, whatever the number of calls.
    assert 1 <= sum(name.startswith("3-") for name in made) <= 2
    assert sum(name.startswith("5-") for name in made) == 1


def test_no_task_starts_no_process() -> None:
    actors = LocalActors(2)
    assert list(actors.map_by_actors(dies, [])) == []
    actors.close()


def test_the_first_error_is_raised_and_the_processes_go_on(tmp_path: Path) -> None:
    actors = LocalActors(2)
    seen = []
    with pytest.raises(InputError, match=r"rows\.jsonl:7: no"):
        for value in actors.map_by_actors(partial(make, Settings(2, str(tmp_path))), [1, 2, -7, 3, -8]):
            seen.append(value)
    assert seen == [2, 4]
    assert list(actors.map_by_actors(partial(make, Settings(2, str(tmp_path))), [4])) == [8]
    actors.close()


def test_a_process_that_dies_is_told_and_the_next_call_starts_anew(tmp_path: Path) -> None:
    actors = LocalActors(2)
    with pytest.raises(DependencyError, match="a worker process died"):
        list(actors.map_by_actors(dies, range(3)))
    assert list(actors.map_by_actors(partial(make, Settings(2, str(tmp_path))), [4])) == [8]
    actors.close()


def test_processes_share_the_cores() -> None:
    cores = len(os.sched_getaffinity(0))
    actors = LocalActors(2)
    assert list(actors.map_by_actors(threads, [1])) == [str(max(cores // 2, 1))]
    actors.close()


def test_tasks_that_are_added_meanwhile_are_done_too(tmp_path: Path) -> None:
    actors, tasks = LocalActors(2), [1]
    found = actors.map_by_actors(partial(make, Settings(2, str(tmp_path))), tasks)
    assert next(found) == 2
    tasks += [5, 7]
    assert list(found) == [10, 14]
    actors.close()


def test_an_interrupt_waits_for_no_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actors_module, "_GPU", tmp_path / "none")
    with pytest.raises(KeyboardInterrupt), actors_module.actors_for(2, 1 << 30) as actors:
        assert actors is not None
        found = actors.map_by_actors(partial(wakes, str(tmp_path)), [0, 1])
        assert next(found) == 0
        while not (tmp_path / "slept").exists():
            time.sleep(0.05)
        raise KeyboardInterrupt
    assert not (tmp_path / "woke").exists()


def test_nothing_is_told_of_locks_when_processes_are_ended_at_once() -> None:
    lines = (
        "from curator.engine.actors import LocalActors",
        "from test_local_actors import counts",
        "if __name__ == '__main__':",
        "    actors = LocalActors(2)",
        "    print(list(actors.map_by_actors(counts, range(6))))",
        "    actors.end()",
    )
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
        check=True,
    )
    assert (done.stdout, done.stderr) == ("[0, 1, 2, 3, 4, 5]\n", "")
