"""A finished calibration set, and what its maker should know about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from curator.pipeline.low_continuity import LowContinuity
from curator.pipeline.neighbours import Neighbour
from curator.pipeline.shortfall import MarginReport, Shortfall
from curator.pipeline.steps.leakage import LeakageFound
from curator.pipeline.verdict import Verdict
from curator.recipe.load import LoadedRecipe
from curator.recipe.schema import Size
from curator.tokens.pack import PackedSequence

# A task may miss its share of the tokens by this much without a warning.
_TOLERANCE = 0.02


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What one source was asked for and gave.

    Attributes:
        name: the source.
        task: its task.
        licence: SPDX expression, or that every document has its own.
        revision: commit or version; empty when every document carries its own.
        files: SHA-256 of its local files, by their names.
        asked: tokens asked for.
        got: tokens it gave.
        documents: documents that it gave something of.
        pieces: pieces that it gave.
        bad_rows: rows that gave no document, by reason.
        read: bytes of it that were read, roughly; 0 where they are not known.
        size: bytes of the whole source, likewise.
    """

    name: str
    task: str
    licence: str
    revision: str
    files: Mapping[str, str]
    asked: int
    got: int
    documents: int
    pieces: int
    bad_rows: dict[str, int]
    read: int = 0
    size: int = 0


@dataclass(slots=True)
class CalibrationSet:
    """One draw of a recipe.

    Attributes:
        recipe: what it was made from.
        draw: its number, from 0.
        sources_hash: what its local sources held; see `sources_sha256`.
        sequences: what reaches the model.
        sources: asked and got, by source.
        dropped: refused pieces and bad rows, by reason.
        examples: up to ten of each reason: id, text, detail.
        overlap: share of its tokens from pieces that an earlier draw used.
        cut_pieces: pieces of text whose end did not fit.
        cut_tokens: tokens that were lost so.
        low_continuity: how much of it is text without continuous meaning.
        judged: the verdicts on all pieces that were looked at for it, in the order of looking.
        leakage: what shares text with the recipe's evaluation files.
        neighbours: its texts that are nearest to an evaluation item by their sentence vectors.
        unused: tokens of the sequences asked for that packing left empty.
        encoding_notes: documents by what happened on the way to tokens, such as a template that dropped reasoning.
        asked: each task's share of the tokens, as asked or as moved by the limit on low continuity.
        margins: what the target asks over tasks, languages and lengths, and what came of it.
        shortfall: cells that gave less than was asked.
        offered: number of texts that were good enough, taken or not.
        warnings: what the user should know, in words.
    """

    recipe: LoadedRecipe
    draw: int
    sources_hash: str
    sequences: list[PackedSequence]
    sources: list[SourceReport]
    dropped: dict[str, int]
    examples: dict[str, list[dict[str, str]]]
    overlap: float
    cut_pieces: int
    cut_tokens: int
    unused: int
    encoding_notes: dict[str, int]
    low_continuity: LowContinuity
    judged: list[Verdict]
    leakage: LeakageFound
    neighbours: list[Neighbour]
    asked: Mapping[str, float]
    margins: list[MarginReport]
    shortfall: list[Shortfall]
    offered: int = 0
    warnings: list[str] = field(default_factory=list)

    @property
    def rows(self) -> list[list[int]]:
        """Token ids, one list a sequence."""
        return [list(sequence.ids) for sequence in self.sequences]

    @property
    def tokens(self) -> int:
        """Tokens of all sequences."""
        return sum(len(sequence.ids) for sequence in self.sequences)

    def shares(self) -> dict[str, float]:
        """Each task's share of the tokens that documents gave, measured on the finished sequences."""
        counts = tokens_by(self.sequences, "task")
        return {task: counts[task] / counts.total() for task in self.recipe.recipe.target.tasks}

    def placed(self) -> Counter[str]:
        """Tokens that reach the model, by the id of the piece that they are of."""
        return tokens_by(self.sequences, "piece")

    def licences(self) -> dict[str, int]:
        """Tokens that reach the model, by licence; the most first."""
        return dict(sorted(tokens_by(self.sequences, "licence").items(), key=lambda item: (-item[1], item[0])))

    def is_short(self) -> bool:
        """Whether less is there than was asked for, in all or of one margin, but for what packing leaves empty."""
        size, pack = self.recipe.recipe.size, self.recipe.recipe.tokens.pack
        lacks = any(one.asked - one.got > _TOLERANCE or (one.asked and not one.got) for one in self.margins)
        return lacks or len(self.sequences) < size.count or (pack == "concat" and self.tokens < size.total)


def tokens_by(sequences: Sequence[PackedSequence], attribute: str) -> Counter[str]:
    """Tokens in finished sequences, by an attribute of the segment that they are of, such as ``piece``."""
    counts: Counter[str] = Counter()
    for sequence in sequences:
        for part in sequence.parts:
            counts[getattr(part.segment, attribute)] += part.end - part.start
    return counts


def share_warnings(made: CalibrationSet) -> list[str]:
    """A line for every margin whose share of the tokens is more than two points from what was asked."""
    return [
        f"{margin.name}: asked {margin.asked:.1%} of the tokens, got {margin.got:.1%}"
        for margin in made.margins
        if abs(margin.got - margin.asked) > _TOLERANCE
    ]


def missing_warnings(size: Size, made: CalibrationSet) -> list[str]:
    """A line when there are fewer sequences than asked, or the last of a set without gaps is shorter."""
    if len(made.sequences) < size.count:
        return [
            f"asked {size.count} sequences ({size.total} tokens), got {len(made.sequences)} ({made.tokens} tokens)"
        ]
    if made.recipe.recipe.tokens.pack != "concat" or made.tokens >= size.total:
        return []
    return [f"asked {size.total} tokens, got {made.tokens}: the last sequence has {len(made.sequences[-1].ids)}"]


def shortfall_warnings(reports: list[SourceReport], exhausted: set[str], refused: dict[str, str]) -> list[str]:
    """One line a task whose sources have nothing left and gave less than asked.

    Args:
        reports: asked and got, by source.
        exhausted: tasks whose sources have nothing left.
        refused: by task, what was refused, in words.
    """
    found = []
    for task in (task for task in dict.fromkeys(report.task for report in reports) if task in exhausted):
        own = [report for report in reports if report.task == task]
        asked, got = sum(report.asked for report in own), sum(report.got for report in own)
        if got < asked:
            gave = ", ".join(f"{report.name} {report.got}" for report in own)
            words = refused.get(task)
            such = f"; refused: {words}" if words else ""
            found.append(f"task {task}: asked {asked} tokens, got {got}: all text is used up ({gave}){such}")
    return found
