"""Lengths of a target that no text of the recipe's sequences can have."""

from __future__ import annotations

from curator.recipe.faults import Fault
from curator.recipe.positions import Location
from curator.recipe.schema import Recipe
from curator.recipe.target import LengthBin


def empty_bin_faults(recipe: Recipe) -> list[Fault]:
    """One fault a list of bins: a text is never longer than the longest sequence, so the bins above stay empty."""
    target = recipe.target
    listed: list[tuple[Location, list[LengthBin]]] = [(("target", "lengths"), target.lengths or [])]
    listed += [
        (("target", "by_task", task, "lengths"), own.lengths or [])
        for task, own in target.by_task.items()
        if task in target.tasks
    ]
    faults: list[Fault] = []
    for where, bins in listed:
        empty = _above(bins, recipe.size.longest)
        if empty:
            words = f"{'.'.join(map(str, where))}: {_words(recipe, bins[empty[-1]], len(empty))}"
            faults.append(((*where, empty[0]), words))
    return faults


def _above(bins: list[LengthBin], longest: int) -> list[int]:
    """Numbers of the bins whose shortest text is too long, where something is wanted of them."""
    lows = [1, *((one.upto or longest) + 1 for one in bins)]
    return [at for at, (one, low) in enumerate(zip(bins, lows, strict=False)) if one.share and low > longest]


def _words(recipe: Recipe, last: LengthBin, count: int) -> str:
    longest, mixed = recipe.size.longest, recipe.size.mix is not None
    size = "a sequence of size.mix" if mixed else "size.tokens"
    # A last bin without an end takes any longer sequence.
    to = f"above {longest}" if last.upto is None else f"to {last.upto}"
    drop = "the bin" if count == 1 else f"the {count} bins"
    return f"bins above the longest sequence ({longest:,} tokens) stay empty: raise {size} {to} or drop {drop}"
