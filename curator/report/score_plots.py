"""Every score as a plot: kept texts above dropped ones on one axis, the recipe's lines drawn through both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from curator.report import _svg as svg
from curator.report._examples import EXCERPT, example
from curator.report.format import count, is_number
from curator.report.score_values import count_of, limit_words, shown_value, values_of

EXAMPLES = 10
_BINS = 40
# From this ratio of largest to smallest on, an axis of counts is logarithmic.
_LOG_FROM = 200.0


def score_plots(scores: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What the template of scores draws.

    Args:
        scores: ``scores`` of `ScoreSummary.document`.

    Returns:
        One entry a score that some text has: its histograms, lines, and the examples next to each line.
    """
    return [plot for score in scores if (plot := _plot(score)) is not None]


def _plot(score: Mapping[str, Any]) -> dict[str, Any] | None:
    sides = [(side, values_of(score, side)) for side in ("kept", "dropped")]
    limits = [limit for limit in score.get("limits") or () if is_number(limit.get("value"))]
    values = [value for _, found in sides for value in found]
    scale = svg.scale_for([*values, *(limit["value"] for limit in limits)], log_from=_LOG_FROM)
    # One value for all texts, which no line judges, tells nothing.
    if not values or scale is None or (not limits and len(set(values)) == 1):
        return None
    lines = Markup("").join(_line(scale, limit) for limit in limits)
    return {
        "name": score["name"],
        "rows": [
            {
                "label": side,
                "n": count(count_of(score, side)),
                "sampled": len(found) < count_of(score, side),
                **_bars(scale, side, found, lines),
            }
            for side, found in sides
        ],
        "axis": svg.axis(scale),
        "log": scale.log,
        "marks": _marks(scale, limits),
        "limits": [_limit(score, limit) for limit in limits],
    }


def _bars(scale: svg.Scale, side: str, values: Sequence[float], lines: Markup) -> dict[str, Any]:
    if not values:
        return {"strip": svg.strip(svg.grid(scale), lines), "top": None}
    bars, top = svg.histogram(scale, values, _BINS, "dropped" if side == "dropped" else "")
    return {"strip": svg.strip(svg.grid(scale), bars, lines), "top": count(top)}


def _line(scale: svg.Scale, limit: Mapping[str, Any]) -> Markup:
    return svg.vertical(scale, limit["value"], "limit")


def _marks(scale: svg.Scale, limits: Sequence[Mapping[str, Any]]) -> Markup:
    """The lines' values above the plot, each where its line is."""
    labels = [
        svg.element(
            "text",
            f"{limit['value']:,.6g}".replace("-", "−"),
            x=scale.at(limit["value"]),
            y="11",
            text_anchor=_anchor(scale, limit["value"]),
            class_="limit",
        )
        for limit in limits
    ]
    return svg.strip(*labels, kind="marks")


def _anchor(scale: svg.Scale, value: float) -> str:
    share = scale.share(value)
    return "start" if share < 10 else "end" if share > 90 else "middle"


def _limit(score: Mapping[str, Any], limit: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "words": limit_words(limit),
        "sides": [
            {"label": side, "examples": [_example(score, one) for one in (limit.get(side) or ())[:EXAMPLES]]}
            for side in ("kept", "dropped")
        ],
    }


def _example(score: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    shown = example(entry, [shown_value(score, entry.get("score")), *map(entry.get, ("id", "task", "detail"))])
    # An excerpt that was cut when it was stored is exactly so long.
    return shown | {"cut": shown["cut"] or len(entry.get("text") or "") == EXCERPT}
