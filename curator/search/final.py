"""The one result of a search: its winner against the best recipe that was written, on prompts it never saw."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from curator._files import read_json
from curator._progress import Narrator
from curator._seed import stable_hash
from curator.compare.composition import pieces_of
from curator.compare.overlap import document_overlap
from curator.rank.experiment import run
from curator.rank.plan import Plan
from curator.recipe.load import LoadedRecipe

FRESH_DRAWS = 5
"""Draws of both arms: as many as a verdict about recipes needs."""
_SEEN = 0.2


def fresh_seed(seed: int) -> int:
    """A seed of the recipes that no draw of the search was made with."""
    return stable_hash("search-final", seed) >> 1


def compare_fresh(
    plan: Plan, explored: Path, winner: LoadedRecipe, written: LoadedRecipe, narrator: Narrator
) -> dict[str, Any]:
    """Rank both with fresh draws, as any two recipes.

    Args:
        plan: of the comparison: its folder and the other half of the prompts.
        explored: run folder of the search.
        winner: the mix that the search chose.
        written: the recipe that it is to beat.
        narrator: shows progress.

    Returns:
        The pair of the ranking, the winner first, with ``report``, its report.

    Raises:
        RefusedError, InputError, DependencyError: as `run` says.
    """
    ranking = run(replace(plan, recipes=(winner, written), draws=FRESH_DRAWS, nulls=()), narrator)
    names = {winner.recipe.name, written.recipe.name}
    pair = next(pair for pair in ranking["pairs"] if {pair["a"], pair["b"]} == names)
    if pair["a"] != winner.recipe.name:
        pair = _turned(pair)
    means = {arm["name"]: arm["kl_mean"] for arm in ranking["arms"]}
    return {
        **pair,
        "mean_winner": means[winner.recipe.name],
        "mean_written": means[written.recipe.name],
        "warnings": [*_seen(explored, plan.out, winner.recipe.name), *ranking["warnings"]],
        "report": str(plan.out / "report.html"),
    }


def _turned(pair: dict[str, Any]) -> dict[str, Any]:
    other = {"better": "worse", "worse": "better"}
    return {
        **pair,
        "a": pair["b"],
        "b": pair["a"],
        "diff": -pair["diff"],
        "ci": [-pair["ci"][1], -pair["ci"][0]],
        "verdict": other.get(pair["verdict"], pair["verdict"]),
    }


def _seen(explored: Path, final: Path, name: str) -> list[str]:
    """A warning where fresh draws are much of the text that the winner was chosen by: luck would carry over."""
    chosen, fresh = ([piece for one in _pieces(out, name) for piece in one] for out in (explored, final))
    both = document_overlap(chosen, fresh)
    if both is None or both["second_tokens"] <= _SEEN:
        return []
    return [
        f"{both['second_tokens']:.0%} of the winner's fresh draws is from documents that it was chosen by: the "
        "sources have too few for draws to be fresh, and a lucky choice of documents may count twice"
    ]


def _pieces(out: Path, name: str) -> Iterator[list[dict[str, Any]]]:
    for file in sorted((out / "arms" / name).glob("draw-*/set/manifest.json")):
        yield pieces_of(read_json(file), str(file.parent))
