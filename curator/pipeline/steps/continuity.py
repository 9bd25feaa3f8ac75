"""Semantic continuity of prose."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.pipeline.steps.kinds import is_code
from curator.pipeline.steps.step import Measured, Step, each
from curator.recipe.schema import Continuity
from curator.scores.continuity import AUTO_MIN, check_continuity
from curator.scores.document import score_code
from curator.scores.scorer import Scorer
from curator.scores.sentences import Sentence, sentence_spans
from curator.scores.windows import WINDOW_SENTENCES
from curator.select.pieces import Piece

_NAMES = (
    "continuity",
    "continuity_order",
    "continuity_mean",
    "continuity_sd",
    "continuity_windows",
    "sentences",
    "truncated",
    "continuity_note",
)
# Characters around a piece in which its neighbours' sentences are looked for.
_REACH = 8_000


def is_prose(document: Document) -> bool:
    """Whether a document should be continuous: not code, a conversation, or what lacks it on purpose."""
    return not is_code(document) and not document.low_continuity and document.messages is None


def continuity_step(settings: Continuity, scorer: Scorer) -> Step:
    """Scores of the least continuous window of a text; see `curator.scores`."""

    def measure(piece: Piece) -> Measured:
        return piece, dict(scorer.score(sentences_for(piece)).flat())

    def decide(_document: Document, scores: Mapping[str, Any]) -> Drop | None:
        least = AUTO_MIN if settings.min == "auto" else settings.min
        return check_continuity(scores, least)

    return Step(
        "continuity",
        lambda document: settings.min is not False and is_prose(document),
        each(measure),
        decide,
        _NAMES,
    )


def code_continuity_step(settings: Continuity) -> Step:
    """Score ``code_continuity`` of code by its lines, without a model: it is shown, and refuses nothing."""

    def measure(piece: Piece) -> Measured:
        found = score_code(piece.text, settings.windows)
        return piece, {"code_continuity": found.least.rank, "code_lines": found.sentences}

    def applies(document: Document) -> bool:
        return settings.min is not False and is_code(document) and document.messages is None

    return Step("code_continuity", applies, each(measure), lambda _document, _scores: None, ("code_continuity",))


def sentences_for(piece: Piece) -> list[Sentence]:
    """The piece's sentences and, where they are few, as many behind and before it as the score needs for power.

    Their places are in the document, not in the piece.
    """
    text, end = piece.document.text, piece.end + _REACH
    wanted = max(len(sentence_spans(piece.text)), WINDOW_SENTENCES)
    found = sentence_spans(text[piece.start : end], wanted)
    if len(found) < wanted:
        found = sentence_spans(text[max(piece.start - _REACH, 0) : end])[-wanted:]
    return found
