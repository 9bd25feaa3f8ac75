"""What was refused, counted, with a few examples of every reason."""

from __future__ import annotations

from collections import Counter, defaultdict

from curator.select.pieces import Piece
from curator.select.scan import EXAMPLES, Scan

_SHOWN_CHARS = 400


class Drops:
    """Refused pieces and bad rows by reason.

    Attributes:
        counts: how many of each reason.
        examples: the first few of each: ``id`` (or place), ``text`` and ``detail``.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.examples: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
        self._by_task: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, reason: str, piece: Piece, detail: str) -> None:
        """Count a refused piece."""
        self.counts[reason] += 1
        self._by_task[piece.document.task][reason] += 1
        row_id = piece.document.row_id
        self._show(reason, piece.id, piece.text[:_SHOWN_CHARS], f"row id {row_id}: {detail}" if row_id else detail)

    def add_rows(self, task: str, found: Scan) -> None:
        """Count the rows of a source that gave no document."""
        for reason, count in sorted(found.bad.items()):
            self.counts[reason] += count
            self._by_task[task][reason] += count
            for row in found.examples[reason]:
                self._show(reason, row.where, "", row.detail)

    def words(self, task: str | None = None) -> str:
        """``reason count, reason count``, of one task or of all."""
        counts = self.counts if task is None else self._by_task[task]
        return ", ".join(f"{reason} {count}" for reason, count in sorted(counts.items()))

    def _show(self, reason: str, where: str, text: str, detail: str) -> None:
        if len(self.examples[reason]) < EXAMPLES:
            self.examples[reason].append({"id": where, "text": text, "detail": detail})
