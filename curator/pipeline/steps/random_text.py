"""Random text: refused by its share, or cut out where it stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.gates.length import visible_chars
from curator.gates.random_text import RandomText, check_random_text, cut_random_text, find_random_texts
from curator.pipeline.steps.step import Measured, Step, by_task, with_text
from curator.recipe.gate_settings import Gates, RandomTextGate
from curator.select.pieces import Piece

_SHOWN = 60


def random_text_step(gates: Gates) -> Step:
    """Scores ``random_share``, ``random_stretch``, ``random_kinds``, and ``random_example``: the longest span.

    Where long stretches are cut out: ``random_cut``, their characters; ``random_left``, the share in what is left;
    and ``chars_left``.

    Documents that lack continuous meaning on purpose are not judged.
    """
    of_task = by_task(gates)

    def applies(document: Document) -> bool:
        return bool(of_task(document.task).random_text) and not document.low_continuity

    def measure_all(pieces: Sequence[Piece]) -> list[Measured]:
        found = find_random_texts([piece.text for piece in pieces])
        measured = [(piece, _scores(piece, one)) for piece, one in zip(pieces, found, strict=True)]
        kept = {}
        for place, (piece, one) in enumerate(zip(pieces, found, strict=True)):
            gate = of_task(piece.document.task).random_text
            if gate and _is_cut(piece.document, gate, one):
                kept[place] = with_text(piece, cut_random_text(piece.text, one.spans, gate.max_stretch + 1))
        left = find_random_texts([piece.text for piece in kept.values()])
        for (place, piece), one in zip(kept.items(), left, strict=True):
            whole, scores = measured[place]
            measured[place] = piece, scores | _cut_scores(whole, piece, one)
        return measured

    def decide(document: Document, scores: Mapping[str, Any]) -> Drop | None:
        own = of_task(document.task)
        if not own.random_text:
            return None
        share, stretch, kinds = (scores[name] for name in ("random_share", "random_stretch", "random_kinds"))
        gate = own.random_text
        if scores.get("random_cut"):
            least = own.length.min_chars if own.length else 1
            return _check_left(scores, least) or check_random_text(scores["random_left"], kinds, gate.max_share)
        return check_random_text(share, kinds, gate.max_share) or _check_stretch(stretch, kinds, gate)

    names = ("random_share", "random_stretch", "random_kinds", "random_example")
    return Step("random_text", applies, measure_all, decide, names)


def _is_cut(document: Document, gate: RandomTextGate, found: RandomText) -> bool:
    # A conversation is whole or nothing: a turn without its middle is no turn.
    return gate.stretches == "cut" and found.stretch > gate.max_stretch and document.messages is None


def _scores(piece: Piece, found: RandomText) -> dict[str, Any]:
    longest = max(found.spans, key=lambda span: span.end - span.start, default=None)
    shown = piece.text[longest.start : min(longest.end, longest.start + _SHOWN)] if longest else ""
    return {
        "random_share": round(found.share, 4),
        "random_stretch": found.stretch,
        "random_kinds": found.kinds,
        "random_example": " ".join(shown.split()),
    }


def _cut_scores(whole: Piece, kept: Piece, left: RandomText) -> dict[str, Any]:
    return {
        "random_cut": len(whole.text) - len(kept.text),
        "random_left": round(left.share, 4),
        "chars_left": visible_chars(kept.text),
    }


def _check_left(scores: Mapping[str, Any], least: int) -> Drop | None:
    if scores["chars_left"] >= least:
        return None
    return Drop("random_text", f"{scores['random_cut']} characters cut out, {scores['chars_left']} left")


def _check_stretch(stretch: int, kinds: str, gate: RandomTextGate) -> Drop | None:
    if stretch <= gate.max_stretch:
        return None
    return Drop("random_text", f"{stretch} random characters on end ({kinds}), over {gate.max_stretch}")
