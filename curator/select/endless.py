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
Least = Callable[[int, str, Count | None], int]
"""From a budget, a language and a counter to the tokens that every sample needs: the budget is too small below."""
_LONGER = 8
"""Samples in a row that may be too long before none counts as short enough."""


@dataclass(slots=True)
class EndlessSupply:
    """Generated documents, numbered from 0; each draw goes on with the next number.

    Attributes:
        make: makes a sample.
        least: tells how short samples can be.
        next: number of the next one.
        refusal: why the last sample could not be made, in words; empty when it could.
        count: counts tokens as the set will hold them; without it, samples are measured roughly.
    """

    make: Make
    least: Least
    next: int = 0
    count: Count | None = None
    refusal: str = ""

    def piece(self, tokens: int, language: str) -> Piece | None:
        """The next sample; ``None`` when none can be so short."""
        for number in range(self.next, self.next + _LONGER):
            try:
                document = self.make(number, tokens, language, self.count)
            except InputError as error:
                self.refusal = str(error)
                # Samples differ: one may need more than most others do, and its number is passed over.
                if tokens < self.least(tokens, language, self.count):
                    return None
                continue
            self.next, self.refusal = number + 1, ""
            return Piece(f"{document.id}:0", document, 0, len(document.text))
        return None
