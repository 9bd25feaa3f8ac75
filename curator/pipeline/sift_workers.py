"""Several processes that read and measure parts of a file, for one that judges its rows in their order.

What depends on the rows before (duplicates), and what one process does best for all (embedding), is left to it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Protocol

from curator._errors import CurateError
from curator.corpora.corpus import BadRow, Shard
from curator.corpora.document import Document
from curator.engine.local import map_in_order
from curator.gates.language import UNDETERMINED, detect_language
from curator.pipeline.steps.chain import BATCH, Outcome, run_chains, split_chain
from curator.pipeline.steps.kinds import CODE, is_code
from curator.pipeline.steps.step import Step
from curator.recipe.load import LoadedRecipe
from curator.scores.scorer import Scorer
from curator.select.pieces import Piece

AHEAD = 4 * BATCH
"""Rows that steps which look at one text alone see together; others may embed, and nobody waits for so many."""
# Characters of them, so that rows of any length need bounded memory; one longer row is alone.
_CHARS = 1 << 20
Read = BadRow | tuple[Document, Outcome]


class StepsOf(Protocol):
    """Makes the chain of a recipe; a function at the top level of a module, so that workers can make it."""

    def __call__(self, loaded: LoadedRecipe, scorer: Scorer | None = None) -> Sequence[Step]:
        """The chain, which scores by a scorer of its own where none is given."""


def read_measured(
    shards: Sequence[Shard], steps: Sequence[Step], loaded: LoadedRecipe, steps_of: StepsOf, workers: int
) -> Iterator[list[Read]]:
    """Bad rows, and documents with what the steps that look at one text alone found, in the order of the file.

    Args:
        shards: parts of a file.
        steps: those that look at one text alone.
        loaded: the recipe that they are of, for workers to make them by.
        steps_of: makes that chain.
        workers: processes.

    Yields:
        At most `AHEAD` of them at a time.
    """
    if workers > 1 and len(shards) > 1:
        for parts in map_in_order(partial(measure_shard, loaded, steps_of), shards, workers):
            yield from parts
        return
    for shard in shards:
        for batch in _batches(shard.records()):
            yield _measured(batch, steps, loaded)


def _row_piece(document: Document) -> Piece:
    """The whole text of a row, by the name that duplicates of it are told."""
    return Piece(f"row {document.row}", document, 0, len(document.text))


def measure_shard(loaded: LoadedRecipe, steps_of: StepsOf, shard: Shard) -> list[list[Read]]:
    """What `read_measured` yields of one shard."""
    steps, _ = split_chain(steps_here(loaded, steps_of))
    return [_measured(batch, steps, loaded) for batch in _batches(shard.records())]


def _batches(records: Iterable[Document | BadRow]) -> Iterator[list[Document | BadRow]]:
    """What was read before a fault is handed on before the fault is."""
    batch: list[Document | BadRow] = []
    chars = 0
    try:
        for record in records:
            batch.append(record)
            chars += len(record.text) if isinstance(record, Document) else 0
            if len(batch) == AHEAD or chars >= _CHARS:
                yield batch
                batch, chars = [], 0
    except CurateError:
        yield batch
        raise
    yield batch


def _measured(batch: Sequence[Document | BadRow], steps: Sequence[Step], loaded: LoadedRecipe) -> list[Read]:
    documents = [record for record in batch if isinstance(record, Document)]
    outcomes = iter(run_chains(steps, [Outcome(_row_piece(document)) for document in documents]))
    return [
        (record, _with_language(next(outcomes), record, loaded)) if isinstance(record, Document) else record
        for record in batch
    ]


def _with_language(outcome: Outcome, document: Document, loaded: LoadedRecipe) -> Outcome:
    """Every row's language is told, also where no gate asked for it, or another one refused the row before."""
    if "language" in outcome.scores:
        return outcome
    found = document.language
    if found == UNDETERMINED:
        gate = loaded.recipe.gates.of(document.task).language
        found = (
            CODE if is_code(document) else detect_language(document.text, gate.detector if gate else "langdetect")
        )
    return dataclasses.replace(outcome, scores={**outcome.scores, "language": found})


_made: list[tuple[LoadedRecipe, Sequence[Step]]] = []


def steps_here(loaded: LoadedRecipe, steps_of: StepsOf) -> Sequence[Step]:
    """The chain of this process: a worker has one recipe for all of its shards."""
    if not _made or _made[0][0] != loaded:
        _made[:] = [(loaded, steps_of(loaded))]
    return _made[0][1]
