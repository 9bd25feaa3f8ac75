"""From a recipe to calibration sets, one a draw."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from curator._errors import InputError
from curator._seed import stable_hash
from curator.measure.heldout import Prompt
from curator.pipeline.screen import Screen
from curator.pipeline.sources import OpenSource, open_sources
from curator.recipe.load import LoadedRecipe
from curator.recipe.schema import Size
from curator.scores.embedder import Embedder
from curator.select.pieces import Piece
from curator.select.quotas import split_quota
from curator.tokens.pack import PackedSequence, Segment, pack
from curator.tokens.tokenizer import TemplateRefusal, Tokenizer

EXAMPLES = 10
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What one source was asked for and gave, in tokens."""

    name: str
    task: str
    licence: str
    asked: int
    got: int
    documents: int
    pieces: int


@dataclass(slots=True)
class CalibrationSet:
    """One draw of a recipe.

    Attributes:
        recipe: what it was made from.
        draw: its number, from 0.
        sequences: what reaches the model.
        sources: asked and got, by source.
        dropped: refused pieces by reason.
        examples: up to ten refused pieces a reason: id, text, detail.
        overlap: share of its tokens from pieces that an earlier draw used.
        warnings: what the user should know, in words.
    """

    recipe: LoadedRecipe
    draw: int
    sequences: list[PackedSequence]
    sources: list[SourceReport]
    dropped: dict[str, int]
    examples: dict[str, list[dict[str, str]]]
    overlap: float
    warnings: list[str] = field(default_factory=list)

    @property
    def rows(self) -> list[list[int]]:
        """Token ids, one list a sequence."""
        return [list(sequence.ids) for sequence in self.sequences]

    @property
    def tokens(self) -> int:
        """Tokens of all sequences."""
        return sum(len(sequence.ids) for sequence in self.sequences)

    def shares(self) -> dict[str, float]:
        """Each task's share of the tokens that documents gave, measured on the finished sequences."""
        counts: Counter[str] = Counter()
        for sequence in self.sequences:
            for part in sequence.parts:
                counts[part.segment.task] += part.end - part.start
        total = sum(counts.values())
        return {task: counts[task] / total for task in self.recipe.recipe.target.tasks}


def build_draws(
    loaded: LoadedRecipe,
    tokenizer: Tokenizer,
    draws: int,
    prompts: Sequence[Prompt],
    advance: Advance = lambda _tokens: None,
) -> list[CalibrationSet]:
    """Build the first ``draws`` draws of a recipe. Draw 0 is the same however many are built.

    Args:
        loaded: the recipe.
        tokenizer: of the model to be quantised.
        draws: number of sets.
        prompts: held-out prompts; pieces that share text with one are refused.
        advance: called with the number of tokens taken since the last call.

    Raises:
        RecipeError: a source cannot be opened.
        InputError: the sources give no token at all.
    """
    builder = _Builder(loaded, tokenizer, prompts, advance)
    return [builder.build(draw) for draw in range(draws)]


