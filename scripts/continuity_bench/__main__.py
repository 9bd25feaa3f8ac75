"""Measures the score, prints each table with its targets, writes results.json."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from rich.console import Console

from continuity_bench import measure, units
from continuity_bench.auc import Auc, against
from continuity_bench.junk import LINES, junk
from continuity_bench.refusals import Refusals, refusals
from continuity_bench.units import Unit
from continuity_bench.unseen import unseen
from continuity_bench.vectors import Vectors
from curator.scores.code import code_continuity
from curator.scores.continuity import continuity

_OUT = Console(width=120, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"
_JUNK_TEXTS = 10
# Lists are in order: a rule of their own finds them.
_LISTS = ("cwe list", "numbered list", "sorted words", "sorted names")


@dataclass(frozen=True, slots=True)
class Row:
    """One measured line.

    Attributes:
        table: the table it belongs to.
        name: what was told apart.
        sentences: in a window.
        target: the least AUC wanted, or none.
        auc: what was found.
    """

    table: str
    name: str
    sentences: int
    target: float | None
    auc: Auc

    def line(self) -> str:
        """As it is printed."""
        mark = "" if self.target is None else ("pass" if self.auc.value >= self.target else "FAIL")
        wanted = "" if self.target is None else f">= {self.target:.2f}"
        span = f"{self.auc.low:.3f} to {self.auc.high:.3f}"
        counts = f"{self.auc.windows:4d} of {self.auc.units:3d}"
        return f"{self.name:32}{self.sentences:4d}  {self.auc.value:.3f}  {span}  {wanted:8}{mark:6}{counts}"


class Bench:
    """The tables, one after another; every text is of the half on which nothing was chosen."""

    def __init__(self) -> None:
        self._vectors = Vectors()
        self._documents = _reported(units.english_documents())
        self._paragraphs = _reported(units.english_paragraphs())
        self._readmes = _reported(units.readmes())
        self._languages = units.languages()
        self._unseen = unseen()
        every = [*self._documents, *self._paragraphs, *self._readmes]
        every += [*chain(*self._languages.values()), *chain(*self._unseen.values())]
        self._vectors.learn(line for unit in every for line in unit.lines)

    def rows(self) -> Iterator[Row]:
        """All measured lines."""
        yield from self._shuffled("English documents", self._documents, {8: None, 16: 0.97, 24: 0.99, 32: None})
        yield from self._shuffled("English, one paragraph", self._paragraphs, {16: None, 24: 0.98})
        yield from self._shuffled("package documentation", self._readmes, {16: None, 24: None, 32: None})
        yield from self._never_looked_at()
        for language, found in self._languages.items():
            yield from self._shuffled(language, found, {16: None, 32: 0.95 if language == "zh" else None})
        for name, found in units.code().items():
            for size, target in ((16, None), (32, 0.95)):
                auc = measure.shuffled_against(_reported(found), size, lambda lines: code_continuity(lines).z)
                yield from _row("against the same lines shuffled", name, size, target, auc)
        yield from self._blind_spots()
        yield from self._junk()

    def refusals(self) -> Iterator[Refusals]:
        """Good texts refused at the automatic threshold."""
        for windows in (1, 2, 4):
            yield refusals("English documents", self._documents, windows, self._vectors)
        yield refusals("package documentation", self._readmes, 1, self._vectors)
        for kind, found in self._unseen.items():
            yield refusals(f"unseen {kind}", found, 1, self._vectors)
        for language, found in self._languages.items():
            yield refusals(language, found, 1, self._vectors)

    def _score(self, lines: Sequence[str]) -> float:
        return continuity(self._vectors.encode(lines), lines).rank

    def _z(self, lines: Sequence[str]) -> float:
        return continuity(self._vectors.encode(lines), lines).z

    def _shuffled(self, name: str, found: Sequence[Unit], targets: dict[int, float | None]) -> Iterator[Row]:
        for size, target in targets.items():
            auc = measure.shuffled_against(found, size, self._z)
            yield from _row("against the same sentences shuffled", name, size, target, auc)

    def _never_looked_at(self) -> Iterator[Row]:
        for kind, found in self._unseen.items():
            yield from self._shuffled(f"unseen {kind}", found, {16: None, 24: None})
        every = list(chain(*self._unseen.values()))
        yield from self._shuffled("unseen English, all", every, {16: None, 24: None, 32: None})

    def _blind_spots(self) -> Iterator[Row]:
        for disorder in (measure.shuffled_in_fours, measure.blocks_moved, measure.backwards):
            name = disorder.__name__.replace("_", " ")
            auc = measure.ordered_against(self._documents, 32, self._z, disorder, 1)
            yield from _row("blind spots, English documents", name, 32, None, auc)

    def _junk(self) -> Iterator[Row]:
        good = [[self._score(window) for window in measure.windows(unit, LINES)] for unit in self._documents]
        good = [scores for scores in good if scores]
        lines = sorted({line for unit in self._documents for line in unit.lines})
        words = sorted({word for line in lines for word in re.findall(r"[a-z]{3,}", line)})
        makers = junk(words, lines)
        for name, make in makers.items():
            texts = [make(random.Random(f"{name}{number}")) for number in range(_JUNK_TEXTS)]
            self._vectors.learn(line for text in texts for line in text)
            target = 0.97 if name in _LISTS else None if name == "logs" else 0.99
            yield Row("against junk", name, LINES, target, against(good, [self._score(text) for text in texts]))


def _reported(found: Sequence[Unit]) -> list[Unit]:
    return [unit for unit in found if not unit.chosen_on]


def _row(table: str, name: str, size: int, target: float | None, auc: Auc | None) -> Iterator[Row]:
    if auc is not None:
        yield Row(table, name, size, target, auc)


def main() -> int:
    """Run all; the exit status is 1 when a target is missed."""
    bench, table, rows = Bench(), "", []
    for row in bench.rows():
        if row.table != table:
            table = row.table
            _OUT.print(f"\n{table}\n{'':32}   n  AUC    95 % interval   target        windows of units")
        _OUT.print(row.line())
        rows.append(row)
    _OUT.print("\ngood texts refused at the automatic threshold, windows of 32 sentences")
    refused = list(bench.refusals())
    for found in refused:
        _OUT.print(found.line())
    _RESULTS.write_text(
        json.dumps({"auc": [asdict(row) for row in rows], "refused": [asdict(one) for one in refused]}, indent=1)
        + "\n"
    )
    missed = [row for row in rows if row.target is not None and row.auc.value < row.target]
    return 1 if missed or any(found.fails for found in refused) else 0


if __name__ == "__main__":
    sys.exit(main())
