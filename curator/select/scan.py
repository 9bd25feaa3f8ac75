"""Reading a source once and keeping the pieces that come first in drawing order."""

from __future__ import annotations

import dataclasses
import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from curator._seed import stable_hash
from curator.corpora.corpus import BadRow, Shard
from curator.corpora.document import Document
from curator.corpora.heldout_split import is_heldout
from curator.corpora.rows.records import Mended
from curator.engine.local import map_in_order
from curator.select.pieces import Piece, cut_pieces

Key = tuple[int, str]
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
        window: characters of text that are kept in memory at most.
    """

    task: str
    chars: int
    seed: int
    without_heldout: bool
    window: int
    own_tasks: bool = False
    low_continuity: bool = False


@dataclass(slots=True)
class Scan:
    """What one pass over shards found.

    Attributes:
        pieces: the first pieces after the point asked for, in drawing order.
        cutoff: the key of the first piece that had no room; ``None`` when these are all.
        documents: documents read.
        chars: characters of all pieces, kept or not.
        mended: rows that were repaired and kept.
        other_tasks: documents of other tasks than the rule's, by task.
        bad: rows that gave no document, by reason.
        examples: the first few of each reason.
    """

    pieces: list[Piece] = field(default_factory=list)
    cutoff: Key | None = None
    documents: int = 0
    chars: int = 0
    mended: int = 0
    other_tasks: Counter[str] = field(default_factory=Counter)
    bad: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[BadRow]] = field(default_factory=dict)

    def note(self, bad: BadRow) -> None:
        """Count a bad row."""
        self.bad[bad.reason] += 1
        shown = self.examples.setdefault(bad.reason, [])
        if len(shown) < EXAMPLES:
            shown.append(bad)

    def forget_bad(self) -> None:
        """Leave the bad rows to another scan of the same source."""
        self.bad, self.examples, self.mended = Counter(), {}, 0


def piece_key(seed: int, piece: Piece) -> Key:
    """A piece's place in the drawing order, which depends on the seed and the piece's id alone."""
    return stable_hash("order", seed, piece.id), piece.id


def scan(shards: Sequence[Shard], rule: Rule, after: Key | None, workers: int) -> Scan:
    """Read all shards and keep the first pieces behind ``after``: as many as the rule's window holds.

    The result is the same for any number of workers and any division of a source into shards.
    """
    found = Scan()
    kept = _First(rule)
    tasks = [(shard, rule, after) for shard in shards]
    for part in map_in_order(_scan_shard, tasks, workers):
        found.documents += part.documents
        found.chars += part.chars
        found.mended += part.mended
        found.other_tasks += part.other_tasks
        for reason, count in part.bad.items():
            found.bad[reason] += count
            shown = found.examples.setdefault(reason, [])
            shown += part.examples[reason][: EXAMPLES - len(shown)]
        for piece in part.pieces:
            kept.offer(piece)
        kept.close_at(part.cutoff)
    found.pieces, found.cutoff = kept.pieces(), kept.cutoff
    return found


def _scan_shard(task: tuple[Shard, Rule, Key | None]) -> Scan:
    shard, rule, after = task
    found = Scan()
    kept = _First(rule)
    for record in shard.records():
        if isinstance(record, Mended):
            found.mended += 1
            continue
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
            if after is None or piece_key(rule.seed, piece) > after:
                kept.offer(piece)
    found.pieces, found.cutoff = kept.pieces(), kept.cutoff
    return found


def _pieces(document: Document, rule: Rule) -> Iterator[Piece]:
    low = rule.low_continuity or document.low_continuity
    document = dataclasses.replace(document, task=rule.task, low_continuity=low)
    return cut_pieces(document, rule.chars)


class _First:
    """The first pieces by key whose text fits into the window; a heap with the last on top."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self._heap: list[tuple[int, _Reversed, Piece]] = []
        self._chars = 0
        self.cutoff: Key | None = None

    def offer(self, piece: Piece) -> None:
        key = piece_key(self._rule.seed, piece)
        if self.cutoff is not None and key >= self.cutoff:
            return
        piece = piece.within(REACH)
        heapq.heappush(self._heap, (-key[0], _Reversed(key[1]), piece))
        self._chars += len(piece.document.text)
        # One piece always stays, however long: a window without any would never move on.
        while self._chars > self._rule.window and len(self._heap) > 1:
            self.cutoff = self._pop_last()

    def close_at(self, cutoff: Key | None) -> None:
        """Take note that pieces from this key on are missing in what was offered."""
        if cutoff is None or (self.cutoff is not None and self.cutoff <= cutoff):
            return
        self.cutoff = cutoff
        while self._heap and self._last_key() >= cutoff:
            self._pop_last()

    def pieces(self) -> list[Piece]:
        return [piece for _, _, piece in sorted(self._heap, key=lambda item: (-item[0], item[1].name))]

    def _last_key(self) -> Key:
        return -self._heap[0][0], self._heap[0][1].name

    def _pop_last(self) -> Key:
        key = self._last_key()
        _, _, piece = heapq.heappop(self._heap)
        self._chars -= len(piece.document.text)
        return key


@dataclass(frozen=True, slots=True)
class _Reversed:
    """A name that compares the other way round, for a heap with the largest on top."""

    name: str

    def __lt__(self, other: _Reversed) -> bool:
        return self.name > other.name
