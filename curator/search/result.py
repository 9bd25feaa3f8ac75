"""What a search found: one comparison as the result, and what was tried as a record."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from curator.compare.recipe_words import recipe_changes
from curator.recipe.load import LoadedRecipe, load_recipe
from curator.search.mix import Mix
from curator.search.steps import Done, Search, estimates, mean_of
from curator.search.stored import listed


def result_document(
    search: Search,
    done: Sequence[Done],
    winner: Mix,
    written: Mix,
    final: dict[str, Any],
    base: LoadedRecipe,
    overrides: Sequence[str],
) -> dict[str, Any]:
    """The search as JSON has it.

    Args:
        search: what was searched.
        done: every evaluation.
        winner: the mix that was chosen.
        written: the recipe that it was to beat.
        final: of `compare_fresh`.
        base: the recipe that was searched.
        overrides: the ``--set`` options that it was read with.

    Returns:
        ``result``: the comparison on the other half, with ``words``; ``winner``: name, ``set`` options, the
        ``build`` command and ``changes`` in words; ``written``; ``record``: ``evaluations`` and the means that
        the choice was made by, which are no result; ``warnings``.
    """
    options = [*overrides, f"name={winner.name}", *winner.settings()]
    made = load_recipe(base.path, options).recipe.model_dump(mode="json")
    changes = recipe_changes(base.recipe.model_dump(mode="json"), made)
    build = ["curate", "build", str(base.path), *(part for option in options for part in ("--set", option))]
    return {
        "verdict": _verdict(final),
        "result": final,
        "winner": {
            "name": winner.name,
            "set": options,
            "build": shlex.join([*build, "--out", f"sets/{winner.name}"]),
            "changes": [change.words for change in changes if change.place != ("name",)],
        },
        "written": written.name,
        "record": {
            "note": "values of the search half, from which the winner was chosen: no result",
            "winner_mean": mean_of(winner, done),
            "winner_estimate": estimates(search, done)[winner],
            "written_mean": mean_of(written, done),
            "evaluations": listed(done),
        },
        "warnings": final["warnings"],
    }


def _verdict(final: dict[str, Any]) -> str:
    if final["verdict"] == "better":
        return f"the search found a better mix than {final['b']}"
    if final["verdict"] == "worse":
        return f"the mix that the search chose is worse than {final['b']}: keep {final['b']}"
    return f"no better mix than {final['b']} was found: the one that the search chose is not told apart from it"
