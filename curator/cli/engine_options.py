"""Options that say where a verb's work runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from curator._progress import Narrator

if TYPE_CHECKING:
    from curator.engine.interface import Workers
    from curator.recipe.load import LoadedRecipe

EngineOption = Annotated[
    Literal["local", "ray"],
    typer.Option("--engine", help="What does the work: processes of this machine, or Ray."),
]
RayAddressOption = Annotated[
    str | None,
    typer.Option("--ray-address", help="Head of a running Ray cluster, or auto; Ray starts here when left out."),
]


@contextmanager
def engine_workers(
    engine: Literal["local", "ray"], address: str | None, workers: int | None, progress: Narrator
) -> Iterator[Workers]:
    """What does the work, until the verb's end; see `open_engine`."""
    from curator.engine.open import open_engine

    label = "start Ray" if address is None else f"join the Ray cluster at {address}"
    with ExitStack() as opened:
        with progress.bar(label, None) if engine == "ray" else nullcontext():
            found = opened.enter_context(open_engine(engine, address, workers))
        yield found


def check_sources(workers: Workers, loaded: LoadedRecipe) -> None:
    """Refuse, before any work, a cluster whose machines do not all have a recipe's sources.

    Raises:
        DependencyError: names the machine.
    """
    from curator.pipeline.source_state import sources_sha256

    _check(workers, partial(sources_sha256, loaded), f"sources of {loaded.path}")


def check_file(workers: Workers, path: Path) -> None:
    """Refuse, before any work, a cluster whose machines do not all have a file.

    Raises:
        DependencyError: names the machine.
    """
    _check(workers, partial(_size, path), f"file {path}")


def _check(workers: Workers, told: Callable[[], str], what: str) -> None:
    from curator.engine.interface import engine_of

    engine = engine_of(workers)
    if engine is not None:
        engine.same_everywhere(told, what)


def _size(path: Path) -> str:
    return str(path.stat().st_size)
