"""What a search writes down: its plan before it starts, and every evaluation as it is made."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from curator._errors import RefusedError
from curator._files import read_json, write_json
from curator._outputs import Ours
from curator.rank.stored import read_result
from curator.search.steps import Done

PLAN = "search-plan.json"
EVALUATIONS = "evaluations.json"
RESULT = "search.json"
SEARCH_FOLDER = Ours(
    "a search",
    PLAN,
    "over",
    (
        PLAN,
        EVALUATIONS,
        RESULT,
        ".lock",
        "heldout.jsonl",
        "search-half.jsonl",
        "other-half.jsonl",
        "explore",
        "final",
    ),
)
_LIST = TypeAdapter(list[Done])


def fix_search(out: Path, fixed: dict[str, Any]) -> None:
    """Write a search's settings into its folder, or check that it goes on with the one there.

    Args:
        out: the folder.
        fixed: what may not change.

    Raises:
        RefusedError: the folder holds another search; names what differs.
    """
    if not refuse_other_search(out, fixed):
        write_json(out / PLAN, fixed)


def refuse_other_search(out: Path, fixed: dict[str, Any]) -> bool:
    """Refuse the folder of a search with other settings; whether it has one with these.

    Raises:
        RefusedError: names what differs.
    """
    before = read_result(out / PLAN)
    if before is None:
        return False
    changed = [
        f"{key} was {before.get(key)!r}, is {value!r}" for key, value in fixed.items() if before.get(key) != value
    ]
    if changed:
        raise RefusedError(
            f"{out}: this search was started with other settings ({'; '.join(changed)}); use another --out"
        )
    return True


def stored_count(out: Path) -> int | None:
    """The number of evaluations that a time was turned into; ``None`` before."""
    count = (read_result(out / PLAN) or {}).get("evaluations")
    return count if isinstance(count, int) else None


def store_count(out: Path, count: int) -> None:
    """Write the number of evaluations down."""
    write_json(out / PLAN, {**read_json(out / PLAN), "evaluations": count})


def read_evaluations(out: Path) -> list[Done]:
    """What was measured; nothing where the file is missing or damaged: scores are found again by their content."""
    stored = read_result(out / EVALUATIONS) or {}
    try:
        return _LIST.validate_python(stored.get("evaluations", []))
    except ValidationError:
        return []


def write_evaluations(out: Path, done: Sequence[Done]) -> None:
    """Write everything that was measured."""
    write_json(out / EVALUATIONS, {"evaluations": listed(done)})


def listed(done: Sequence[Done]) -> list[dict[str, Any]]:
    """Evaluations as JSON has them."""
    found: list[dict[str, Any]] = _LIST.dump_python(list(done), mode="json")
    return found
