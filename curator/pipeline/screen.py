"""All gates and scores for one piece of text, each piece judged once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from curator.corpora.document import Document
from curator.gates.drop import Drop
from curator.gates.duplicates import Duplicates
from curator.gates.language import UNDETERMINED, check_language, detect_language
from curator.gates.leakage import Leakage
from curator.gates.length import check_length
from curator.gates.licences import check_licence
from curator.gates.random_text import check_random_text
from curator.measure.heldout import Prompt
from curator.recipe.schema import Recipe
from curator.scores.continuity import (
    AUTO_MIN,
    MAX_SENTENCES,
    ContinuityScore,
    check_continuity,
    least_continuity,
)
from curator.scores.embedder import Embedder
from curator.scores.sentences import split_sentences
from curator.select.pieces import Piece

# Code has no sentences; its language is that of its comments at best. A source of the user's own says so by its
# task, a card by its language.
_CODE, _CODE_TASK = "zxx", "code"
# Characters around a piece in which its neighbours' sentences are looked for.
_REACH = 8_000


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found about a piece.

    Attributes:
        drop: a refusal, or none.
        continuity: where it was scored.
        language: as the source says, else as found where languages are looked at.
    """

    drop: Drop | None
    continuity: ContinuityScore | None
    language: str


class Screen:
    """The gates of one recipe.

    Cheap gates run first; sentences are embedded only for what passes them. Documents that lack
    continuous meaning on purpose skip the gates that look for accidents.

    Args:
        recipe: gives the gates' settings.
        prompts: held-out prompts that no piece may share text with.
        embedder: for continuity.
    """

    def __init__(self, recipe: Recipe, prompts: Sequence[Prompt], embedder: Embedder) -> None:
        self._recipe = recipe
        self._leakage = Leakage(prompt.words() for prompt in prompts)
        self._duplicates = Duplicates()
        self._embedder = embedder
        self._known: dict[str, Verdict] = {}

    def judge(self, piece: Piece) -> Verdict:
        """The verdict on a piece; the same whenever it is asked for again."""
        if piece.id not in self._known:
            self._known[piece.id] = self._judge(piece)
        return self._known[piece.id]

    def _judge(self, piece: Piece) -> Verdict:
        drop = next((drop for gate in self._gates(piece) if (drop := gate(piece.text)) is not None), None)
        if drop is not None:
            return Verdict(drop, None, piece.document.language)
        score = self._continuity(piece)
        least = self._recipe.continuity.min
        if score is not None and least is not False:
            drop = check_continuity(score, AUTO_MIN if least == "auto" else least)
        return Verdict(drop, score, self._language(piece))

    def _language(self, piece: Piece) -> str:
        """The document's language; where it is not known but looked at anyway, the one found."""
        language = piece.document.language
        unknown = language == UNDETERMINED and not piece.document.low_continuity
        if unknown and _is_code(piece.document):
            return _CODE
        return detect_language(piece.text) if unknown and self._recipe.gates.language else language

    def _gates(self, piece: Piece) -> list[Callable[[str], Drop | None]]:
        gates, document = self._recipe.gates, piece.document
        chosen: list[Callable[[str], Drop | None]] = [lambda text: check_length(text, 1)]
        if gates.licence:
            allow_licences, forbid = gates.licence.allow, gates.licence.forbid
            chosen.append(lambda _text: check_licence(document.licence, allow_licences, forbid))
        # A generated text is as long as the recipe's sequences make it: a short one is no accident.
        if gates.length and document.messages is None and not document.corpus.startswith("generate:"):
            least = gates.length.min_chars
            chosen.append(lambda text: check_length(text, least))
        if gates.random_text and not document.low_continuity:
            share = gates.random_text.max_share
            chosen.append(lambda text: check_random_text(text, share))
        if gates.duplicates:
            chosen.append(lambda text: self._duplicates.check(piece.id, text))
        if gates.language and not _is_code(document) and not document.low_continuity:
            allow = gates.language.allow
            chosen.append(lambda text: check_language(text, allow))
        chosen.append(self._leakage.check)
        return chosen

    def _continuity(self, piece: Piece) -> ContinuityScore | None:
        document = piece.document
        judged = not _is_code(document) and not document.low_continuity and document.messages is None
        if self._recipe.continuity.min is False or not judged:
            return None
        sentences = _sentences(piece)
        return least_continuity(self._embedder.encode(sentences)) if len(sentences) >= 4 else None


def _is_code(document: Document) -> bool:
    return document.language == _CODE or document.task == _CODE_TASK


def _sentences(piece: Piece) -> list[str]:
    """The piece's sentences and, where they are few, as many behind and before it as the score needs for power."""
    text, end = piece.document.text, piece.end + _REACH
    wanted = max(len(split_sentences(piece.text)), MAX_SENTENCES)
    found = split_sentences(text[piece.start : end], wanted)
    if len(found) < wanted:
        found = split_sentences(text[max(piece.start - _REACH, 0) : end])[-wanted:]
    return found
