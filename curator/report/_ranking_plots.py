"""The plots of a ranking report: arms, tasks, pairs and prompts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from markupsafe import Markup

from curator.report._svg import (
    Scale,
    axis,
    band,
    element,
    estimate,
    grid,
    scale_for,
    scale_for_first,
    strip,
    vertical,
)
from curator.report._verdicts import Document, arms_of, is_null, rank_ranges
from curator.report.format import is_interval, is_number

_TITLED_DOTS = 3000  # above this many dots their titles would weigh more than they are worth
_LANES = 8


def _numbers(arms: Iterable[Document]) -> list[object]:
    values: list[object] = []
    for arm in arms:
        values.append(arm.get("kl_mean"))
        values.extend(arm["kl_ci"] if is_interval(arm.get("kl_ci")) else [])
    return values


def _kind(arm: Document) -> str:
    return "null" if is_null(arm) else "user"


def forest(ranking: Document) -> dict[str, Any] | None:
    """Arms with their intervals, over the bands of what the run cannot tell apart.

    The bands start at the lowest mean of the user's arms: one floor SD to each side, and the smallest
    detectable difference above it. Where that difference is far larger than the spread of the arms, the plot
    ends before it (``beyond``).
    """
    arms = arms_of(ranking)
    user, null = ([arm for arm in arms if is_null(arm) == kind] for kind in (False, True))
    scale = scale_for_first(_numbers(user), _numbers(null))
    if scale is None:
        return None
    ends = _bands(ranking, arms)
    if "detectable" in ends:
        furthest = scale.high + 0.5 * (scale.high - scale.low)
        reach = min(ends["detectable"][1], furthest)
        scale = scale_for_first([*_numbers(user), reach], _numbers(null)) or scale
    bands = [band(scale, *ends[kind], f"band {kind}") for kind in ends]
    rows = [
        {
            "arm": arm,
            "strip": strip(*bands, grid(scale), estimate(scale, arm.get("kl_mean"), arm.get("kl_ci"), _kind(arm))),
        }
        for arm in arms
    ]
    longest = max((len(rank) for rank in rank_ranges(ranking).values()), default=1)
    return {
        "rows": rows,
        "axis": axis(scale),
        "rank_width": f"{0.7 + 0.45 * longest:.2f}",
        "has_detectable": "detectable" in ends,
        "has_floor": "floor" in ends,
        "beyond": "detectable" in ends and ends["detectable"][1] > scale.high,
    }


def _bands(ranking: Document, arms: Sequence[Document]) -> dict[str, tuple[float, float]]:
    """Ends of the bands that the document has numbers for, in the order in which they are drawn."""
    measured = [arm for arm in arms if is_number(arm.get("kl_mean"))]
    user = [arm for arm in measured if not is_null(arm)]
    if not measured:
        return {}
    lowest = min(arm["kl_mean"] for arm in user or measured)
    detectable, sd = ranking.get("smallest_detectable"), (ranking.get("floors") or {}).get("used_sd")
    ends = {}
    if is_number(detectable):
        ends["detectable"] = (lowest, lowest + detectable)
    if is_number(sd):
        ends["floor"] = (lowest - sd, lowest + sd)
    return ends


def tasks_of(ranking: Document) -> list[str]:
    """Tasks of all arms, in the order in which the weights or the arms name them."""
    weights = ranking.get("primary", {}).get("weights") or {}
    named = [task for arm in arms_of(ranking) for task in arm.get("by_task") or {}]
    return [task for task in dict.fromkeys([*weights, *named]) if task in named]


def task_panels(ranking: Document) -> list[dict[str, Any]]:
    """One small forest plot a task, each with an axis of its own."""
    panels = []
    for task in tasks_of(ranking):
        rows = [(arm, (arm.get("by_task") or {}).get(task) or {}) for arm in arms_of(ranking)]
        user, null = (_numbers(row for arm, row in rows if is_null(arm) == kind) for kind in (False, True))
        scale = scale_for_first(user, null)
        if scale is None:
            continue
        panels.append(
            {
                "task": task,
                "axis": axis(scale),
                "rows": [
                    {
                        "arm": arm,
                        "kl_mean": row.get("kl_mean"),
                        "kl_ci": row.get("kl_ci"),
                        "strip": strip(
                            grid(scale), estimate(scale, row.get("kl_mean"), row.get("kl_ci"), _kind(arm))
                        ),
                    }
                    for arm, row in rows
                ],
            }
        )
    return panels


def difference_strips(pairs: Sequence[Document]) -> tuple[list[Markup], Markup | None]:
    """A strip a pair with the interval of its difference about zero, and their axis."""
    values: dict[bool, list[object]] = {False: [0.0], True: []}
    for pair in pairs:
        own = values[pair.get("family") == "null"]
        own.append(pair.get("diff"))
        own.extend(pair["ci"] if is_interval(pair.get("ci")) else [])
    scale = (
        scale_for_first(values[False], values[True]) if len(values[False]) > 1 else scale_for([0.0, *values[True]])
    )
    if scale is None or not pairs:
        return [Markup("")] * len(pairs), None
    strips = [
        strip(
            vertical(scale, 0.0, "zero"),
            estimate(scale, pair.get("diff"), pair.get("ci"), str(pair.get("family") or "user")),
        )
        for pair in pairs
    ]
    return strips, narrow_axis(scale)


def narrow_axis(scale: Scale) -> Markup:
    """An axis for a narrow column: few ticks."""
    few = scale.ticks(about=2)
    marks = [element("text", label, x=scale.at(value), y="12", text_anchor="middle") for value, label in few]
    return strip(*marks, kind="axis")


def prompt_strips(ranking: Document) -> dict[str, Any] | None:
    """Every prompt's KL as a dot, a row an arm, a lane a task."""
    prompts = ranking.get("per_prompt") or {}
    by_arm = prompts.get("arms") or {}
    scale = scale_for((value for values in by_arm.values() for value in values), log_from=20)
    if scale is None:
        return None
    size = max(len(values) for values in by_arm.values())
    tasks = list(prompts.get("tasks") or [""] * size)
    lanes = list(dict.fromkeys(tasks))
    if len(lanes) > _LANES:
        lanes, tasks = [""], [""] * size
    ids = list(prompts.get("ids") or []) if sum(map(len, by_arm.values())) <= _TITLED_DOTS else []
    rows = [
        {
            "arm": arm,
            "strip": strip(
                grid(scale),
                *_dots(scale, by_arm[arm["name"]], tasks, lanes, ids, _kind(arm)),
                *_mean_line(scale, by_arm[arm["name"]]),
            ),
        }
        for arm in arms_of(ranking)
        if by_arm.get(arm["name"])
    ]
    return {
        "rows": rows,
        "axis": axis(scale),
        "log": scale.log,
        "lanes": [lane for lane in lanes if lane],
        "prompts": size,
        "height": 14 + 9 * len(lanes),
    }


def _dots(
    scale: Scale,
    values: Sequence[object],
    tasks: Sequence[str],
    lanes: Sequence[str],
    ids: Sequence[str],
    kind: str,
) -> list[Markup]:
    dots = []
    for index, (value, task) in enumerate(zip(values, tasks, strict=False)):
        if not is_number(value):
            continue
        lane = lanes.index(task) if task in lanes else 0
        height = f"{100 * (lane + 0.75) / (len(lanes) + 0.5):.1f}%"
        title = [element("title", f"{ids[index]}: {value:.4g}")] if index < len(ids) else []
        dots.append(
            element(
                "circle",
                *title,
                cx=scale.at(value),
                cy=height,
                r="2.6",
                class_=f"{kind} prompt lane{lane % 2}",
            )
        )
    return dots


def _mean_line(scale: Scale, values: Sequence[object]) -> list[Markup]:
    finite = [value for value in values if is_number(value)]
    return [vertical(scale, sum(finite) / len(finite), "mean")] if finite else []
