"""Continuity of a whole text: windows of 32 sentences spread over it, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from curator.scores.code import code_continuity, code_lines
from curator.scores.continuity import ContinuityScore, continuity
from curator.scores.lexical import is_english
from curator.scores.sentences import Sentence, sentence_spans
from curator.scores.windows import DEFAULT_WINDOWS, WINDOW_SENTENCES, WindowCount, window_starts

Vectors = NDArray[np.float32]


class SentenceEncoder(Protocol):
    """What turns sentences into vectors."""

    @property
    def banded(self) -> bool:
        """Whether prose's band was measured with this model."""

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Unit vectors float32 [n, d]."""

    def truncated(self, sentences: Sequence[str]) -> int:
        """How many sentences are longer than what is read of one."""


@dataclass(frozen=True, slots=True)
class Window:
    """One stretch of a text and its score.

    Attributes:
        start: offset of its first character in the text.
        end: offset behind its last.
        score: of its sentences.
    """

    start: int
    end: int
    score: ContinuityScore


@dataclass(frozen=True, slots=True)
class DocumentContinuity:
    """Continuity of a text.

    Attributes:
        least: the lowest window's score; it stands for the text.
        windows: all windows scored, in the order of the text.
        sentences: of the whole text, also those in no window.
        truncated: sentences scored of which the embedder read only the beginning.
        vector: mean of the vectors of the sentences scored, of unit length, float32 [d]; zeros where there are
            none. Near vectors are texts on the same matter.
    """

    least: ContinuityScore
    windows: tuple[Window, ...]
    sentences: int
    truncated: int
    vector: Vectors = field(compare=False, repr=False)

    def flat(self) -> dict[str, float | int | str]:
        """The numbers as they are stored beside a text."""
        return {**self.least.flat(), "truncated": self.truncated}

    def as_json(self) -> dict[str, Any]:
        """All but the vector."""
        return {
            "least": asdict(self.least),
            "windows": [asdict(window) for window in self.windows],
            "sentences": self.sentences,
            "truncated": self.truncated,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], vector: bytes) -> DocumentContinuity:
        """What ``as_json`` and the vector's bytes were made of."""
        windows = [
            Window(window["start"], window["end"], ContinuityScore(**window["score"]))
            for window in value["windows"]
        ]
        return cls(
            least=ContinuityScore(**value["least"]),
            windows=tuple(windows),
            sentences=value["sentences"],
            truncated=value["truncated"],
            vector=np.frombuffer(vector, np.float32),
        )


def score_windows(
    text: str | Sequence[Sentence], encoder: SentenceEncoder, windows: WindowCount = DEFAULT_WINDOWS
) -> DocumentContinuity:
    """Score a text by windows; nothing but the sentences in them is embedded, each once.

    Args:
        text: a text, or its sentences.
        encoder: gives the vectors.
        windows: at most so many (head, tail, and seeded strata between); ``"all"`` for all that cover the text.
    """
    spans = sentence_spans(text) if isinstance(text, str) else list(text)
    lines = [span.text for span in spans]
    starts = window_starts(lines, windows)
    chosen = sorted({number for start in starts for number in _numbers(start, lines)})
    scored_lines = [lines[number] for number in chosen]
    vectors = encoder.encode(scored_lines)
    row = {number: place for place, number in enumerate(chosen)}
    banded = encoder.banded and is_english(scored_lines)

    def score(window: range) -> ContinuityScore:
        rows = [row[number] for number in window]
        return continuity(vectors[rows], [lines[number] for number in window], banded)

    found = _scored(spans, starts, score)
    return replace(found, truncated=encoder.truncated(scored_lines), vector=_mean_vector(vectors))


def score_code(text: str, windows: WindowCount = DEFAULT_WINDOWS) -> DocumentContinuity:
    """Score code by windows of 32 lines, without a model; nothing is truncated, and there is no vector."""
    spans = code_lines(text)
    lines = [span.text for span in spans]
    return _scored(
        spans, window_starts(lines, windows), lambda window: code_continuity([lines[number] for number in window])
    )


def _scored(
    spans: Sequence[Sentence], starts: Sequence[int], score: Callable[[range], ContinuityScore]
) -> DocumentContinuity:
    scored = [Window(*_place(spans, start), score(_numbers(start, spans))) for start in starts]
    least = min((window.score for window in scored), key=lambda found: found.rank)
    return DocumentContinuity(
        least=replace(least, windows=len(scored)),
        windows=tuple(scored),
        sentences=len(spans),
        truncated=0,
        vector=np.zeros(0, np.float32),
    )


def _numbers(start: int, sentences: Sequence[object]) -> range:
    return range(start, min(start + WINDOW_SENTENCES, len(sentences)))


def _place(spans: Sequence[Sentence], start: int) -> tuple[int, int]:
    within = spans[start : start + WINDOW_SENTENCES]
    return (within[0].start, within[-1].end) if within else (0, 0)


def _mean_vector(vectors: Vectors) -> Vectors:
    mean = vectors.astype(np.float64).sum(axis=0)
    norm = float(np.linalg.norm(mean))
    unit: Vectors = (mean / norm if norm > 1e-9 else np.zeros_like(mean)).astype(np.float32)
    return unit
