"""From a recipe to calibration sets, one a draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from curator._errors import InputError
from curator.engine.actors import actors_for
from curator.engine.interface import Actors, Workers
from curator.measure.heldout import Prompt
from curator.pipeline.answers.ask import Answerer
from curator.pipeline.answers.supply import SelfSupply
from curator.pipeline.calibration_set import CalibrationSet, tokens_by
from curator.pipeline.fill import Advance, Filler
from curator.pipeline.least_lengths import refuse_too_short
from curator.pipeline.low_continuity import LowShares, low_continuity
from curator.pipeline.low_limit import limited, told
from curator.pipeline.neighbours import Neighbour, nearest_to_evaluation
from curator.pipeline.offers import Offer
from curator.pipeline.open_source import OpenSource
from curator.pipeline.plan import Shares, shares_of
from curator.pipeline.reports import set_warnings, source_report
from curator.pipeline.screen import Screen
from curator.pipeline.shortfall import margin_reports, shortfalls
from curator.pipeline.source_state import sources_sha256
from curator.pipeline.sources import open_sources
from curator.pipeline.steps.continuity import sentences_for
from curator.pipeline.steps.kinds import is_code
from curator.pipeline.steps.leakage import leakage_found, watched
from curator.recipe.load import LoadedRecipe
from curator.scores.continuity import AUTO_MIN, check_continuity
from curator.scores.scorer import Scorer
from curator.scores.sentences import sentence_spans
from curator.select.coverage import cover
from curator.select.endless import EndlessSupply
from curator.select.supply import FiniteSupply
from curator.tokens.encode import Encoder
from curator.tokens.pack import Packed, Segment
from curator.tokens.tokenizer import Tokenizer


def build_draws(
    loaded: LoadedRecipe,
    tokenizer: Tokenizer,
    draws: int,
    prompts: Sequence[Prompt],
    advance: Advance = lambda _tokens: None,
    sources: list[OpenSource] | None = None,
    answerer: Answerer | None = None,
    workers: Workers = 1,
) -> list[CalibrationSet]:
    """Build the first ``draws`` draws of a recipe. Draw 0 is the same however many are built.

    Args:
        loaded: the recipe.
        tokenizer: of the model to be quantised.
        draws: number of sets.
        prompts: held-out prompts; pieces that share text with one are refused.
        advance: called with the number of tokens taken since the last call.
        sources: the recipe's sources, freshly opened; opened here when left out.
        answerer: the model whose own text the recipe asks for; needed for such recipes alone.
        workers: processes that read, and that score where there is much to score, or an engine; the sets are the
            same.

    Raises:
        RecipeError: a source cannot be opened.
        InputError: the sources give no token at all, or the template cannot be used.
    """
    opened = open_sources(loaded, workers) if sources is None else sources
    with actors_for(workers, loaded.recipe.size.total * draws) as actors:
        builder = _Builder(loaded, tokenizer, prompts, opened, answerer, actors)
        return [builder.build(draw, advance) for draw in range(draws)]


# Times that the shares are moved before a limit counts as out of reach.
_LIMITED = 8


@dataclass(frozen=True, slots=True)
class _Filled:
    """What was taken and packed, in which shares, and why in these, in words."""

    segments: list[Segment]
    packed: Packed
    shares: Shares
    note: str


class _Builder:
    """State that draws share: supplies, judged pieces, used pieces."""

    def __init__(
        self,
        loaded: LoadedRecipe,
        tokenizer: Tokenizer,
        prompts: Sequence[Prompt],
        sources: list[OpenSource],
        answerer: Answerer | None,
        actors: Actors | None,
    ) -> None:
        recipe = loaded.recipe
        self._loaded = loaded
        self._sources = sources
        self._tokenizer = tokenizer
        # What the scorer has to tell of its store; see `set_warnings`.
        self._notes = notes = list[str]()
        self._against = watched(loaded, prompts)
        self._scorer = Scorer(recipe.continuity, notes.append)
        self._screen = Screen(recipe, self._against, self._scorer, actors)
        if not tokenizer.template:
            _refuse_conversations(loaded, sources)
        self._encoder = Encoder(tokenizer, recipe.tokens)
        for source in sources:
            if isinstance(source.supply, EndlessSupply):
                source.supply.count = self._encoder.count
            if isinstance(source.supply, SelfSupply):
                source.supply.ready(answerer, self._against.held_out.measure)
        self._answerer = answerer
        self._sources_hash = sources_sha256(loaded)
        self._used: set[str] = set()
        if recipe.size.lengths()[-1] <= len(self._encoder.prefix):
            raise InputError(f"{loaded.path}: size.tokens leaves no room for text")
        refuse_too_short(loaded, sources, self._encoder)

    def build(self, draw: int, advance: Callable[[int], None]) -> CalibrationSet:
        recipe = self._loaded.recipe
        order = self._coverage if recipe.target.diversity == "coverage" else None
        filler = Filler(recipe, self._sources, self._screen, self._encoder, advance, order)
        low = LowShares(partial(self._low_windows, filler), self._tokenizer)
        filled = self._fill(filler, draw, low)
        filler.close()
        packed, judged, drops = filled.packed, filler.offers.judged, filler.offers.drops
        # Counted on the finished sequences: packing may have left tokens out.
        placed = tokens_by(packed.sequences, "piece")
        taken = [segment for segment in filled.segments if placed[segment.piece]]
        lost = [segment.cut + len(segment.ids) - placed[segment.piece] for segment in taken]
        made = CalibrationSet(
            recipe=self._loaded,
            draw=draw,
            sources_hash=self._sources_hash,
            sequences=packed.sequences,
            sources=[source_report(one, index, filler, placed) for index, one in enumerate(self._sources)],
            dropped=dict(drops.counts),
            examples=dict(drops.examples),
            overlap=self._overlap(filled.segments),
            cut_pieces=sum(tokens > 0 for tokens in lost),
            cut_tokens=sum(lost),
            unused=packed.unused,
            low_continuity=low_continuity(taken, placed, low),
            judged=list(judged.values()),
            leakage=leakage_found(((name, verdict.scores) for name, verdict in judged.items()), self._against),
            neighbours=self._neighbours(filler, taken),
            encoding_notes=dict(sorted(filler.taking.notes.items())),
            asked=filled.shares.tasks,
            margins=margin_reports(filler, placed),
            shortfall=shortfalls(filler, self._sources),
            offered=filler.taking.offered(),
        )
        others = [*self._encoder.notes, *self._notes, *(self._answerer.notes if self._answerer else ())]
        made.warnings = list(set_warnings(made, filler, self._sources, filled.note, others))
        return made

    def _fill(self, filler: Filler, draw: int, low: LowShares) -> _Filled:
        """Fill and pack; where the target limits text without continuity, again until there is no more of it."""
        target = self._loaded.recipe.target.low_continuity
        most = 1.0 if target is None else target.max_share
        before = shares = shares_of(self._loaded.recipe, self._sources)
        aim, at_first, note = most, 0.0, ""
        for again in range(_LIMITED):
            segments = self._some(filler, shares)
            packed = filler.pack(draw)
            placed = tokens_by(packed.sequences, "piece")
            share = low_continuity([one for one in segments if placed[one.piece]], placed, low).share
            at_first = at_first or share
            # What was planned for is not quite what comes.
            aim = aim * most / share if again and share > most else aim
            parts = [_low_part(filler.taking.segments(at), low) for at in range(len(self._sources))]
            after = limited(shares, self._sources, parts, aim) if share > most else shares
            note = "" if shares is before else told(before, shares, at_first, most)
            if after is None:
                note = f"text without continuity is {share:.1%} of the tokens, and no source has less of it"
            if after is None or after == shares:
                break
            shares = after
        return _Filled(segments, packed, shares, note)

    def _some(self, filler: Filler, shares: Shares) -> list[Segment]:
        segments = filler.fill(shares)
        if not segments:
            got = [sum(len(one.ids) for one in filler.taking.segments(at)) for at in range(len(self._sources))]
            gave = ", ".join(f"{source.name} {tokens}" for source, tokens in zip(self._sources, got, strict=True))
            filler.close()
            why = "; ".join(dict.fromkeys(one.why for one in shortfalls(filler, self._sources)))
            refused = filler.offers.drops.words()
            reasons = f"; refused: {refused}" if refused else f": {why}" if why else ""
            raise InputError(f"{self._loaded.path}: the sources gave no text at all ({gave}){reasons}")
        return segments

    def _coverage(self, offers: Sequence[Offer]) -> list[Offer]:
        """Offers in the order in which they cover the space of their vectors; then those without."""
        pieces = [self._screen.judge(offer.piece).piece for offer in offers]
        documents = [piece.document for piece in pieces]
        spoken = [at for at, one in enumerate(documents) if not (is_code(one) or one.low_continuity)]
        vectors = [self._scorer.score(sentences_for(pieces[at])).vector for at in spoken]
        first = [spoken[at] for at in cover(np.stack(vectors))] if spoken else []
        rest = sorted(set(range(len(offers))) - set(spoken))
        return [offers[at] for at in [*first, *rest]]

    def _neighbours(self, filler: Filler, taken: list[Segment]) -> list[Neighbour]:
        if self._loaded.recipe.continuity.min is False:
            return []
        pieces = [filler.offers.judged[segment.piece].piece for segment in taken]
        return nearest_to_evaluation(pieces, self._against.items, self._scorer)

    def _low_windows(self, filler: Filler, segment: Segment) -> list[tuple[int, int]]:
        """Windows without continuity, of a text that the chain did not look at because it may lack it.

        Others passed the chain: what is in the set of them is continuous.
        """
        settings = self._loaded.recipe.continuity
        if settings.min is False or not filler.offers.judged[segment.piece].piece.document.low_continuity:
            return []
        least = AUTO_MIN if settings.min == "auto" else settings.min
        windows = self._scorer.score(sentence_spans(segment.text)).windows
        return [(one.start, one.end) for one in windows if check_continuity(one.score.flat(), least) is not None]

    def _overlap(self, segments: list[Segment]) -> float:
        used = [segment for segment in segments if segment.piece in self._used]
        self._used.update(segment.piece for segment in segments)
        return sum(len(segment.ids) for segment in used) / sum(len(segment.ids) for segment in segments)


def _low_part(segments: Sequence[Segment], low: LowShares) -> float:
    """The part of the tokens of some segments that lacks continuity."""
    tokens = sum(len(one.ids) for one in segments)
    return sum(low(one) * len(one.ids) for one in segments) / tokens if tokens else 0.0


def _refuse_conversations(loaded: LoadedRecipe, sources: list[OpenSource]) -> None:
    """Say at the start what the first conversation would say later."""
    for source in sources:
        supply = source.supply
        turns = isinstance(supply, FiniteSupply) and any(piece.document.messages for piece in supply.first())
        if turns or isinstance(supply, SelfSupply):
            raise InputError(
                f"{loaded.path}: {source.name} has conversations and the model's tokenizer has no chat template; "
                "name a Jinja file in tokens.template, or use plain text"
            )