class _Builder:
    """State that draws share: supplies, judged pieces, used pieces."""

    def __init__(
        self, loaded: LoadedRecipe, tokenizer: Tokenizer, prompts: Sequence[Prompt], advance: Advance
    ) -> None:
        self._loaded = loaded
        self._tokenizer = tokenizer
        self._sources = open_sources(loaded)
        self._screen = Screen(loaded.recipe, prompts, Embedder())
        self._advance = advance
        self._used: set[str] = set()
        recipe = loaded.recipe
        self._start = tokenizer.sequence_start()
        self._prefix = self._start if recipe.tokens.bos == "auto" else []
        if recipe.size.tokens <= len(self._prefix):
            raise InputError(f"{loaded.path}: size.tokens leaves no room for text")

    def build(self, draw: int) -> CalibrationSet:
        recipe = self._loaded.recipe
        content = recipe.size.samples * (recipe.size.tokens - len(self._prefix))
        drops = _Drops()
        self._in_draw: set[str] = set()
        segments: list[Segment] = []
        reports: list[SourceReport] = []
        for task, quota in split_quota(content, recipe.target.shares()).items():
            taken, task_reports = self._fill_task(task, quota, drops)
            segments += taken
            reports += task_reports
        if not segments:
            gave = ", ".join(f"{report.name} {report.got}" for report in reports)
            raise InputError(
                f"{self._loaded.path}: the sources gave no text at all ({gave}); "
                f"refused: {drops.words() or 'none'}"
            )
        used = [segment for segment in segments if segment.piece in self._used]
        overlap = sum(len(segment.ids) for segment in used) / sum(len(segment.ids) for segment in segments)
        self._used.update(segment.piece for segment in segments)
        segments.sort(key=lambda segment: (stable_hash("mix", recipe.seed, draw, segment.piece), segment.piece))
        sequences = pack(segments, recipe.size.tokens, self._prefix)
        warnings = [*self._loaded.notes, *_shortfalls(reports, drops), *_missing(recipe.size, sequences)]
        return CalibrationSet(
            self._loaded,
            draw,
            sequences,
            reports,
            dict(drops.counts),
            dict(drops.examples),
            overlap,
            warnings,
        )

    def _fill_task(self, task: str, quota: int, drops: _Drops) -> tuple[list[Segment], list[SourceReport]]:
        """Fill a task's quota from its sources by weight; what one cannot give, the others are asked for."""
        sources = [source for source in self._sources if source.task == task]
        weights = {str(index): source.weight for index, source in enumerate(sources)}
        asked = split_quota(quota, weights)
        draws = [source.supply.draw() for source in sources]
        taken: list[list[Segment]] = [[] for _ in sources]
        for again in (False, True):
            missing = quota - sum(len(segment.ids) for part in taken for segment in part)
            for index, source in enumerate(sources):
                want = missing if again else asked[str(index)]
                got = self._take(source, draws[index], want, drops)
                taken[index] += got
                missing -= sum(len(segment.ids) for segment in got)
        reports = [_report(source, asked[str(index)], taken[index]) for index, source in enumerate(sources)]
        return [segment for part in taken for segment in part], reports

    def _take(self, source: OpenSource, pieces: Iterator[Piece], want: int, drops: _Drops) -> list[Segment]:
        taken: list[Segment] = []
        while want > 0:
            piece = next(pieces, None)
            if piece is None:
                break
            segment = self._segment(piece, want, drops)
            if segment is None:
                continue
            source.supply.took(piece)
            self._in_draw.add(piece.id)
            taken.append(segment)
            want -= len(segment.ids)
            self._advance(len(segment.ids))
        return taken

    def _segment(self, piece: Piece, want: int, drops: _Drops) -> Segment | None:
        if piece.id in self._in_draw:
            drops.add("duplicate", piece, "another source of the recipe gave this very piece")
            return None
        verdict = self._screen.judge(piece)
        if verdict.drop is not None:
            drops.add(verdict.drop.reason, piece, verdict.drop.detail)
            return None
        document = piece.document
        try:
            ids = self._encode(piece)
        except TemplateRefusal as error:
            drops.add("template", piece, str(error))
            return None
        if not ids:
            drops.add("empty", piece, "no tokens")
            return None
        # One sequence's worth at most, so that no document crowds out the others.
        kept = ids[: min(want, self._loaded.recipe.size.tokens)]
        return Segment(
            piece=piece.id,
            document=document.id,
            task=document.task,
            language=document.language,
            corpus=document.corpus,
            licence=document.licence,
            ids=tuple(kept),
            text=piece.text,
            cut=len(ids) - len(kept),
            continuity=None if verdict.continuity is None else round(verdict.continuity.z, 4),
        )

    def _encode(self, piece: Piece) -> list[int]:
        if piece.document.messages is not None:
            chat = self._tokenizer.encode_chat(piece.document.messages)
            # Every sequence has one start: the template's own would be a second one, or stand inside.
            start = self._start
            return chat[len(start) :] if start and chat[: len(start)] == start else chat
        ids = self._tokenizer.encode(piece.text)
        separator = self._tokenizer.eos_id if self._loaded.recipe.tokens.separator == "eos" else None
        return ids + ([separator] if separator is not None and ids else [])


class _Drops:
    """Refused pieces, counted, with the first few of each reason kept to be shown."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._by_task: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.examples: defaultdict[str, list[dict[str, str]]] = defaultdict(list)

    def add(self, reason: str, piece: Piece, detail: str) -> None:
        self.counts[reason] += 1
        self._by_task[piece.document.task][reason] += 1
        if len(self.examples[reason]) < EXAMPLES:
            self.examples[reason].append({"id": piece.id, "text": piece.text[:400], "detail": detail})

    def words(self, task: str | None = None) -> str:
        counts = self.counts if task is None else self._by_task[task]
        return ", ".join(f"{reason} {count}" for reason, count in counts.items())


def _report(source: OpenSource, asked: int, taken: list[Segment]) -> SourceReport:
    return SourceReport(
        name=source.name,
        task=source.task,
        licence=source.licence,
        asked=asked,
        got=sum(len(segment.ids) for segment in taken),
        documents=len({segment.document for segment in taken}),
        pieces=len(taken),
    )


def _shortfalls(reports: list[SourceReport], drops: _Drops) -> list[str]:
    """One line a task that got less than asked, with what its sources gave."""
    found = []
    for task in dict.fromkeys(report.task for report in reports):
        own = [report for report in reports if report.task == task]
        asked, got = sum(report.asked for report in own), sum(report.got for report in own)
        if got < asked:
            gave = ", ".join(f"{report.name} {report.got}" for report in own)
            words = drops.words(task)
            refused = f"; refused: {words}" if words else ""
            found.append(f"task {task}: asked {asked} tokens, got {got}: all text is used up ({gave}){refused}")
    return found


def _missing(size: Size, sequences: list[PackedSequence]) -> list[str]:
    """A line when there are fewer sequences than asked, or the last is shorter."""
    tokens = sum(len(sequence.ids) for sequence in sequences)
    if tokens == size.samples * size.tokens:
        return []
    last = len(sequences[-1].ids)
    return [f"asked {size.samples} sequences of {size.tokens} tokens, got {len(sequences)}, the last of {last}"]
