"""What a set lacks, cell by cell, why, and where more of it could be had."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from curator.corpora.generators import GENERATORS
from curator.corpora.shelf import load_cards
from curator.pipeline.answers.supply import SelfSupply
from curator.pipeline.fill import Filler
from curator.pipeline.open_source import OpenSource
from curator.select.cells import Cell, Margin
from curator.select.endless import EndlessSupply

# A cell may miss what was asked by this part of it without a word.
_TOLERANCE = 0.02
# Where texts stay whole, by this part of the set: its shares are as fine as its texts.
_WHOLE = 0.01
# For fewer tokens nobody adds a source.
_WORTH_A_SOURCE = 64
_TOLD = 3
_MADE = (EndlessSupply, SelfSupply)


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A cell that gave less than was asked.

    Attributes:
        cell: the task, with language and length where the target has them.
        asked: tokens asked.
        available: tokens of all texts that were found for it, taken or not.
        taken: tokens that reach the model.
        why: what became of the rest.
        suggestion: sources that could give more; empty when none is known.
    """

    cell: str
    asked: int
    available: int
    taken: int
    why: str
    suggestion: str


@dataclass(frozen=True, slots=True)
class MarginReport:
    """What is asked of a task, a language or a length, and what it has of the tokens that reach the model.

    Attributes:
        name: in words.
        asked: its share of the tokens.
        got: its share of those that documents gave.
    """

    name: str
    asked: float
    got: float


def margin_reports(filler: Filler, placed: Mapping[str, int]) -> list[MarginReport]:
    """Shares of the tokens by task, and by language and length where the target has them.

    Args:
        filler: what was asked and taken.
        placed: tokens that reach the model, by the id of the piece.
    """
    got: Counter[Cell] = Counter()
    for piece, cell in filler.taking.cells_of().items():
        got[cell] += placed.get(piece, 0)
    whole = got.total() or 1
    return [
        MarginReport(one.name, one.tokens / filler.plan.room, sum(got[cell] for cell in one.cells) / whole)
        for one in filler.plan.margins()
        # Texts without a language have a margin of nothing where no source has such texts.
        if one.tokens or any(got[cell] for cell in one.cells)
    ]


def shortfalls(filler: Filler, sources: Sequence[OpenSource]) -> list[Shortfall]:
    """The cells that gave less than was asked, in the order of the recipe."""
    asked: dict[Cell, int] = {}
    for (_, cell), tokens in filler.asked.items():
        asked[cell] = asked.get(cell, 0) + tokens
    wanted = {cell: tokens * filler.scale for cell, tokens in filler.plan.wanted().items()}
    # What one cell lacks and another gave in its place is missing nowhere.
    spare = _WHOLE * filler.plan.room if filler.keeps_whole else 0.0
    short = [
        one
        for one in filler.plan.margins()
        if _taken(one, filler) < (1 - _TOLERANCE) * filler.scale * one.tokens - spare
        or 0 == _taken(one, filler) < one.tokens
    ]
    lacking = frozenset[Cell]().union(*(one.cells for one in short))
    found = []
    for cell in dict.fromkeys([*wanted, *asked]):
        tokens = max(asked.get(cell, 0), round(wanted.get(cell, 0)))
        taken = filler.taking.of_cell(cell)
        if cell in lacking and tokens - taken > _TOLERANCE * tokens + (spare if taken else 0.0):
            found.append(
                Shortfall(
                    cell=filler.plan.cells.words(cell),
                    asked=tokens,
                    available=filler.taking.available(cell),
                    taken=taken,
                    why=_why(cell, tokens, filler, sources),
                    suggestion=_suggestion(cell, filler, sources) if tokens - taken >= _WORTH_A_SOURCE else "",
                )
            )
    return found


def _taken(margin: Margin, filler: Filler) -> int:
    return sum(filler.taking.of_cell(cell) for cell in margin.cells)


def _why(cell: Cell, tokens: int, filler: Filler, sources: Sequence[OpenSource]) -> str:
    own = [at for at, source in enumerate(sources) if source.task == cell.task]
    able = [at for at in own if sources[at].can_give(cell.language, filler.plan.cells)]
    if not able:
        return f"no source of the task has texts{f' in {cell.language}' if cell.language else ''}"
    span = filler.plan.cells.span(cell)
    if tokens < span.low:
        return f"{tokens:,} tokens are less than one text of this length; a larger set has room for it"
    given_up = filler.taking.gave_up(cell)
    if given_up:
        names = ", ".join(sources[at].name for at in given_up)
        return f"reading was given up, since nothing of the kind came ({names})"
    unmade = [supply.refusal for at in able if isinstance(supply := sources[at].supply, _MADE)]
    if any(unmade):
        return "; ".join(filter(None, unmade))
    if all(isinstance(sources[at].supply, EndlessSupply) for at in able) and not filler.taking.available(cell):
        return "no sample of this length can be made, or none that the gates let through"
    refused = filler.offers.drops.words(cell.task)
    such = f"; refused: {refused}" if refused else ""
    if all((at, cell) in filler.taking.exhausted for at in able):
        return f"all text is used up{such}"
    return f"the texts are of other lengths than what is missing{such}"


def _suggestion(cell: Cell, filler: Filler, sources: Sequence[OpenSource]) -> str:
    """Cards and generators for the task, in the cell's language, that the recipe does not use."""
    used = {source.name for source in sources}
    found = []
    generator = GENERATORS.get(cell.task)
    if generator is not None and f"generate:{cell.task}" not in used:
        spoken = generator.choices.get("language", ())
        found += [f"generate: {cell.task}"] if not cell.language or cell.language in spoken else []
    named = filler.plan.cells.named
    for card in load_cards().values():
        fits = not cell.language or card.language == "mul" or named(cell.task, card.language) == cell.language
        if card.id not in used and card.task == cell.task and fits:
            found.append(f"corpus: {card.id}")
    return " or ".join(found[:_TOLD])
