"""Cells of a target whose texts only generators give, none of which makes so short a text."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from curator._errors import CurateError, RecipeError
from curator.models.embedded import EMBEDDED
from curator.models.locate import DEFAULT_MODEL, locate_tokenizer
from curator.pipeline.open_source import OpenSource
from curator.recipe.load import LoadedRecipe
from curator.select.cells import Cell, Cells
from curator.select.endless import Count, EndlessSupply
from curator.tokens.encode import Encoder
from curator.tokens.tokenizer import Tokenizer

_ROUGH = 8
"""A text may have so many times the tokens of the rough count: four where a byte is one, and a template's own."""


@dataclass(frozen=True, slots=True)
class TooShort:
    """Why generators leave a cell empty.

    Attributes:
        name: of the generator that needs the fewest tokens.
        least: the tokens that each of its samples needs.
        most: the tokens that a text of the cell may have.
        sequence: tokens of the longest sequence that would do, where it is what limits; 0 where the bin is.
        exact: whether tokens were counted by the recipe's tokenizer.
    """

    name: str
    least: int
    most: int
    sequence: int
    exact: bool = True

    def words(self) -> str:
        """What to do about it."""
        about = "" if self.exact else "about "
        raised = f"size.tokens to {self.sequence}" if self.sequence else f"the bin's upto to {self.least}"
        return (
            f"{self.name} needs {about}{self.least:,} tokens a text with these options, and there are "
            f"{self.most:,}: raise {raised} or more"
        )


def too_short(
    sources: Sequence[OpenSource], cells: Cells, prefix: int, count: Count | None, slack: int = 1
) -> dict[Cell, TooShort]:
    """Cells that every source of theirs leaves empty because of their lengths.

    Args:
        sources: the recipe's.
        cells: the target's.
        prefix: tokens before every sequence, which are no text's.
        count: counts tokens as the set will hold them; without it, they are counted roughly.
        slack: samples may need so many times more than is counted.
    """
    found, room = {}, cells.longest - prefix
    for cell in (cell for task in dict.fromkeys(source.task for source in sources) for cell in cells.of(task)):
        high = cells.span(cell).high
        most = min(high, room)
        able = [source for source in sources if source.task == cell.task and source.can_give(cell.language, cells)]
        needed = [
            (source.supply.least(most, cell.language, count), source.name)
            for source in able
            if isinstance(source.supply, EndlessSupply)
        ]
        # Sources with texts of their own may have short ones.
        if needed and len(needed) == len(able) and min(needed)[0] * slack > most:
            least, name = min(needed)
            found[cell] = TooShort(name, least, most, least + prefix if high >= room else 0, count is not None)
    return found


def too_short_by_recipe(loaded: LoadedRecipe, sources: Sequence[OpenSource]) -> dict[Cell, TooShort]:
    """The same before a build: by the recipe's tokenizer where a rough count leaves it open and it is at hand."""
    cells = Cells(loaded.recipe.target, loaded.recipe.size.longest)
    if not too_short(sources, cells, 0, None, _ROUGH):
        return {}
    encoder = _encoder(loaded)
    if encoder is None:
        return too_short(sources, cells, 0, None)
    return too_short(sources, cells, len(encoder.prefix), encoder.count)


def refuse_too_short(loaded: LoadedRecipe, sources: Sequence[OpenSource], encoder: Encoder) -> None:
    """Refuse a recipe with a task of which no text at all can be made.

    Raises:
        RecipeError: one line a task.
    """
    cells = Cells(loaded.recipe.target, loaded.recipe.size.longest)
    found = too_short(sources, cells, len(encoder.prefix), encoder.count)
    problems = []
    for task in loaded.recipe.target.tasks:
        why = [found.get(cell) for cell in cells.of(task)]
        least = min((one for one in why if one), key=lambda one: one.least, default=None)
        if least and all(why):
            place = loaded.asked.get(("target", "tasks", task), loaded.path)
            problems.append(f"{place}: target: task {task}: {least.words()}")
    if problems:
        raise RecipeError(problems)


def _encoder(loaded: LoadedRecipe) -> Encoder | None:
    """The recipe's, where its model is on this machine; what is wrong with it, building tells."""
    name = loaded.recipe.model or DEFAULT_MODEL
    if name not in EMBEDDED and not Path(os.path.expanduser(name)).is_dir():
        return None
    try:
        return Encoder(Tokenizer(locate_tokenizer(name), loaded.template), loaded.recipe.tokens)
    except CurateError:
        return None
