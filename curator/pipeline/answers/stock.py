"""What the model's own text has to offer to one draw."""

from __future__ import annotations

from collections import defaultdict

from curator.pipeline.answers.supply import SelfSupply
from curator.pipeline.offers import Offer, Offers
from curator.select.cells import Cell

# A cell for which so many answers in a row were in vain gets no more of them: each costs minutes, not moments.
_VAIN = 256


class SelfStock:
    """Answers that were kept; see `Stock` for the methods.

    Args:
        supply: prompts and answers.
        offers: judges and encodes.
    """

    def __init__(self, supply: SelfSupply, offers: Offers) -> None:
        self.ready: defaultdict[Cell, list[Offer]] = defaultdict(list)
        self.gave_up: set[Cell] = set()
        self._supply = supply
        self._offers = offers
        supply.begin()

    def more(self, cell: Cell, missing: int) -> bool:
        """See `Stock`; answers are as long as they are, whatever is missing."""
        for _ in range(_VAIN):
            answered = self._supply.next()
            if answered is None:
                return False
            if answered.refusal is not None:
                self._offers.drops.add(answered.refusal.reason, answered.piece, answered.refusal.detail)
                continue
            offer = self._offers.offer(answered.piece)
            if offer is not None:
                self.ready[offer.cell].append(offer)
                if offer.cell == cell:
                    return True
        self.gave_up.add(cell)
        return False

    def is_spent(self, cell: Cell) -> bool:
        """See `Stock`."""
        return True

    def took(self, offer: Offer) -> None:
        """See `Stock`. No answer is given twice while there are other prompts."""

    def close(self) -> None:
        """See `Stock`. What was answered and not looked at waits for the next draw."""
