"""Taking pieces from sources until every task has its share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from curator._errors import InputError
from curator._seed import stable_hash
from curator.corpora.spdx import canonical_licence
from curator.pipeline.drops import Drops
from curator.pipeline.open_source import OpenSource
from curator.pipeline.screen import Screen
from curator.pipeline.verdict import Verdict
from curator.recipe.schema import Recipe
from curator.select.pieces import Piece
from curator.select.quotas import split_quota
from curator.tokens.encode import Encoder
from curator.tokens.pack import Segment
from curator.tokens.tokenizer import TemplateRefusal

Advance = Callable[[int], None]
# Documents of a source that wait at once for a quota that they fit into.
_PATIENCE = 50


class Filler:
    """Fills one draw of a recipe.

    Args:
        recipe: shares, lengths and policies.
        sources: where pieces come from; they remember what earlier draws took.
        screen: gates and scores.
        encoder: from pieces to token ids.
        advance: called with the number of tokens taken since the last call.

    Attributes:
        drops: what was refused.
        notes: documents by what happened on the way to tokens.
        asked: tokens asked of each source, by its place in ``sources``.
        taken: segments taken from each source, likewise.
        got: their tokens, likewise.
        exhausted: places of the sources that have nothing left for this draw.
        judged: the verdicts on all pieces looked at, in the order of looking.
    """

    def __init__(
        self, recipe: Recipe, sources: Sequence[OpenSource], screen: Screen, encoder: Encoder, advance: Advance
    ) -> None:
        self.drops = Drops()
        self.notes: Counter[str] = Counter()
        self.asked: list[int] = [0] * len(sources)
        self.taken: list[list[Segment]] = [[] for _ in sources]
        self.got: list[int] = [0] * len(sources)
        self.exhausted: set[int] = set()
        self.judged: dict[str, Verdict] = {}
        self._recipe = recipe
        self._sources = sources
        self._screen = screen
        self._encoder = encoder
        self._advance = advance
        self._in_draw: set[str] = set()
        self._waiting: list[list[tuple[Piece, Segment]]] = [[] for _ in sources]
        # One sequence's worth at most, so that no document crowds out the others.
        longest = recipe.size.longest
        self._longest = longest if recipe.tokens.pack == "concat" else longest - len(encoder.prefix)
        self._draws = [source.supply.draw() for source in sources]
        for source in sources:
            if source.scanned is not None:
                self.drops.add_rows(source.task, source.scanned)

    def fill(self) -> list[Segment]:
        """Take what the recipe asks for, task by task; short where the sources are."""
        if self._recipe.tokens.pack == "none":
            self._fill_sequences()
        else:
            size, prefix = self._recipe.size, len(self._encoder.prefix)
            room = size.total - size.count * prefix
            for index, tokens in self._quotas(room).items():
                self.asked[index] = tokens
            self._fill_tasks(self.asked)
        return [segment for part in self.taken for segment in part]

    def fill_more(self, room: int) -> list[Segment]:
        """Take ``room`` tokens more, in the same shares, for sequences that packing could not fill."""
        before = [len(part) for part in self.taken]
        self._fill_tasks([self._quotas(room).get(index, 0) for index in range(len(self._sources))])
        return [segment for part, had in zip(self.taken, before, strict=True) for segment in part[had:]]

    def _quotas(self, room: int) -> dict[int, int]:
        """``room`` tokens by task and, within a task, by weight; by the sources' places."""
        found: dict[int, int] = {}
        for task, quota in split_quota(room, self._recipe.target.shares()).items():
            own = {str(i): source.weight for i, source in enumerate(self._sources) if source.task == task}
            found |= {int(index): tokens for index, tokens in split_quota(quota, own).items()}
        return found

    def _fill_tasks(self, wanted: Sequence[int]) -> None:
        for task in dict.fromkeys(self._recipe.target.tasks):
            self._fill_task([i for i, source in enumerate(self._sources) if source.task == task], wanted)

    def _fill_task(self, own: Sequence[int], wanted: Sequence[int]) -> None:
        """Take what is wanted of each source of a task; what one cannot give, the others are asked for."""
        aim = sum(self.got[index] + wanted[index] for index in own)
        for again in (False, True):
            missing = aim - sum(self.got[index] for index in own)
            for index in own:
                goal = self.got[index] + (missing if again else wanted[index])
                missing += self.got[index]
                while (left := goal - self.got[index]) > 0 and self._take(index, min(left, self._longest)):
                    pass
                missing -= self.got[index]

    def _fill_sequences(self) -> None:
        """One piece a sequence: the next always comes from the source that lags furthest behind its share."""
        shares = self._recipe.target.shares()
        by_task: defaultdict[str, float] = defaultdict(float)
        for source in self._sources:
            by_task[source.task] += source.weight
        wanted = {
            index: shares[source.task] * source.weight / by_task[source.task]
            for index, source in enumerate(self._sources)
        }
        # What exhausted sources would have given: others must not take their place in the mix.
        missed = [0] * len(self._sources)
        for length in self._recipe.size.lengths():
            total = sum(self.got) + sum(missed) + 1
            lag = {index: share * total - self.got[index] - missed[index] for index, share in wanted.items()}
            order = sorted(lag, key=lambda index: (-lag[index], index))
            first = order[0]
            own = [index for index in order if self._sources[index].task == self._sources[first].task]
            # Cut by the packing alone, which gives the longest documents the longest sequences.
            if not any(self._take(index, self._longest) for index in own):
                missed[first] += length - len(self._encoder.prefix)
        whole = sum(self.got) + sum(missed)
        self.asked = [round(whole * wanted[index]) for index in range(len(self._sources))]

    def _take(self, index: int, want: int) -> bool:
        """Take the next piece of a source that passes, at most ``want`` tokens of it; false when there is none.

        Where documents are to stay whole, one with more tokens waits until more is wanted; the last tokens of a
        quota go to the first that fits.
        """
        whole, waiting = self._recipe.tokens.pack == "bfd", self._waiting[index]
        for place, (waited, segment) in enumerate(waiting):
            if len(segment.ids) <= want:
                del waiting[place]
                return self._use(index, waited, segment)
        while len(waiting) < _PATIENCE and (piece := next(self._draws[index], None)) is not None:
            found = self._segment(piece, self._longest if whole else want)
            if found is not None and len(found.ids) <= want:
                return self._use(index, piece, found)
            if found is not None:
                waiting.append((piece, found))
        if not waiting:
            self.exhausted.add(index)
        return False

    def _use(self, index: int, piece: Piece, segment: Segment) -> bool:
        self._sources[index].supply.took(piece)
        self._in_draw.add(piece.id)
        self.taken[index].append(segment)
        self.got[index] += len(segment.ids)
        self._advance(len(segment.ids))
        return True

    def _segment(self, piece: Piece, want: int) -> Segment | None:
        if piece.id in self._in_draw:
            self.drops.add("duplicate", piece, "another source of the recipe gave this very piece")
            return None
        verdict = self.judged[piece.id] = self._screen.judge(piece)
        if verdict.drop is not None:
            self.drops.add(verdict.drop.reason, verdict.piece, verdict.drop.detail)
            return None
        piece, document = verdict.piece, verdict.piece.document
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
        self.notes.update(encoded.notes)
        kept = encoded.ids[:want]
        return Segment(
            piece=piece.id,
            document=document.id,
            task=document.task,
            language=verdict.language,
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


def mixed(segments: Sequence[Segment], seed: int, draw: int) -> Iterator[Segment]:
    """The segments in an order of their own for each draw, whatever their sources."""
    yield from sorted(segments, key=lambda segment: (stable_hash("mix", seed, draw, segment.piece), segment.piece))
