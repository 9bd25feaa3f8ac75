"""The pool of a set: every piece that was judged while it was filled, with all that was measured."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from curator.corpora.document import Document
from curator.corpora.readers.plain_text import without_surrogates
from curator.corpora.spdx import canonical_licence
from curator.pipeline.steps.step import Scores
from curator.pipeline.verdict import Verdict

EXCERPT = 400


@dataclass(frozen=True, slots=True)
class PoolRow:
    """One judged piece.

    Attributes:
        id: of the piece.
        document: id of its document.
        corpus: the source that it is from.
        task: its task.
        language: BCP 47, as the source says, else as found.
        licence: SPDX expression.
        low_continuity: made without continuous meaning on purpose.
        conversation: whether it has turns.
        keep: whether no gate refused it.
        taken: whether some of its tokens are in the set.
        reason: why it was refused.
        detail: the value against the limit, in words.
        scores: all that was measured before the first refusal; no value is NaN or infinite.
        text: its first 400 characters.
    """

    id: str
    document: str
    corpus: str
    task: str
    language: str
    licence: str
    low_continuity: bool
    conversation: bool
    keep: bool
    taken: bool
    reason: str | None
    detail: str | None
    scores: Scores
    text: str

    def as_document(self) -> Document:
        """The document as far as the steps of a chain ask for it; it has no text."""
        return Document(
            id=self.document,
            corpus=self.corpus,
            unit="",
            task=self.task,
            language=self.language,
            licence=self.licence,
            text="",
            messages=() if self.conversation else None,
            low_continuity=self.low_continuity,
        )


def pool_rows(judged: Iterable[Verdict], placed: Mapping[str, int]) -> list[PoolRow]:
    """What the pool keeps of verdicts.

    Args:
        judged: the verdicts, see `CalibrationSet.judged`.
        placed: tokens that reach the model by the id of the piece, see `CalibrationSet.placed`.
    """
    return [_row(verdict, taken=placed.get(verdict.piece.id, 0) > 0) for verdict in judged]


def _row(verdict: Verdict, *, taken: bool) -> PoolRow:
    piece, drop = verdict.piece, verdict.drop
    document = piece.document
    return PoolRow(
        id=piece.id,
        document=document.id,
        corpus=document.corpus,
        task=document.task,
        language=verdict.language,
        licence=canonical_licence(document.licence),
        low_continuity=document.low_continuity,
        conversation=document.messages is not None,
        keep=drop is None,
        taken=taken,
        reason=drop.reason if drop else None,
        detail=without_surrogates(drop.detail) if drop else None,
        scores=finite(verdict.scores),
        text=without_surrogates(document.text[piece.start : min(piece.end, piece.start + EXCERPT)]),
    )


def finite(scores: Mapping[str, Any]) -> Scores:
    """The scores without NaN and infinity: what has no value is ``None``."""
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in scores.items()
    }
