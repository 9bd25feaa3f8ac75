"""Reading some parts of a source: their pieces in drawing order, and what else was in them."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from curator._seed import stable_hash
from curator.corpora.corpus import BadRow, Shard
from curator.corpora.document import Document
from curator.corpora.heldout_split import is_heldout
from curator.corpora.rows.records import Mended
from curator.engine.interface import Workers
from curator.engine.local import map_in_order
from curator.select.pieces import Piece, Stretch, cut_pieces, cut_stretches

# Bad rows shown of each reason.
EXAMPLES = 10
# Text around a piece that scores may look at; what is farther away is not kept in memory.
REACH = 8_000


@dataclass(frozen=True, slots=True)
class Rule:
    """How a source's documents become pieces; the same for all of its shards.

    Attributes:
        task: the task that the documents count for.
        chars: length of a piece in characters.
        seed: the recipe's seed.
        own_tasks: documents say their task themselves; take those of ``task`` alone.
        low_continuity: the documents lack continuous meaning on purpose.
        without_heldout: leave out the units that are kept for held-out prompts.
        stretches: lengths wanted instead of ``chars``; empty for pieces of one length.
    """

    task: str
    chars: int
    seed: int
    without_heldout: bool
    own_tasks: bool = False
    low_continuity: bool = False
    stretches: tuple[Stretch, ...] = ()


@dataclass(slots=True)
class Scan:
    """What was found in some parts of a source.

    Attributes:
        pieces: in drawing order.
        documents: documents read.
        chars: characters of all pieces.
        mended: rows that were repaired and kept.
        other_tasks: documents of other tasks than the rule's, by task.
        bad: rows that gave no document, by reason.
        examples: the first few of each reason.
        rows: rows of each part, good and bad.
    """

    pieces: list[Piece] = field(default_factory=list)
    documents: int = 0
    chars: int = 0
    mended: int = 0
    other_tasks: Counter[str] = field(default_factory=Counter)
    bad: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[BadRow]] = field(default_factory=dict)
    rows: list[int] = field(default_factory=list)

    def note(self, bad: BadRow) -> None:
        """Count a bad row."""
        self.bad[bad.reason] += 1
        shown = self.examples.setdefault(bad.reason, [])
        if len(shown) < EXAMPLES:
            shown.append(bad)

    def count(self, part: Scan) -> None:
        """Add all that another scan counted; its pieces are left with it."""
        self.documents += part.documents
        self.chars += part.chars
        self.mended += part.mended
        self.other_tasks += part.other_tasks
        for reason, count in part.bad.items():
            self.bad[reason] += count
            shown = self.examples.setdefault(reason, [])
            shown += part.examples[reason][: EXAMPLES - len(shown)]
        self.rows += part.rows

    def forget_bad(self) -> None:
        """Leave the bad rows to another scan of the same source."""
        self.bad, self.examples, self.mended = Counter(), {}, 0


def scan(parts: Sequence[Shard], rule: Rule, workers: Workers) -> Scan:
    """Read parts of a source to their ends. The result is the same for any number of workers."""
    found = Scan()
    for part in map_in_order(_scan_shard, [(part, rule) for part in parts], workers):
        found.count(part)
        found.pieces += part.pieces
    found.pieces.sort(key=lambda piece: (stable_hash("order", rule.seed, piece.id), piece.id))
    return found


def _scan_shard(task: tuple[Shard, Rule]) -> Scan:
    shard, rule = task
    found, rows = Scan(), 0
    for record in shard.records():
        if isinstance(record, Mended):
            found.mended += 1
            continue
        rows += 1
        if isinstance(record, BadRow):
            found.note(record)
            continue
        if rule.own_tasks and record.task != rule.task:
            found.other_tasks[record.task] += 1
            continue
        if rule.without_heldout and is_heldout(record.unit):
            continue
        found.documents += 1
        for piece in _pieces(record, rule):
            found.chars += piece.end - piece.start
            found.pieces.append(piece.within(REACH))
    found.rows.append(rows)
    return found


def _pieces(document: Document, rule: Rule) -> Iterator[Piece]:
    low = rule.low_continuity or document.low_continuity
    document = dataclasses.replace(document, task=rule.task, low_continuity=low)
    if rule.stretches:
        return cut_stretches(document, rule.stretches, rule.seed)
    return cut_pieces(document, rule.chars)
