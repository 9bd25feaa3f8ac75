"""From ``--over sources.*.weight,low_continuity.max_share`` to what is searched in a recipe."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path as Folder
from typing import Any

from curator._errors import InputError, did_you_mean
from curator.corpora.shelf import find_card
from curator.recipe.load import LoadedRecipe
from curator.recipe.resolved import Resolved
from curator.recipe.schema import Recipe
from curator.recipe.source_kinds import CorpusSource, Source
from curator.search.knobs import Knob, Number, Path, Shares

# What may be searched, and why not, by the first key of its path.
_REFUSED = {
    "seed": "the best seed is a lucky draw, not a better mix",
    "size": "a larger set wins by size alone",
    "quantize": "a search changes the set; compare methods with `curate rank --method`",
}
# Limits of numbers of which the recipe's schema gives both.
_MAX_SHARE = ("target", "low_continuity", "max_share")
_LIMITS: dict[Path, tuple[float, float]] = {_MAX_SHARE: (0.0, 1.0)}
_RANGE = re.compile(r"(?P<low>[^.\s]+(?:\.\d+)?)\.\.(?P<high>\S+)")
_EXAMPLE = "such as sources.*.weight,target.tasks.*,low_continuity.max_share or gates.length.min_chars=50..800"


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value that could be searched.

    Attributes:
        path: where it is.
        value: the recipe's own.
        group: weights with an equal group count by their ratios; ``None`` for a number by itself.
    """

    path: Path
    value: float
    group: tuple[str, ...] | None


def space(loaded: LoadedRecipe, over: str, overrides: Sequence[str] = ()) -> tuple[tuple[Knob, ...], list[str]]:
    """What is searched.

    Args:
        loaded: the recipe.
        over: paths with ``*`` for any one key, from the recipe's root or a part of it; ``PATH=LOW..HIGH`` for a
            number.
        overrides: the ``--set`` options that it was read with.

    Returns:
        The knobs, and notes on what was asked and cannot matter.

    Raises:
        InputError: a path that nothing matches or that must not be searched, or nothing is left to search.
    """
    leaves = list(_leaves(loaded, overrides))
    asked: dict[Path, tuple[_Leaf, str]] = {}
    for part in filter(None, (part.strip() for part in over.split(","))):
        pattern, _, limits = part.partition("=")
        for leaf in _matching(pattern, leaves):
            asked[leaf.path] = (leaf, limits)
    groups: dict[tuple[str, ...], list[_Leaf]] = {}
    knobs: list[Knob] = []
    for leaf, limits in asked.values():
        if leaf.group is None:
            knobs.append(_number(leaf, limits))
        elif limits:
            name = ".".join(leaf.path)
            raise InputError(f"--over {name}={limits}: weights count by their ratios; leave the limits out")
        else:
            groups.setdefault(leaf.group, []).append(leaf)
    for listed in groups.values():
        _refuse_part(listed, leaves)
    notes = [_alone(listed[0]) for listed in groups.values() if len(listed) == 1]
    shared = [_shares(listed) for listed in groups.values() if len(listed) > 1]
    if not knobs and not shared:
        why = f" ({'; '.join(notes)})" if notes else ""
        raise InputError(f"--over {over!r}: nothing to search{why}; give paths {_EXAMPLE}")
    return (*shared, *knobs), notes


def _alone(leaf: _Leaf) -> str:
    return f"{'.'.join(leaf.path)} is the only weight of its kind: it changes nothing and is left out"


def _refuse_part(listed: Sequence[_Leaf], leaves: Sequence[_Leaf]) -> None:
    missing = next((leaf for leaf in leaves if leaf.group == listed[0].group and leaf not in listed), None)
    if missing is not None:
        raise InputError(
            f"--over: {'.'.join(listed[0].path)} without {'.'.join(missing.path)}: they count by their ratios; "
            "search all of them"
        )


def _shares(listed: Sequence[_Leaf]) -> Shares:
    total = math.fsum(leaf.value for leaf in listed)
    return Shares(tuple(leaf.path for leaf in listed), tuple(leaf.value / total for leaf in listed))


def _number(leaf: _Leaf, limits: str) -> Number:
    name = ".".join(leaf.path)
    low, high = _LIMITS.get(leaf.path, (math.nan, math.nan))
    if limits:
        found = _RANGE.fullmatch(limits)
        low, high = (_finite(found[side], name) for side in ("low", "high")) if found else (math.nan, math.nan)
    if not low < high:
        raise InputError(f"--over {name}: give its limits, lower first, as {name}=LOW..HIGH")
    if not math.isfinite(high - low):
        raise InputError(f"--over {name}: limits this far apart cannot be searched; give nearer ones")
    return Number(leaf.path, low, high, float(leaf.value), isinstance(leaf.value, int))


def _finite(text: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(f"--over {name}: {text!r} is no number; give its limits as {name}=LOW..HIGH")
    return value


def _matching(pattern: str, leaves: Sequence[_Leaf]) -> list[_Leaf]:
    steps = tuple(pattern.split("."))
    if steps[0] in _REFUSED:
        raise InputError(f"--over {pattern}: {_REFUSED[steps[0]]}")
    found = [leaf for leaf in leaves if len(leaf.path) == len(steps) and _fits(steps, leaf.path)]
    # Also from a part of the recipe: low_continuity.max_share.
    found = found or [leaf for leaf in leaves if _fits(steps, leaf.path[-len(steps) :])]
    if not found:
        names = [".".join(leaf.path) for leaf in leaves]
        raise InputError(f"--over {pattern}: no number of this recipe; {did_you_mean(pattern, names, _EXAMPLE)}")
    return found


def _fits(steps: Sequence[str], path: Sequence[str]) -> bool:
    return len(steps) == len(path) and all(step in ("*", key) for step, key in zip(steps, path, strict=True))


def _leaves(loaded: LoadedRecipe, overrides: Sequence[str]) -> Iterator[_Leaf]:
    recipe = Recipe.model_validate(Resolved(loaded.path, overrides).values)
    values = recipe.model_dump(mode="json")
    yield from _weights_of(recipe, loaded)
    if recipe.target.low_continuity is None:
        # No limit is the same as all.
        yield _Leaf(_MAX_SHARE, 1.0, None)
    for path, value in _numbers(values, ()):
        if path[0] == "target":
            yield _Leaf(path, value, _group(path))
        elif path[0] not in _REFUSED and (path[0] != "sources" or path[2] == "options"):
            yield _Leaf(path, value, None)


def _group(path: Path) -> tuple[str, ...] | None:
    """Weights of a target that count by their ratios."""
    if path[-1] == "share":
        return path[:-2]
    return path[:-1] if path[-2] in ("tasks", "languages") else None


def _numbers(value: Any, path: Path) -> Iterator[tuple[Path, float]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, (*path, str(key)))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _numbers(item, (*path, str(number)))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, value


def _weights_of(recipe: Recipe, loaded: LoadedRecipe) -> Iterator[_Leaf]:
    """Weights of the sources that are used: a recipe leaves out those of tasks without a share."""
    used = list(zip(loaded.recipe.sources, loaded.places, strict=True))
    for number, source in enumerate(recipe.sources):
        if used and source == used[0][0]:
            folder = used.pop(0)[1].folder
            yield _Leaf(("sources", str(number), "weight"), source.weight, ("task", _task(source, folder)))


def _task(source: Source, folder: Folder) -> str:
    """The task that a source's tokens count for; rows that tell their own weigh against each other."""
    if source.task is None and isinstance(source, CorpusSource):
        return str(find_card(source.corpus, folder).task)
    return str(source.task or getattr(source, "generate", ""))
