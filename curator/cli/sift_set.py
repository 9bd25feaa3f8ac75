"""`curate sift SET`: other limits on the scores of a set's pool, without reading a text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import file_sha256, read_json
from curator.cli.sift_output import SiftOutput
from curator.export.pool import POOL_FILE, read_pool
from curator.pipeline.pool import PoolRow
from curator.pipeline.rethreshold import UNSCORED, Redecided, measured_otherwise, rethreshold
from curator.pipeline.score_summary import ScoreSummary
from curator.pipeline.steps.chain import chain
from curator.pipeline.steps.leakage import watched
from curator.pipeline.steps.versions import MEASURES
from curator.recipe.load import find_recipe, load_recipe
from curator.scores.scorer import Scorer


def sift_set(folder: Path, recipe: str | None, overrides: Sequence[str], output: SiftOutput) -> dict[str, Any]:
    """Decide the pieces of a set's pool again.

    Returns:
        The summary, as `print_sift` takes it.

    Raises:
        InputError: the recipe or the pool cannot be used.
    """
    built = load_recipe(folder / "recipe.yaml").recipe
    loaded = load_recipe(find_recipe(recipe) if recipe else folder / "recipe.yaml", overrides)
    rows = read_pool(folder / POOL_FILE)
    manifest = read_json(folder / "manifest.json")
    # After it was read: a damaged file has a better message of its own.
    if not isinstance(manifest, dict):
        raise InputError(f"{folder / 'manifest.json'}: not a manifest; build the set again")
    if manifest.get("pool_sha256") != file_sha256(folder / POOL_FILE):
        raise InputError(f"{folder / POOL_FILE}: is not the pool that the set was built from; build the set again")
    summary = ScoreSummary(loaded.recipe)
    found = rethreshold(rows, chain(loaded.recipe, watched(None, ()), Scorer(loaded.recipe.continuity)))
    for redecided in found:
        summary.add(redecided)
        output.row(_line(redecided))
    told = [*_other_versions(manifest), *_unscored(found), *_no_effect(measured_otherwise(built, loaded.recipe))]
    return {"name": folder.name, **summary.document(), "before": _before(rows), "warnings": told}


def _other_versions(manifest: dict[str, Any]) -> list[str]:
    """Scores that today's code would measure otherwise."""
    then = manifest.get("measures") or {}
    names = [name for name, now in MEASURES.items() if then.get(name) != now]
    return [f"measured by another version of {', '.join(names)}: build the set again to compare"] if names else []


def _unscored(found: Sequence[Redecided]) -> list[str]:
    """Pieces that no limit refuses, as far as they were measured."""
    missing = Counter(one.detail for one in found if one.reason == UNSCORED)
    return [
        f"pieces that cannot be decided: {count:,} ({detail} when the set was built; rebuild to score them)"
        for detail, count in sorted(missing.items(), key=lambda item: (-item[1], str(item[0])))
    ]


def _no_effect(settings: Sequence[str]) -> list[str]:
    changed = f"{', '.join(settings)}: changes what is measured, not a limit on it; rebuild to see its effect"
    return [changed] if settings else []


def _before(rows: Sequence[PoolRow]) -> dict[str, Any]:
    tasks: dict[str, Counter[str]] = {}
    for row in rows:
        tasks.setdefault(row.task, Counter())["kept" if row.keep else "dropped"] += 1
    return {
        "kept": sum(row.keep for row in rows),
        "by_reason": dict(Counter(row.reason for row in rows if row.reason is not None)),
        "by_task": {task: {"kept": sides["kept"], "dropped": sides["dropped"]} for task, sides in tasks.items()},
    }


def _line(found: Redecided) -> dict[str, Any]:
    row = found.row
    return {
        "id": row.id,
        "task": row.task,
        "keep": found.keep,
        "reason": found.reason,
        "detail": found.detail,
        "before": {"keep": row.keep, "reason": row.reason},
        "taken": row.taken,
        "language": row.language,
        "scores": row.scores,
    }
