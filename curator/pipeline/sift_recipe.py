"""The recipe that rows are sifted by when none is named: the gates as they are without one."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path

from curator.recipe.load import LoadedRecipe, load_recipe
from curator.recipe.overrides import Override, parse_overrides

ANY_TASK = "text"
"""Task of rows that do not say theirs."""


def default_recipe(overrides: Sequence[str]) -> LoadedRecipe:
    """The gates' defaults, under ``--set``; a row may be as short as a name or a reply.

    Args:
        overrides: ``--set`` options, each ``a.b=c``; paths in them start from the working folder.

    Raises:
        RecipeError: all their faults.
    """
    own = [task for override in parse_overrides(overrides) for task in _tasks(override)]
    values = {
        "name": "defaults",
        # Nothing is built: what a recipe has to say beside its gates is not looked at.
        "size": {"samples": 1, "tokens": 16},
        "target": {"tasks": dict.fromkeys((ANY_TASK, *own), 1.0)},
        "sources": [{"files": "rows.jsonl", "columns": {"task": "task"}}],
        "gates": {"length": {"min_chars": 1}},
    }
    # Read as a file, so that the faults of --set are told as they are for any other recipe.
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "defaults.yaml"
        path.write_text(json.dumps(values), encoding="utf-8")
        return load_recipe(path, overrides)


def _tasks(override: Override) -> list[str]:
    """The tasks that an override gives gates of their own: each must have a share, which is of no matter here."""
    if override.steps[:2] != ("gates", "by_task"):
        return []
    named = override.steps[2:3] or (override.value if isinstance(override.value, dict) else ())
    return [str(task) for task in named]
