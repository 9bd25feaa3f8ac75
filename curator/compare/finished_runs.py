"""The finished runs below a folder, in groups of what was measured alike."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from curator._errors import InputError
from curator._files import STEM
from curator.compare.run_rule import unlike
from curator.compare.stored_run import RANKING, Run, read_run


@dataclass(frozen=True, slots=True)
class Found:
    """A finished run.

    Attributes:
        name: its folder, below the one that was searched.
        run: what it measured.
    """

    name: str
    run: Run


@dataclass(slots=True)
class Group:
    """Runs that were measured alike.

    Attributes:
        runs: by name.
        differ: facts of the servers that differ and were allowed to.
    """

    runs: list[Found]
    differ: set[str] = field(default_factory=set)


def find_runs(folder: Path) -> tuple[list[Found], list[tuple[str, str]]]:
    """Every finished run at or below a folder; links are not followed.

    Returns:
        The runs by name, and those that cannot be read, each with the reason.

    Raises:
        InputError: no such folder, or no run in it.
    """
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder; name one that holds runs of `curate rank`")
    found, skipped = [], []
    for place, below, files in os.walk(folder):
        # What a killed process left half-written has a name of ours.
        below[:] = sorted(name for name in below if not name.startswith(STEM))
        if RANKING in files:
            below.clear()
            name = os.path.relpath(place, folder)
            try:
                found.append(Found(folder.resolve().name if name == "." else name, read_run(place)))
            except InputError as error:
                skipped.append((name, str(error)))
    if not found and not skipped:
        raise InputError(
            f"{folder}: no {RANKING} in it or below; `curate rank RECIPE... --out {folder}/NAME` makes one"
        )
    if not found:
        raise InputError(f"{folder}: no run that can be read; {skipped[0][1]}")
    return found, skipped


def group_runs(runs: Sequence[Found], allow: Sequence[str] = ()) -> tuple[list[Group], list[tuple[str, str, str]]]:
    """Put together what was measured alike, and nothing else.

    A run joins the first group whose every run it is like: what only some servers tell makes likeness no
    relation that carries over.

    Args:
        runs: in their order.
        allow: facts of the servers that may differ within a group.

    Returns:
        The groups, the largest first; and for every group but the first, why it is apart from the first: two runs'
        names and what they differ in.
    """
    groups: list[Group] = []
    for run in runs:
        for group in groups:
            pairs = [unlike(other.run, run.run) for other in group.runs]
            if not any(fixed or set(facts) - set(allow) for fixed, facts in pairs):
                group.runs.append(run)
                group.differ.update(name for _, facts in pairs for name in facts)
                break
        else:
            groups.append(Group([run]))
    groups.sort(key=lambda group: -len(group.runs))
    return groups, [_apart(groups[0], group, allow) for group in groups[1:]]


def _apart(first: Group, other: Group, allow: Sequence[str]) -> tuple[str, str, str]:
    for one in first.runs:
        for two in other.runs:
            fixed, facts = unlike(one.run, two.run)
            words = [*fixed, *(text for name, text in facts.items() if name not in allow)]
            if words:
                return one.name, two.name, "; ".join(words)
    raise AssertionError("groups that are alike are one")
