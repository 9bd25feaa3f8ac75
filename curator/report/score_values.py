"""The values of a score: their quantiles, and how many digits they are printed with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator.report.format import DASH, is_number, number

QUANTILES = ((0.0, "least"), (0.05, "5 %"), (0.5, "median"), (0.95, "95 %"), (1.0, "most"))


def values_of(score: Mapping[str, Any], side: str) -> list[float]:
    """The finite values of the texts that were ``kept`` or ``dropped``."""
    return [value for value in (score.get(side) or {}).get("values") or [] if is_number(value)]


def count_of(score: Mapping[str, Any], side: str) -> int:
    """How many texts of a side have the score; more than values where these are a sample."""
    size = (score.get(side) or {}).get("n")
    return int(size) if is_number(size) else len(values_of(score, side))


def all_values(score: Mapping[str, Any]) -> list[float]:
    """The values of all texts. Of two samples the larger side counts by its size."""
    kept, dropped = values_of(score, "kept"), values_of(score, "dropped")
    whole = {"kept": count_of(score, "kept"), "dropped": count_of(score, "dropped")}
    if len(kept) == whole["kept"] and len(dropped) == whole["dropped"]:
        return [*kept, *dropped]
    rate = min(len(kept) / max(whole["kept"], 1) or 1.0, len(dropped) / max(whole["dropped"], 1) or 1.0)
    return [*kept[: round(rate * whole["kept"])], *dropped[: round(rate * whole["dropped"])]]


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value below which ``share`` of sorted values lie: one of them, by the nearest rank."""
    return ordered[min(len(ordered) - 1, max(0, round(share * (len(ordered) - 1))))]


def decimals_of(score: Mapping[str, Any]) -> int:
    """Digits behind the point for the values of a score: none for counts, three for shares."""
    values = [*values_of(score, "kept"), *values_of(score, "dropped")]
    if values and all(isinstance(value, int) for value in values):
        return 0
    return 3 if all(abs(value) <= 1 for value in values) else 2


def limit_words(limit: Mapping[str, Any]) -> str:
    """A line in words: ``at most 0.2``, ``at least 2.33 (poem)``."""
    side = "at most" if limit.get("refused") == "above" else "at least"
    return f"{side} {_value(limit)}{_tasks(limit)}"


def taken_words(limits: Sequence[Mapping[str, Any]]) -> str:
    """What is taken, in words: ``at most 0.2``, ``0.11 to 0.52``, ``at least 200; at least 40 (poem)``."""
    words: list[str] = []
    left = list(limits)
    while left:
        low = left.pop(0)
        ends = [one for one in left if one.get("tasks") == low.get("tasks") and one.get("refused") == "above"]
        if low.get("refused") == "below" and ends:
            left.remove(ends[0])
            words.append(f"{_value(low)} to {_value(ends[0])}{_tasks(low)}")
        else:
            words.append(limit_words(low))
    return "; ".join(words)


def _value(limit: Mapping[str, Any]) -> str:
    value = limit.get("value")
    return f"{value:,.10g}" if is_number(value) else DASH


def _tasks(limit: Mapping[str, Any]) -> str:
    tasks = ", ".join(str(task) for task in limit.get("tasks") or ())
    return f" ({tasks})" if tasks else ""


def shown_value(score: Mapping[str, Any], value: object) -> str:
    """One value of a score."""
    return number(value, decimals_of(score))
