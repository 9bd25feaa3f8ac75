"""`curate sift FILE`: the gates of a recipe over the rows of a file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

from curator._errors import InputError
from curator._files import atomic_write
from curator._outputs import refuse_unwritable
from curator.cli.engine_options import check_file
from curator.cli.sift_output import SiftOutput
from curator.corpora.rows.records import Mended
from curator.engine.interface import Workers
from curator.pipeline.score_summary import ScoreSummary
from curator.pipeline.sift import Sifted, Sifter, open_rows
from curator.pipeline.sift_lines import RowLines
from curator.pipeline.sift_recipe import ANY_TASK, default_recipe
from curator.recipe.load import LoadedRecipe, find_recipe, load_recipe


@dataclass(frozen=True, slots=True)
class RowOptions:
    """What the command line says of a file.

    Attributes:
        recipe: the recipe's name or path; ``None`` for the defaults.
        overrides: ``--set`` options.
        text: column of the text.
        task: task of rows that do not say theirs.
        keep: file for the kept rows.
        workers: processes, or an engine.
    """

    recipe: str | None
    overrides: Sequence[str]
    text: str | None
    task: str | None
    keep: Path | None
    workers: Workers


def sift_rows(path: Path, options: RowOptions, output: SiftOutput) -> dict[str, Any]:
    """Sift a file.

    Returns:
        The summary, as `print_sift` takes it.

    Raises:
        InputError: the recipe or the file cannot be used.
    """
    loaded = _recipe(options)
    _refuse_keep(options.keep, path)
    corpus = open_rows(path, options.text, options.task or _only_task(loaded), options.workers)
    check_file(options.workers, path)
    for note in corpus.notes:
        output.say(note)
    sifter, summary, mended = Sifter(loaded, output.say), ScoreSummary(loaded.recipe), 0
    bar = output.progress.bar(f"sift {path.name}", None)
    with RowLines(path) as lines, _kept(options.keep) as kept, bar as advance:
        for found in sifter.sift(corpus, options.workers):
            if isinstance(found, Mended):
                mended += 1
                continue
            named = replace(found, id=lines.id(found))
            summary.add(_findable(named))
            output.row(_line(named))
            if kept is not None and found.keep:
                kept.write(lines.line(found))
            advance(1)
    leakage = sifter.leakage()
    told = [f"rows with broken characters, mended and judged: {mended:,}"] if mended else []
    document = {"name": path.name, **summary.document(), "warnings": [*told, *leakage.warnings]}
    return {**document, "leakage": leakage.hits} if leakage.hits else document


def _findable(found: Sifted) -> Sifted:
    """A row without an id, by its number, as duplicates of it name it."""
    return replace(found, id=f"row {found.row}") if found.id is None and found.row else found


def _recipe(options: RowOptions) -> LoadedRecipe:
    if options.recipe is None:
        return default_recipe(options.overrides)
    return load_recipe(find_recipe(options.recipe), options.overrides)


def _only_task(loaded: LoadedRecipe) -> str:
    """What the recipe is for, where that is one thing."""
    tasks = list(loaded.recipe.target.tasks)
    return tasks[0] if len(tasks) == 1 else ANY_TASK


def _refuse_keep(keep: Path | None, path: Path) -> None:
    if keep is None:
        return
    if keep.is_dir():
        raise InputError(f"--keep {keep}: is a folder; name a file")
    if keep.exists() and path.exists() and keep.samefile(path):
        raise InputError(f"--keep {keep}: is the file that is sifted; name another")
    refuse_unwritable(keep)


@contextlib.contextmanager
def _kept(path: Path | None) -> Iterator[BinaryIO | None]:
    if path is None:
        yield None
        return
    with atomic_write(path) as handle:
        yield handle


def _line(found: Sifted) -> dict[str, Any]:
    return {
        "row": found.row,
        **({} if found.id is None else {"id": found.id}),
        "keep": found.keep,
        "reason": found.reason,
        "detail": found.detail,
        "language": found.language,
        "scores": dict(found.scores),
    }
