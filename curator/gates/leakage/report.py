"""What was found in all texts together."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from curator.gates.leakage.grams import SIZES, grams
from curator.gates.leakage.leak import Leak
from curator.gates.leakage.words import WORD, split_words

# With fewer hits, one row of words is always behind half of them.
_FEW = 3
_EXAMPLES = 3


@dataclass(slots=True)
class LeakageReport:
    """Hits by item, with their words.

    Attributes:
        hits: number of texts that share evidence with an item, by item.
        examples: of each item, the first few texts' names with what they share.
    """

    hits: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[tuple[str, Leak]]] = field(default_factory=dict)
    _rows: Counter[int] = field(default_factory=Counter)
    _words: dict[int, str] = field(default_factory=dict)

    def add(self, name: str, leak: Leak) -> None:
        """Count a text.

        Args:
            name: what the report calls the text.
            leak: what `Leakage.measure` found in it; nothing is fine.
        """
        if not leak.run:
            return
        self.hits[leak.item] += 1
        shown = self.examples.setdefault(leak.item, [])
        if len(shown) < _EXAMPLES:
            shown.append((name, leak))
        words = split_words(leak.words)
        full = next(size.full for size in SIZES if (size.kind == WORD) == (leak.unit == "words"))
        length = min(full, len(words))
        for place, row in enumerate(grams(words.hashes, length).tolist() if length else []):
            self._rows[row] += 1
            if row not in self._words:
                start, end = words.span(leak.words, place, place + length - 1)
                self._words[row] = leak.words[start:end]

    def warnings(self) -> list[str]:
        """What is wrong with the hits: one row of words that is behind more than half of them."""
        total = self.hits.total()
        row, count = max(self._rows.items(), key=lambda pair: pair[1], default=(0, 0))
        if total < _FEW or count * 2 <= total:
            return []
        return [
            f"{count} of {total} texts that were found by leakage share {self._words[row]!r}: if that is an "
            "instruction, a licence or a template, put it into gates.leakage.exempt"
        ]
