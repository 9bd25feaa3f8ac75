"""Functions that run on a cluster, for test_ray.py: workers import them by name."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from curator._errors import RecipeError
from curator.engine.interface import Columns
from curator.pipeline.sift import sift_steps
from curator.pipeline.steps.step import Step
from curator.recipe.load import LoadedRecipe
from curator.scores.scorer import Scorer

DYING = "CURATE_TEST_DYING"


def refuse_recipe(number: int) -> int:
    raise RecipeError(["a.yaml:1: one", f"a.yaml:2: {number}"])


def read(path: str) -> str:
    return Path(path).read_text()


def fault_of_ours(number: int) -> int:
    return number // 0


def node_words(number: int) -> str:
    return str(os.getpid())


def seen_gpus(number: int) -> str:
    """The GPUs that this process may use, by the variable that CUDA reads."""
    time.sleep(0.5)
    return os.environ.get("CUDA_VISIBLE_DEVICES", "all")


def gpus_of_actor() -> Callable[[int], tuple[int, str]]:
    def made(number: int) -> tuple[int, str]:
        return os.getpid(), seen_gpus(number)

    return made


def times(factor: int) -> Callable[[int], int]:
    def made(number: int) -> int:
        return factor * number

    return made


def beside() -> Callable[[int, str], tuple[int, str]]:
    def made(part: int, extra: str) -> tuple[int, str]:
        return part, extra

    return made


def emit(number: int, part: int) -> Columns:
    """Two rows a part: one by the rest of its number by 3, one that all share."""
    words = np.empty(2, object)
    words[:] = [("words", [number]), None]
    return {"key": np.array([number % 3, -5]), "part": np.array([part, part]), "words": words}


def emit_nothing(number: int, part: int) -> Columns:
    return {"key": np.empty(0, np.int64), "part": np.empty(0, np.int64)}


def reduce(rows: Columns) -> list[tuple[int, list[int], list[Any]]]:
    found = []
    for key in np.unique(rows["key"]).tolist():
        own = rows["key"] == key
        found.append((key, sorted(rows["part"][own].tolist()), sorted(w for w in rows["words"][own] if w)))
    return found


def die_once(marker: Path) -> None:
    """Kill this process, the first time that it is asked to."""
    try:
        marker.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


def square_or_die(task: tuple[str, int]) -> int:
    folder, number = task
    if number == 3:
        die_once(Path(folder) / "died")
    return number * number


def always_dies(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def slow_square(task: tuple[str, int]) -> int:
    folder, number = task
    (Path(folder) / f"began-{number}").touch()
    time.sleep(1.0)
    return number * number


def deadly_steps(loaded: LoadedRecipe, scorer: Scorer | None = None) -> list[Step]:
    """The chain of a recipe, made by processes of which one dies in each stage: every stage makes it once more."""
    folder = Path(os.environ[DYING])
    number = len(list(folder.glob("made-*")))
    (folder / f"made-{number}-{os.getpid()}").touch()
    if number in (1, 3, 5):
        die_once(folder / f"died-{number}")
    return sift_steps(loaded, scorer)
