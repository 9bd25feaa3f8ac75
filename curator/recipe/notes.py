"""What was assumed of a recipe, in words, for the user to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from curator.recipe.schema import Recipe
from curator.recipe.target import LengthBin, Target, TaskTarget

_NEAR = 1e-6


def recipe_notes(recipe: Recipe) -> list[str]:
    """Shares that were normalised, and those of less than one token."""
    target, tokens = recipe.target, recipe.size.total
    notes = list(_normalised("target.tasks", target.tasks))
    notes += _margins("target", target)
    for task, own in target.by_task.items():
        notes += _margins(f"target.by_task.{task}", own)
    notes += [
        f"task {task}: its share of {tokens:,} tokens is less than one token; raise it or the size"
        for task, share in target.shares().items()
        if share * tokens < 1
    ]
    return notes


def _margins(where: str, target: Target | TaskTarget) -> Iterator[str]:
    if target.languages:
        yield from _normalised(f"{where}.languages", target.languages)
    if target.lengths:
        yield from _normalised(f"{where}.lengths", dict(_named(target.lengths)))


def _named(bins: list[LengthBin]) -> Iterator[tuple[str, float]]:
    for one in bins:
        yield "longer" if one.upto is None else f"up to {one.upto:,}", one.share


def _normalised(where: str, shares: Mapping[str, float]) -> Iterator[str]:
    total = sum(shares.values())
    if abs(total - 1) > _NEAR:
        words = ", ".join(f"{name} {share / total:.3f}" for name, share in shares.items())
        yield f"{where} sum to {total:g}, not 1: normalised to {words}"
