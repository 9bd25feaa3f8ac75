"""KL by the token's place and by the prompt's length: a panel an arm, the leading arm drawn in each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from curator.report._svg import Scale, scale_for
from curator.report._svg_xy import Frame, Panel
from curator.report._verdicts import Document, arms_of, is_null
from curator.report.format import count, is_interval, is_number, kl

_PANELS = 12  # more would not be compared by eye; the files beside the report have all


@dataclass(frozen=True)
class _Curve:
    """An arm's values at the places where it has any."""

    arm: Document
    points: list[tuple[float, float]]
    ends: list[tuple[float, float, float]]
    words: str


def place_panels(
    ranking: Document, part: object, key: str, unit: str, log_from: float = math.inf
) -> dict[str, Any] | None:
    """Small multiples of one part of the document.

    Args:
        ranking: whose arms say which curve leads.
        part: ``bins`` and ``arms``, as the ranking step writes them.
        key: names the plot within the page.
        unit: what the bins count, in words.
        log_from: ratio of the largest to the smallest place from which their axis is logarithmic.

    Returns:
        ``panels`` (``label``, ``null``, ``plot``), ``more`` (arms that are not shown), ``prompts`` (of the bins),
        ``reference`` (the arm drawn in all) and ``log``; ``None`` when fewer than two bins are known.
    """
    bins = part.get("bins") or [] if isinstance(part, Mapping) else []
    by_arm = part.get("arms") or {} if isinstance(part, Mapping) else {}
    shown = [arm for arm in arms_of(ranking) if arm["name"] in by_arm]
    curves = [_curve(arm, by_arm[arm["name"]], bins, unit) for arm in shown]
    curves = [curve for curve in curves if len(curve.points) > 1]
    if not curves:
        return None
    frame = _frame(curves, log_from)
    return {
        "panels": [
            {
                "label": curve.arm["name"],
                "null": is_null(curve.arm),
                "plot": _panel(frame, curve, curves[0], f"{key}-{index}", unit),
            }
            for index, curve in enumerate(curves[:_PANELS])
        ],
        "more": max(0, len(curves) - _PANELS),
        "prompts": _range([one.get("prompts") for one in bins]),
        "reference": curves[0].arm["name"],
        "log": frame.x.log,
    }


def _curve(arm: Document, row: Mapping[str, Any], bins: Sequence[Mapping[str, Any]], unit: str) -> _Curve:
    values, intervals = row.get("kl") or [], row.get("ci") or []
    places = [(one["first"] + one["last"]) / 2 for one in bins]
    points = [(x, float(y)) for x, y in zip(places, values, strict=False) if is_number(y)]
    ends = [(x, ci[0], ci[1]) for x, ci in zip(places, intervals, strict=False) if is_interval(ci)]
    told = [
        f"{bin_words(one)} {unit}: {kl(value)}"
        for one, value in zip(bins, values, strict=False)
        if is_number(value)
    ]
    return _Curve(arm, points, ends, "; ".join(told))


def bin_words(one: Mapping[str, Any]) -> str:
    """A bin as a range of whole numbers."""
    first, last = one["first"], one["last"]
    return count(first) if first == last else f"{count(first)} to {count(last)}"


def _frame(curves: Sequence[_Curve], log_from: float) -> Frame:
    x = [x for curve in curves for x, _ in curve.points]
    y = [y for curve in curves for _, y in curve.points]
    # Ends of intervals may be far out where a bin holds few prompts: they must not flatten the rest.
    most = 1.5 * max(y)
    ends = [min(most, high) for curve in curves for _, _, high in curve.ends]
    low = min([*y, *(low for curve in curves for _, low, _ in curve.ends)])
    across = scale_for(x, log_from=log_from) or Scale(0.0, 1.0)
    up = scale_for([low, *y, *ends]) or Scale(0.0, 1.0)
    return Frame(across, up)


def _panel(frame: Frame, curve: _Curve, leading: _Curve, key: str, unit: str) -> Panel:
    kind = "null" if is_null(curve.arm) else "user"
    stretched = []
    if len(curve.ends) > 1:
        low, high = [(x, a) for x, a, _ in curve.ends], [(x, b) for x, _, b in curve.ends]
        stretched.append(frame.between(low, high, f"spread {kind}"))
    if leading is not curve:
        stretched.append(frame.line(leading.points, "reference"))
    stretched.append(frame.line(curve.points, f"curve {kind}"))
    title = f"{curve.arm['name']}: KL by {unit}"
    marks: list[Markup] = [frame.marks(curve.points, f"{kind} dot")]
    return frame.panel(key, title, f"Mean KL in nats a token. {curve.words}.", stretched, marks)


def _range(values: Sequence[object]) -> str:
    numbers = [value for value in values if is_number(value)]
    if not numbers:
        return ""
    low, high = min(numbers), max(numbers)
    return count(low) if low == high else f"{count(low)} to {count(high)}"
