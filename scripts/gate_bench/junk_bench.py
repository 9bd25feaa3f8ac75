"""The junk gates on the half of the labelled set that nothing was learnt on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from curator.corpora.document import Document
from curator.pipeline.sift_recipe import ANY_TASK, default_recipe
from curator.pipeline.steps.chain import Outcome, run_chains
from curator.pipeline.steps.random_text import random_text_step
from curator.pipeline.steps.repetition import repetition_step
from curator.select.pieces import Piece
from gate_bench.labelled import Labelled
from gate_bench.proportions import Share

RECALL, GOOD = 0.98, 0.01
CLASS_RECALL, CLASS_GOOD = 0.90, 0.03
"""Targets: of all junk refused and of all good text at most; of each class."""
LEAST_REAL = 300


@dataclass(frozen=True, slots=True)
class Judged:
    """A text with the gates' verdict.

    Attributes:
        text: the labelled text.
        refused: whether a gate refused it.
        reason: which one, with its detail; empty for none.
    """

    text: Labelled
    refused: bool
    reason: str


@dataclass(slots=True)
class JunkTable:
    """Recall and false refusals, in all and by class.

    Attributes:
        junk: junk refused, by class.
        good: good text refused, by class.
        real: of the texts that no generator of ours made: junk and good text refused.
        mistakes: some of the texts judged wrong, by class.
    """

    junk: dict[str, Share]
    good: dict[str, Share]
    real: tuple[Share, Share]
    mistakes: dict[str, list[Judged]] = field(default_factory=dict)

    @property
    def all_junk(self) -> Share:
        """Of all junk, how much is refused."""
        return _sum(self.junk.values())

    @property
    def all_good(self) -> Share:
        """Of all good text, how much is refused."""
        return _sum(self.good.values())

    @property
    def precision(self) -> Share:
        """Of all refused texts, how many are junk."""
        return Share(self.all_junk.hits, self.all_junk.hits + self.all_good.hits)

    def failures(self) -> list[str]:
        """The targets that are missed, in words."""
        out = []
        if self.all_junk.value < RECALL:
            out.append(f"recall {self.all_junk.value:.3f} is under {RECALL}")
        if self.all_good.value > GOOD:
            out.append(f"{self.all_good.value:.2%} of good text is refused, over {GOOD:.0%}")
        out += [
            f"{kind}: recall {share.value:.2f}" for kind, share in self.junk.items() if share.value < CLASS_RECALL
        ]
        out += [
            f"{kind}: {share.value:.1%} refused" for kind, share in self.good.items() if share.value > CLASS_GOOD
        ]
        if sum(share.of for share in self.real) < LEAST_REAL:
            out.append(f"fewer than {LEAST_REAL} texts that no generator of ours made")
        return out

    def as_json(self) -> dict[str, Any]:
        """For a result file."""
        return {
            "recall": self.all_junk.as_json(),
            "good_refused": self.all_good.as_json(),
            "precision": self.precision.as_json(),
            "real_recall": self.real[0].as_json(),
            "real_good_refused": self.real[1].as_json(),
            "junk": {kind: share.as_json() for kind, share in self.junk.items()},
            "good": {kind: share.as_json() for kind, share in self.good.items()},
            "missed_targets": self.failures(),
        }


def judge(texts: Iterable[Labelled]) -> list[Judged]:
    """Ask the junk gates about each text, with the settings that `curate sift` has without a recipe."""
    gates = default_recipe([]).recipe.gates
    steps = [random_text_step(gates), repetition_step(gates)]
    texts = list(texts)
    found = run_chains(steps, [_outcome(one) for one in texts])
    return [
        Judged(one, drop is not None, f"{drop.reason}: {drop.detail}" if drop else "")
        for one, drop in zip(texts, (outcome.drop for outcome in found), strict=True)
    ]


def _outcome(one: Labelled) -> Outcome:
    document = Document(one.id, "bench", one.kind, ANY_TASK, "und", "unknown", one.text)
    return Outcome(Piece(document.id, document, 0, len(document.text)))


def tabulate(judged: Sequence[Judged], shown: int = 2) -> JunkTable:
    """Count by class; keep some texts judged wrong of each."""
    table = JunkTable(
        _by_kind([one for one in judged if one.text.is_junk]),
        _by_kind([one for one in judged if not one.text.is_junk]),
        (
            _share(judged, lambda one: one.text.is_junk and not one.text.ours),
            _share(judged, lambda one: not one.text.is_junk and not one.text.ours),
        ),
    )
    for one in judged:
        kept = table.mistakes.setdefault(one.text.kind, [])
        if one.refused != one.text.is_junk and len(kept) < shown:
            kept.append(one)
    return table


def _by_kind(judged: Sequence[Judged]) -> dict[str, Share]:
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for one in judged:
        counts[one.text.kind][0] += one.refused
        counts[one.text.kind][1] += 1
    return {kind: Share(hits, of) for kind, (hits, of) in counts.items()}


def _share(judged: Sequence[Judged], wanted: Callable[[Judged], bool]) -> Share:
    mine = [one for one in judged if wanted(one)]
    return Share(sum(one.refused for one in mine), len(mine))


def _sum(shares: Iterable[Share]) -> Share:
    listed = list(shares)
    return Share(sum(share.hits for share in listed), sum(share.of for share in listed))
