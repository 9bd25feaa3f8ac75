"""From pieces to the tokens that a set could take of them, and what was refused on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from curator._errors import InputError
from curator.corpora.document import Document
from curator.corpora.spdx import canonical_licence
from curator.gates.language import UNDETERMINED, detect_language
from curator.pipeline.drops import Drops
from curator.pipeline.screen import Screen
from curator.pipeline.steps.kinds import is_code
from curator.pipeline.verdict import Verdict
from curator.recipe.schema import Recipe
from curator.select.cells import NO_LANGUAGE, Cell, Cells
from curator.select.pieces import Piece
from curator.tokens.encode import Encoder
from curator.tokens.encoded import Encoded
from curator.tokens.pack import Segment
from curator.tokens.tokenizer import TemplateRefusal


@dataclass(frozen=True, slots=True)
class Offer:
    """What a set can take of one piece.

    Attributes:
        piece: as the source gave it.
        segment: all its tokens, one sequence's worth at most.
        cell: where it belongs.
        whole: it may not be cut where lengths count: a conversation, whose end is the answer.
        notes: what happened on the way to tokens.
        number: its place among all offers of the draw.
    """

    piece: Piece
    segment: Segment
    cell: Cell
    whole: bool
    notes: tuple[str, ...]
    number: int

    def __len__(self) -> int:
        return len(self.segment.ids)


class Offers:
    """Judges and encodes the pieces of one draw.

    Args:
        recipe: its policies.
        screen: gates and scores.
        encoder: from pieces to token ids.
        cells: where texts belong.

    Attributes:
        drops: what was refused.
        judged: the verdicts on all pieces that were judged, in this order.
        longest: the most tokens of a text.
    """

    def __init__(self, recipe: Recipe, screen: Screen, encoder: Encoder, cells: Cells) -> None:
        self.drops = Drops()
        self.judged: dict[str, Verdict] = {}
        self.cells = cells
        self.longest = cells.longest
        self._recipe = recipe
        self._screen = screen
        self._encoder = encoder
        self._given: set[str] = set()
        # Found before a piece was judged: its language, and its tokens.
        self._languages: dict[str, str] = {}
        self._encoded: dict[str, Encoded] = {}

    def guess(self, piece: Piece) -> Cell | None:
        """Where a piece will belong, without judging it; a piece that no cell wants is refused."""
        task = piece.document.task
        if self.cells.plain:
            return Cell(task)
        language = self._language(piece)
        if self.cells.named(task, language) is None:
            self.drops.add("language_target", piece, f"{language}, of which target.languages wants nothing")
            return None
        if self.cells.is_free(task):
            return self.cells.cell_of(task, language, 1)
        encoded = self._encode(piece)
        if encoded is None:
            return None
        self._encoded[piece.id] = encoded
        return self._cell(piece, language, len(encoded.ids))

    def expect(self, pieces: Iterable[Piece]) -> None:
        """Measure together what will be judged soon."""
        self._screen.expect(pieces)

    def offer(self, piece: Piece) -> Offer | None:
        """Judge a piece; ``None`` when it is refused."""
        if piece.id in self._given:
            self.drops.add("duplicate", piece, "another source of the recipe gave this very piece")
            return None
        verdict = self.judged[piece.id] = self._screen.judge(piece)
        known = self._encoded.pop(piece.id, None)
        if verdict.drop is not None:
            self.drops.add(verdict.drop.reason, verdict.piece, verdict.drop.detail)
            return None
        judged = verdict.piece
        encoded = known if known is not None and judged.text == piece.text else self._encode(judged)
        if encoded is None:
            return None
        language = verdict.language
        if language == UNDETERMINED and not self.cells.plain:
            language = self._language(piece)
        cell = self._cell(judged, language, len(encoded.ids))
        if cell is None:
            return None
        self._given.add(piece.id)
        segment = self._segment(judged, verdict, encoded, language)
        return Offer(piece, segment, cell, judged.document.messages is not None, encoded.notes, len(self._given))

    def _cell(self, piece: Piece, language: str, tokens: int) -> Cell | None:
        task = piece.document.task
        cell = self.cells.cell_of(task, _spoken(piece.document, language), tokens)
        if cell is None:
            size = min(tokens, self.longest)
            self.drops.add("length_target", piece, f"{size} tokens, of which target.lengths wants nothing")
        return cell

    def _language(self, piece: Piece) -> str:
        """The language that counts: as the source says, else as found; ``zxx`` for what has none."""
        document = piece.document
        told = _spoken(document, document.language)
        if told != UNDETERMINED or "" in self.cells.languages(document.task):
            return told
        if piece.id not in self._languages:
            gate = self._recipe.gates.of(document.task).language
            self._languages[piece.id] = detect_language(piece.text, gate.detector if gate else "langdetect")
        return self._languages[piece.id]

    def _encode(self, piece: Piece) -> Encoded | None:
        document = piece.document
        try:
            encoded = self._encoder.encode(document, piece.text)
        except TemplateRefusal as error:
            if self._recipe.tokens.refused == "stop":
                raise InputError(f"{document.id}: {error}; or set tokens.refused: skip") from error
            self.drops.add("template", piece, str(error))
            return None
        if not encoded.ids:
            self.drops.add("empty", piece, "no tokens")
            return None
        return encoded

    def _segment(self, piece: Piece, verdict: Verdict, encoded: Encoded, language: str) -> Segment:
        document = piece.document
        kept = encoded.ids[: self.longest]
        return Segment(
            piece=piece.id,
            document=document.id,
            task=document.task,
            language=language,
            corpus=document.corpus,
            licence=canonical_licence(document.licence),
            revision=document.revision,
            file=document.file,
            row=document.row,
            ids=tuple(kept),
            text=piece.text,
            cut=len(encoded.ids) - len(kept),
            scores={name: value for name, value in verdict.scores.items() if value not in (None, "")},
        )


def _spoken(document: Document, language: str) -> str:
    """A document's language, or ``zxx`` where it cannot have one."""
    without = is_code(document) or (language == UNDETERMINED and document.low_continuity)
    return NO_LANGUAGE if without else language
