"""Generated samples, made to measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from curator._errors import InputError
from curator.corpora.document import Document, Message
from curator.select.pieces import Piece

Count = Callable[[str | tuple[Message, ...]], int]
"""Tokens of a text, or of a whole conversation in its template."""
Make = Callable[[int, int, str, Count | None], Document]
"""From a sample's number, its most tokens, its language (empty: the source's own) and a counter to a document."""


@dataclass(slots=True)
class EndlessSupply:
    """Generated documents, numbered from 0; each draw goes on with the next number.

    Attributes:
        make: makes a sample.
        next: number of the next one.
        refusal: why the last sample could not be made, in words; empty when it could.
        count: counts tokens as the set will hold them; without it, samples are measured roughly.
    """

    make: Make
    next: int = 0
    count: Count | None = None
    refusal: str = ""

    def piece(self, tokens: int, language: str) -> Piece | None:
        """The next sample; ``None`` when none can be so short."""
        try:
            document = self.make(self.next, tokens, language, self.count)
        except InputError as error:
            self.refusal = str(error)
            return None
        self.next, self.refusal = self.next + 1, ""
        return Piece(f"{document.id}:0", document, 0, len(document.text))
