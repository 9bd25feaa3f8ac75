"""Rows of a file through the gates and scores of a recipe, one after another."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.corpora.corpus import BadRow, Corpus
from curator.corpora.document import Document
from curator.corpora.file_patterns import find_files
from curator.corpora.files import open_files
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.reading import Columns, Reading
from curator.corpora.rows.byte_source import LocalFile
from curator.corpora.rows.records import Mended, Row
from curator.corpora.rows.resolve import sample
from curator.corpora.rows.row_reader import read_span
from curator.engine.interface import Workers, engine_of
from curator.gates.language import UNDETERMINED
from curator.pipeline.pool import finite
from curator.pipeline.sift_spread import read_judged
from curator.pipeline.sift_workers import Read, read_measured
from curator.pipeline.steps.chain import BATCH, Outcome, chain, run_chains, split_chain, split_rest
from curator.pipeline.steps.leakage import LeakageFound, leakage_found, watched
from curator.pipeline.steps.step import Scores, Step
from curator.recipe.load import LoadedRecipe
from curator.scores.scorer import Scorer

# Bytes of a part that one worker reads at once: some seconds of work.
_PART = 1 << 20
_PROPOSAL = "Say which to use, such as "
_COLUMN = re.compile(r'columns: \{\w+: ("(?:[^"\\]|\\.)*"|[^,}]+)')
_NUMBER = re.compile(r"\d+\Z")
# Rows whose text shows nothing: no gate is asked about it.
_BLANK = ("empty", "blank", "zero-width")


@dataclass(frozen=True, slots=True)
class Sifted:
    """What was found about a row.

    Attributes:
        row: its line, or its number where there are no lines; from 1.
        id: the row's own id; ``None`` when it has none.
        task: its task.
        language: as found where the recipe keeps some only, else as the row says, else as found; ``zxx`` for code.
        keep: whether no gate refused it.
        reason: why one did, or why the row cannot be used.
        detail: the value against the limit, or what is wrong, in words.
        scores: all that was measured before the first refusal; no value is NaN or infinite.
        text: its text, as the recipe masks and cuts it; empty for a row that cannot be used.
        document: what was read of it; ``None`` for a row that cannot be used.
    """

    row: int
    id: str | int | None
    task: str
    language: str
    keep: bool
    reason: str | None
    detail: str | None
    scores: Mapping[str, Any]
    text: str
    document: Document | None


def open_rows(path: Path, text: str | None, task: str, workers: Workers = 1) -> Corpus:
    """A file of rows of any format; columns called ``task`` and ``language`` are taken for what they say.

    Args:
        path: the file.
        text: the column of the text; found by the usual names when left out.
        task: task of rows that do not say theirs.
        workers: processes that will read it, or an engine; with several, a large file has many parts.

    Raises:
        InputError: no such file, or it cannot be read.
    """
    if path.is_dir():
        raise InputError(f"{path}: is a folder without manifest.json; name a file of rows, or a set's folder")
    (file,) = find_files([str(path)], Path())
    reading = Reading(columns=Columns(text=text))
    rows = sample(read_span(LocalFile(file.path, file.name), reading))
    names = {name for row in rows if isinstance(row, Row) for name in row.values}
    own = {name: name for name in ("task", "language") if name in names and name != text}
    reading = reading.model_copy(update={"columns": Columns(text=text, **own)})
    parts = 1 if workers == 1 else file.path.stat().st_size // _PART + 1
    try:
        return open_files(
            [str(path)], Path(), reading, task=task, parts=parts, hashed=False, split_above=2 * _PART
        )
    except InputError as error:
        raise InputError(_by_option(str(error))) from error


def _by_option(told: str) -> str:
    """A message that proposes a recipe's columns, with the option of the command line instead."""
    head, proposed, columns = told.partition(_PROPOSAL)
    column = _COLUMN.match(columns)
    return f"{head}Name the text's column with --text {column[1]}" if proposed and column else told


class Sifter:
    """The gates and scores of a recipe for the rows of one file.

    Args:
        loaded: the recipe.
        tell: called with a line when stored scores are of no use.

    Attributes:
        steps: the chain. Rows of a file are checked against the recipe's evaluation files, not against prompts.

    Raises:
        InputError: an evaluation file cannot be read.
    """

    def __init__(self, loaded: LoadedRecipe, tell: Callable[[str], None] = lambda _line: None) -> None:
        self._loaded = loaded
        self._against = watched(loaded, ())
        self._scorer = Scorer(loaded.recipe.continuity, tell)
        self.steps = chain(loaded.recipe, self._against, self._scorer)
        self._alone, self._rest = split_chain(self.steps)
        self._leaks: list[tuple[str, Scores]] = []

    def sift(self, corpus: Corpus, workers: Workers = 1) -> Iterator[Sifted | Mended]:
        """Judge the rows of a file in their order; a row that was mended is told before it is judged.

        Args:
            corpus: the file.
            workers: processes, or an engine; the result is the same for any number.

        Raises:
            InputError: the file cannot be read to its end.
            DependencyError: a model that a score needs cannot be loaded.
        """
        measured, rest = self._read(corpus, workers)
        parts = (read[at : at + BATCH] for read in measured for at in range(0, len(read), BATCH))
        for batch in parts:
            found = iter(run_chains(rest, [record[1] for record in batch if isinstance(record, tuple)]))
            for record in batch:
                if isinstance(record, Mended):
                    yield record
                elif isinstance(record, BadRow):
                    yield self._unusable(record, corpus.task)
                else:
                    yield self._judged(record[0], next(found))

    def _read(self, corpus: Corpus, workers: Workers) -> tuple[Iterator[list[Read]], list[Step]]:
        """The rows with what others found of them, and the steps that are left to this process."""
        engine = engine_of(workers)
        if engine is None or not corpus.shards:
            count = workers if isinstance(workers, int) else 1
            return read_measured(corpus.shards, self._alone, self._loaded, sift_steps, count), self._rest
        return read_judged(engine, corpus.shards, self._loaded, sift_steps, self._scorer), split_rest(self._rest)[
            2
        ]

    def leakage(self) -> LeakageFound:
        """What the rows so far share with the evaluation files."""
        return leakage_found(self._leaks, self._against)

    def _judged(self, document: Document, outcome: Outcome) -> Sifted:
        drop, scores = outcome.drop, outcome.scores
        if scores.get("leakage"):
            self._leaks.append((document.row_id or f"row {document.row}", scores))
        return Sifted(
            row=document.row or 0,
            id=document.row_id or None,
            task=document.task,
            language=scores["language"],
            keep=drop is None,
            reason=drop.reason if drop else None,
            detail=without_surrogates(drop.detail) if drop else None,
            scores=finite(scores),
            text=outcome.piece.text,
            document=document,
        )

    def _unusable(self, bad: BadRow, task: str) -> Sifted:
        number = _NUMBER.search(bad.where)
        nothing: Scores = {"chars": 0, "language": UNDETERMINED}
        return Sifted(
            row=int(number.group()) if number else 0,
            id=None,
            task=task,
            language=UNDETERMINED,
            keep=False,
            reason=bad.reason,
            detail=bad.detail,
            scores=nothing if bad.reason in _BLANK else {},
            text="",
            document=None,
        )


def sift_steps(loaded: LoadedRecipe, scorer: Scorer | None = None) -> list[Step]:
    """The chain of a recipe, for a worker; see `StepsOf`."""
    return chain(loaded.recipe, watched(loaded, ()), scorer or Scorer(loaded.recipe.continuity))
