"""Ray does what one process does: the same results in the same order, and one line when it cannot."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
import ray_functions as functions
from engine_functions import refuse_seven, square

from curator._errors import DependencyError, InputError, RecipeError
from curator.engine.interface import Need
from curator.engine.on_ray.engine import RayEngine
from curator.engine.on_ray.remote import Fault, Session, answered, value_of, versions

pytest.importorskip("ray", reason="the extra `ray` is not installed")
# Ray's own warnings of its own habits.
pytestmark = [pytest.mark.ray, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def engine() -> Iterator[RayEngine]:
    """Two slots for tasks on this machine; workers find the functions of these tests."""
    patches = pytest.MonkeyPatch()
    here = str(Path(__file__).parent)
    patches.setenv("PYTHONPATH", os.pathsep.join([here, os.environ.get("PYTHONPATH", "")]))
    started = RayEngine(None, 2)
    yield started
    started.close()
    patches.undo()


def test_tasks_actors_and_tables_give_what_one_process_gives(
    engine: RayEngine, capfd: pytest.CaptureFixture[str]
) -> None:
    squares = [number * number for number in range(8)]
    assert engine.workers == 2 and engine.gpus == 0
    assert list(engine.map_in_order(square, range(8))) == squares
    assert list(engine.map_in_order(square, [])) == []
    assert list(engine.map_by_actors(partial(functions.times, 3), range(8))) == [3 * n for n in range(8)]
    kept = engine.keep(square, range(8))
    rows = sorted(row for part in kept.shuffle(functions.emit, functions.reduce) for row in part)
    assert [key for key, _, _ in rows] == [-5, 0, 1, 2]
    assert rows[0][1:] == (squares, [])
    assert rows[2][1:] == ([1, 16, 49], [("words", [1]), ("words", [4]), ("words", [7])])
    assert kept.shuffle(functions.emit_nothing, functions.reduce) == []
    extras = [str(number) for number in range(8)]
    assert list(kept.map(functions.beside, extras)) == list(zip(squares, extras, strict=True))
    # Not a word of Ray's.
    assert capfd.readouterr() == ("", "")


@pytest.mark.full
def test_the_first_error_of_the_order_is_raised_after_the_results_before_it(engine: RayEngine) -> None:
    seen = []
    with pytest.raises(InputError, match=r"^rows\.jsonl:7: no$"):
        for value in engine.map_in_order(refuse_seven, range(20)):
            seen.append(value)
    assert seen == list(range(7))
    with pytest.raises(InputError, match=r"^rows\.jsonl:7: no$"):
        engine.keep(refuse_seven, range(12))
    with pytest.raises(RecipeError) as caught:
        list(engine.map_in_order(functions.refuse_recipe, [4]))
    assert caught.value.problems == ("a.yaml:1: one", "a.yaml:2: 4")
    with pytest.raises(FileNotFoundError) as missing:
        list(engine.map_in_order(functions.read, ["nowhere.txt"]))
    assert missing.value.filename == "nowhere.txt"
    with pytest.raises(ZeroDivisionError):
        list(engine.map_in_order(functions.fault_of_ours, [1]))


@pytest.mark.full
def test_a_worker_that_dies_is_replaced(
    engine: RayEngine, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    tasks = [(str(tmp_path), number) for number in range(6)]
    assert list(engine.map_in_order(functions.square_or_die, tasks)) == [0, 1, 4, 9, 16, 25]
    (tmp_path / "died").unlink()
    kept = engine.keep(functions.square_or_die, tasks)
    assert (tmp_path / "died").exists()
    assert [part for part, _ in kept.map(functions.beside, [""] * 6)] == [0, 1, 4, 9, 16, 25]
    assert capfd.readouterr() == ("", "")


@pytest.mark.full
def test_a_task_that_kills_every_worker_is_told(engine: RayEngine) -> None:
    with pytest.raises(DependencyError, match=r"lost a worker or a node 4 times for one task"):
        list(engine.map_in_order(functions.always_dies, [1]))
    with pytest.raises(DependencyError, match=r"lost a worker or a node 4 times for one task"):
        engine.keep(functions.always_dies, [1])


@pytest.mark.full
def test_what_no_machine_can_do_is_told_at_once(engine: RayEngine) -> None:
    with pytest.raises(DependencyError, match="no node of the Ray cluster has 1 cores and 1 GPUs"):
        list(engine.map_in_order(square, [1], Need(1, 1)))


def test_errors_are_the_same_after_a_journey() -> None:
    assert isinstance(Fault("RefusedError", "no").error(), Exception)
    here = Session(os.getcwd(), "node", versions())
    value, fault = answered(here, refuse_seven, 9)
    assert value is None
    with pytest.raises(InputError, match=r"^rows\.jsonl:9: no$"):
        value_of((value, fault))
    other = Session(os.getcwd(), "node", "curate 0.0.1 on Python 3.11")
    _, fault = answered(other, square, 9)
    assert fault is not None and fault.kind == "DependencyError"
    assert "install the same on every node" in fault.words
