"""So much of an offer as a set takes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from curator.pipeline.offers import Offer
from curator.select.cells import Cell
from curator.tokens.pack import Segment

Place = tuple[int, Cell]
"""A source's number, and a cell that it gives texts for."""


@dataclass(frozen=True, slots=True)
class Taken:
    """So many tokens of an offer, for a cell.

    Attributes:
        place: the source and the cell.
        offer: the text.
        tokens: from its beginning.
    """

    place: Place
    offer: Offer
    tokens: int

    @property
    def name(self) -> str:
        """The id of the offer's piece."""
        return self.offer.segment.piece

    def segment(self) -> Segment:
        """These tokens; what is cut off is counted."""
        whole = self.offer.segment
        left = len(whole.ids) - self.tokens
        return dataclasses.replace(whole, ids=whole.ids[: self.tokens], cut=whole.cut + left) if left else whole
