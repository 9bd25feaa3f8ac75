"""The cells of a profile's tables, on a terminal and on a page alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from curator.report._tables import of
from curator.report.format import DASH, count, is_number, number, percentage, signed

ALL = "all"
_LANGUAGES = 3
_KINDS = 2

Row = Mapping[str, Any]


def rows_of(profile: Mapping[str, Any]) -> list[tuple[str, Row]]:
    """The tasks with their groups, and all items below them where there are several tasks."""
    tasks = list(profile["tasks"].items())
    return [*tasks, (ALL, profile["overall"])] if len(tasks) > 1 else tasks


def has_outputs(profile: Mapping[str, Any]) -> bool:
    """Whether a run's predictions were counted."""
    return profile.get("outputs") is not None


def tokens(group: Row, what: str, key: str) -> str:
    """A number of a spread in whole tokens."""
    return count(of(group, what, key))


def mean_and_se(group: Row) -> str:
    """Continuity with its standard error, ``5.5 ± 0.3``; a dash where nothing was scored."""
    mean, se = (of(group, "continuity", key) for key in ("mean", "se"))
    if not is_number(mean):
        return DASH
    return f"{number(mean, 1)} ± {number(se, 1)}" if is_number(se) else number(mean, 1)


def ruled_share(group: Row) -> str:
    """Per cent of the windows that are random text or lists."""
    scored, ruled = (of(group, "continuity", key) or 0 for key in ("windows", "ruled_windows"))
    return percentage(ruled / (scored + ruled)) if scored + ruled else DASH


def counted(names: Mapping[str, int] | None, most: int = _LANGUAGES) -> str:
    """Names with counts, ``en 28, zh 2``; of one name the name alone."""
    pairs = list((names or {}).items())
    if len(pairs) == 1:
        return str(pairs[0][0])
    shown = ", ".join(f"{name} {count(size)}" for name, size in pairs[:most])
    return f"{shown} +{len(pairs) - most}" if len(pairs) > most else shown


def kinds(group: Row) -> str:
    """Kinds of random text, the largest first."""
    found = group.get("random_kinds") or {}
    return ", ".join(
        f"{kind} {percentage(share)}" for kind, share in list(found.items())[:_KINDS] if share >= 0.001
    )


def repeats(group: Row) -> str:
    """Exact and near duplicates, ``1 + 3``."""
    return f"{count(group['duplicates'])} + {count(group['near_duplicates'])}"


def score(group: Row) -> str:
    """A mean score with its 95 % interval, in the file's units."""
    found = group.get("score")
    if not found:
        return DASH
    decimals = 1 if found["mean"] > 1 or (found["high"] or 0) > 1 else 3
    mean = number(found["mean"], decimals)
    if not is_number(found["low"]):
        return mean
    return f"{mean} [{number(found['low'], decimals)}, {number(found['high'], decimals)}]"


def scored(group: Row) -> str:
    """How many items have a score, of which the mean is."""
    return count(of(group, "score", "n") or 0)


def told_rows(outputs: Row) -> list[tuple[str, ...]]:
    """By task: input tokens as told, ours, and how far apart they are in %; the same of output tokens."""
    sides = [outputs["input_tokens"], outputs["output_tokens"]]
    return [
        (str(task), *(cell for side in sides for cell in _apart(side.get(task))))
        for task in dict.fromkeys(task for side in sides for task in side)
    ]


def _apart(one: Row | None) -> tuple[str, str, str]:
    if one is None:
        return DASH, DASH, DASH
    apart = signed(100 * (one["told"] / one["ours"] - 1), 1) if one["ours"] else DASH
    return count(one["told"]), count(one["ours"]), apart


def octaves(group: Row, what: str) -> list[int]:
    """The ends of all bins from the least that is used to the greatest, those between that are empty included."""
    ends = {one["upto"] for one in (of(group, what, "histogram") or [])}
    found = [0] if 0 in ends else []
    end = min((end for end in ends if end), default=0)
    while end and end <= max(ends):
        found.append(end)
        end *= 2
    return found


def bars(ends: Iterable[int], counts: Mapping[int, int]) -> list[tuple[int, int, int]]:
    """First bin, last bin and items: a bin each, but for several empty ones in a row, which are one."""
    found: list[tuple[int, int, int]] = []
    for end in ends:
        size = counts.get(end, 0)
        if found and not size and not found[-1][2]:
            found[-1] = (found[-1][0], end, 0)
        else:
            found.append((end, end, size))
    return found


def octave(low: int, high: int) -> str:
    """The lengths from the start of one bin to the end of another."""
    first = low // 2 + 1 if low else 0
    return count(high) if first == high else f"{count(first)} to {count(high)}"
