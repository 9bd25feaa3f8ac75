"""Held-out prompts that are like an evaluation's items in task, language and lengths."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from curator._errors import DependencyError, InputError
from curator.corpora.document import conversation_text
from curator.corpora.generators import GENERATORS
from curator.corpora.shelf import load_cards
from curator.measure.heldout.cells import WantedCell, wanted_cells
from curator.measure.heldout.from_cards import FromCards
from curator.measure.heldout.generated import CountText, Generated
from curator.measure.heldout.own import OwnPrompts
from curator.measure.heldout.prompt import Prompt
from curator.profile import Profile
from curator.profile.derive_mix import REFILL
from curator.profile.derive_sources import kind_of

DEFAULT_ITEMS = 200
Advance = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class CellLine:
    """What came of one cell.

    Attributes:
        cell: what was wanted.
        got: prompts found.
        tokens: median of their tokens; 0 without any.
        missing: why there are fewer than wanted; empty where there are not.
    """

    cell: WantedCell
    got: int
    tokens: int
    missing: str


@dataclass(frozen=True, slots=True)
class Matched:
    """Prompts, and what came of each cell of the profile."""

    prompts: list[Prompt]
    lines: list[CellLine]


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted.

    Attributes:
        items: prompts in all, at least.
        max_tokens: the most tokens of a prompt; ``None`` for no limit.
        max_new: the most tokens of an output; ``None`` for no limit.
    """

    items: int = DEFAULT_ITEMS
    max_tokens: int | None = None
    max_new: int | None = None


def make_matched(profile: Profile, wish: Wish, count: CountText, advance: Advance) -> Matched:
    """Make prompts from generators and held-out units; the same each time, whatever the recipe.

    Args:
        profile: the evaluation's.
        wish: what is wanted.
        count: counts the tokens of a text.
        advance: called with the number of prompts done since the last call.

    Raises:
        InputError: not one prompt could be made.
    """
    generated, cards = Generated(count), FromCards(count)
    kinds = {*GENERATORS, *(card.task for card in load_cards().values())}

    def give(cell: WantedCell, problems: list[str]) -> Iterator[Prompt]:
        kind, _ = kind_of(cell.task, profile.tasks[cell.task], kinds)
        got = 0
        if kind in GENERATORS and generated.speaks(kind, cell.language):
            try:
                for prompt in generated.prompts(kind, cell):
                    got += 1
                    yield prompt
            except (InputError, DependencyError) as error:
                problems.append(str(error))
        for name in dict.fromkeys((kind, *(() if kind in GENERATORS else (REFILL,)))):
            for prompt in cards.prompts(name, cell, cell.lengths[got:]):
                got += 1
                yield prompt
        problems.append(f"no more held-out text of {kind} in {cell.language} has this length")

    return _matched(wanted_cells(profile, wish.items, wish.max_tokens, wish.max_new), give, count, advance)


def match_own(
    profile: Profile, wish: Wish, prompts: Sequence[Prompt], count: CountText, advance: Advance
) -> Matched:
    """Choose among a user's own prompts; arguments and errors as `make_matched`."""
    own = OwnPrompts(prompts, count)

    def give(cell: WantedCell, problems: list[str]) -> Iterator[Prompt]:
        yield from own.prompts(cell)
        problems.append(f"no more own prompts of task {cell.task} in {cell.language} have this length")

    return _matched(wanted_cells(profile, wish.items, wish.max_tokens, wish.max_new), give, count, advance)


def _matched(
    cells: Sequence[WantedCell],
    give: Callable[[WantedCell, list[str]], Iterator[Prompt]],
    count: CountText,
    advance: Advance,
) -> Matched:
    found: list[Prompt] = []
    lines: list[CellLine] = []
    seen: set[str] = set()
    for cell in cells:
        problems: list[str] = []
        own = []
        for prompt in give(cell, problems):
            # Short problems may come out alike twice.
            if prompt.words() not in seen:
                seen.add(prompt.words())
                own.append(prompt)
                advance(1)
        tokens = [count(prompt.text or conversation_text(prompt.messages)) for prompt in own]
        missing = problems[0] if len(own) < len(cell.lengths) else ""
        lines.append(CellLine(cell, len(own), round(statistics.median(tokens)) if tokens else 0, missing))
        found += own
    if not found:
        raise InputError(f"held-out prompts: none could be found for any cell ({lines[0].missing})")
    return Matched(found, lines)
