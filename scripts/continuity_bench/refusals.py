"""How many good texts the automatic threshold refuses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scipy.stats import beta

from continuity_bench.units import Unit
from curator.scores.continuity import AUTO_MIN, check_continuity
from curator.scores.document import SentenceEncoder, score_windows
from curator.scores.sentences import Sentence
from curator.scores.windows import WINDOW_SENTENCES

# Stated for English documents alone.
_MOST_REFUSED = 0.02
_STRIDE = 16


@dataclass(frozen=True, slots=True)
class Refusals:
    """Good texts of so many windows.

    Attributes:
        name: which texts.
        windows: windows scored of each.
        texts: how many there were; overlapping ones, where the texts are longer.
        refused: how many of them were refused.
        target: the largest share wanted, or none.
    """

    name: str
    windows: int
    texts: int
    refused: int
    target: float | None

    @property
    def fails(self) -> bool:
        """Whether more are refused than wanted."""
        return self.target is not None and self.refused > self.target * self.texts

    def line(self) -> str:
        """As it is printed, with a 95 % interval (Clopper-Pearson; overlapping texts make it too narrow)."""
        if not self.texts:
            return f"{self.name:32}{self.windows:2d} windows  no text is long enough"
        low = beta.ppf(0.025, self.refused, self.texts - self.refused + 1) if self.refused else 0.0
        high = beta.ppf(0.975, self.refused + 1, self.texts - self.refused) if self.refused < self.texts else 1.0
        wanted = "" if self.target is None else f"<= {self.target:.0%} {'FAIL' if self.fails else 'pass'}"
        share = f"{self.refused}/{self.texts} = {self.refused / self.texts:.1%} ({low:.1%} to {high:.1%})"
        return f"{self.name:32}{self.windows:2d} windows  {share}  {wanted}"


def refusals(name: str, units: Sequence[Unit], windows: int, encoder: SentenceEncoder) -> Refusals:
    """Score all stretches of ``windows`` times 32 sentences, each begun 16 sentences behind the one before."""
    size, texts, refused = windows * WINDOW_SENTENCES, 0, 0
    for unit in units:
        for start in range(0, len(unit.lines) - size + 1, _STRIDE):
            text = [Sentence(line, 0, 0) for line in unit.lines[start : start + size]]
            texts += 1
            refused += check_continuity(score_windows(text, encoder).flat(), AUTO_MIN) is not None
    return Refusals(name, windows, texts, refused, _MOST_REFUSED if name.startswith("English") else None)
