"""Work over several processes: the order of the tasks, the first error, and a worker that dies."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from engine_functions import refuse_seven, square

from curator._errors import DependencyError, InputError
from curator.engine.local import map_in_order


def die(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def leave_a_file(task: tuple[str, int]) -> int:
    folder, number = task
    (Path(folder) / str(number)).touch()
    return number


@pytest.mark.parametrize("workers", [1, 2, 9])
def test_results_come_in_the_order_of_the_tasks(workers: int) -> None:
    assert list(map_in_order(square, range(12), workers)) == [number * number for number in range(12)]
    assert list(map_in_order(square, [], workers)) == []


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_error_of_the_order_is_raised_after_the_results_before_it(workers: int) -> None:
    seen = []
    with pytest.raises(InputError, match=r"rows\.jsonl:7: no"):
        for value in map_in_order(refuse_seven, range(20), workers):
            seen.append(value)
    assert seen == list(range(7))


def test_a_worker_that_is_killed_is_told() -> None:
    with pytest.raises(DependencyError, match="a worker process died"):
        list(map_in_order(die, range(3), 2))


def test_no_more_results_are_made_ahead_than_keep_the_workers_busy(tmp_path: Path) -> None:
    results = map_in_order(leave_a_file, [(str(tmp_path), number) for number in range(40)], 2)
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]
    # Five were handed out before the first was given; those that ran are among the first.
    assert {path.name for path in tmp_path.iterdir()} <= {str(number) for number in range(6)}
