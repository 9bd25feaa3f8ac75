"""Several processes that read and measure parts of a file, for one that judges its rows in their order.

What depends on the rows before (duplicates), and what one process does best for all (embedding), is left to it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence

from curator.corpora.corpus import BadRow, Shard
from curator.corpora.document import Document
from curator.engine.local import map_in_order
from curator.gates.drop import Drop
from curator.pipeline.steps.chain import run_chain
from curator.pipeline.steps.step import Measured, Scores, Step
from curator.recipe.load import LoadedRecipe
from curator.select.pieces import Piece

ALONE = frozenset({"length", "licence", "random_text", "repetition", "language", "leakage", "personal_data"})
"""Steps that look at one text alone, and cost less than handing it over."""
Early = dict[str, Measured]
Read = BadRow | tuple[Document, Early]
StepsOf = Callable[[LoadedRecipe], Sequence[Step]]


def read_measured(
    shards: Sequence[Shard], loaded: LoadedRecipe, steps_of: StepsOf, workers: int
) -> Iterator[Read]:
    """Bad rows, and documents with what was measured of them already, in the order of the file.

    Args:
        shards: parts of a file.
        loaded: the recipe.
        steps_of: makes the chain of a recipe; a function at the top level of a module.
        workers: processes; with one, or one shard, nothing is measured beforehand.
    """
    if workers > 1 and len(shards) > 1:
        tasks = [(shard, loaded, steps_of) for shard in shards]
        for part in map_in_order(_measure_shard, tasks, workers):
            yield from part
        return
    for shard in shards:
        for record in shard.records():
            yield record if isinstance(record, BadRow) else (record, {})


def row_piece(document: Document) -> Piece:
    """The whole text of a row, by the name that duplicates of it are told."""
    return Piece(f"row {document.row}", document, 0, len(document.text))


def judge(steps: Sequence[Step], document: Document, early: Early) -> tuple[Piece, Scores, Drop | None]:
    """Ask the chain about a row, as `run_chain` does; what measured it already is not asked to measure again."""
    known = [
        dataclasses.replace(step, measure=_stored(early[step.name])) if step.name in early else step
        for step in steps
    ]
    return run_chain(known, row_piece(document))


def _stored(measured: Measured) -> Callable[[Piece], Measured]:
    return lambda _piece: measured


def _measure_shard(task: tuple[Shard, LoadedRecipe, StepsOf]) -> list[Read]:
    shard, loaded, steps_of = task
    steps = [step for step in _steps(loaded, steps_of) if step.name in ALONE]
    return [
        record if isinstance(record, BadRow) else (record, _early(record, steps)) for record in shard.records()
    ]


def _early(document: Document, steps: Sequence[Step]) -> Early:
    """What the steps measure, up to the first refusal."""
    piece = row_piece(document)
    found: Early = {}
    scores: Scores = {}
    for step in steps:
        if step.applies(document):
            found[step.name] = piece, measured = step.measure(piece)
            scores |= measured
            if step.decide(document, scores) is not None:
                break
    return found


_made: list[tuple[LoadedRecipe, Sequence[Step]]] = []


def _steps(loaded: LoadedRecipe, steps_of: StepsOf) -> Sequence[Step]:
    """The chain of this process: a worker has one recipe for all of its shards."""
    if not _made or _made[0][0] != loaded:
        _made[:] = [(loaded, steps_of(loaded))]
    return _made[0][1]
