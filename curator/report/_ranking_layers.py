"""Errors of the layers' weights, of the arm with the lowest and the one with the highest KL."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from curator.report._svg import scale_for
from curator.report._svg_xy import Frame, Panel
from curator.report._tables import Column, Table, of, table
from curator.report._verdicts import Document
from curator.report.format import count, is_number, number

_APART = 8
_PANELS = 16
_LISTS = ("layers", "best", "worst", "rounding", "best_input", "worst_input")


def layer_rows(ranking: Document) -> list[dict[str, Any]]:
    """One row for each block and kind of layer: ``block``, ``kind`` and the two arms' errors."""
    return [
        {"kind": kind, "block": block, **dict(zip(_LISTS, values, strict=True))}
        for kind, lists in (of(ranking, "layers", "kinds") or {}).items()
        for block, *values in zip(lists["blocks"], *(lists[name] for name in _LISTS), strict=False)
    ]


def layer_panels(ranking: Document) -> dict[str, Any] | None:
    """A panel a kind of layer: error over block, both arms and rounding to nearest.

    Returns:
        ``panels`` (``label``, ``null``, ``plot``), ``best`` and ``worst`` (names), ``more`` (kinds not shown) and
        ``apart``, ``inputs`` (the layers whose error, and whose activation scale, differs most); ``None`` when
        nothing was recorded.
    """
    rows = [row for row in layer_rows(ranking) if is_number(row["block"])]
    frame = _frame(rows)
    if frame is None:
        return None
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    best, worst = ranking["layers"]["best"], ranking["layers"]["worst"]
    return {
        "panels": [
            {
                "label": kind,
                "null": False,
                "plot": _panel(frame, kind, rows, best, worst),
            }
            for kind in kinds[:_PANELS]
        ],
        "more": max(0, len(kinds) - _PANELS),
        "best": best,
        "worst": worst,
        "apart": _apart(ranking),
        "inputs": _inputs(ranking),
    }


def _frame(rows: list[dict[str, Any]]) -> Frame | None:
    y = scale_for(value for row in rows for value in _errors(row))
    x = scale_for(row["block"] for row in rows)
    return None if x is None or y is None else Frame(x, y)


def _errors(row: Mapping[str, Any]) -> Iterator[object]:
    return (row[name] for name in ("best", "worst", "rounding"))


def _panel(frame: Frame, kind: str, rows: list[dict[str, Any]], best: str, worst: str) -> Panel:
    own = [row for row in rows if row["kind"] == kind]

    def points(name: str) -> list[tuple[float, float]]:
        return [(row["block"], row[name]) for row in own if is_number(row[name])]

    means = {name: _mean([value for _, value in points(name)]) for name in ("best", "worst", "rounding")}
    words = (
        f"Mean over blocks: {best} {means['best']}, {worst} {means['worst']}, "
        f"rounding to nearest {means['rounding']}."
    )
    key = f"layers-{''.join(c if c.isalnum() else '-' for c in kind)}"
    stretched = [frame.line(points("rounding"), "reference")]
    marks = [frame.marks(points("worst"), "worst", "diamond"), frame.marks(points("best"), "user dot")]
    return frame.panel(key, f"Relative weight error of {kind} by block", words, stretched, marks)


def _mean(values: list[float]) -> str:
    return number(sum(values) / len(values), 4) if values else "unknown"


def _apart(ranking: Document) -> Table | None:
    """The layers whose errors differ most between the two arms, by their ratio."""
    columns = [
        *_pair_columns("best", "worst", 4),
        Column("Rounding to nearest", lambda row: number(row["rounding"], 4)),
    ]
    return table(columns, _furthest(layer_rows(ranking), "best", "worst"))


def _inputs(ranking: Document) -> Table | None:
    """The layers whose activation scales differ most: the largest input that each was made for."""
    return table(
        _pair_columns("best_input", "worst_input", 2), _furthest(layer_rows(ranking), "best_input", "worst_input")
    )


def _furthest(rows: list[dict[str, Any]], one: str, other: str) -> list[dict[str, Any]]:
    known = [row for row in rows if all(is_number(row[name]) and row[name] > 0 for name in (one, other))]
    apart = [row for row in known if row[one] != row[other]]
    return sorted(apart, key=lambda row: -abs(math.log(row[other] / row[one])))[:_APART]


def _pair_columns(one: str, other: str, decimals: int) -> list[Column]:
    return [
        Column("Layer", lambda row: str(row["kind"]), "name", keep=True),
        Column("Block", lambda row: count(row["block"])),
        Column("Layers", lambda row: count(row["layers"]) if row["layers"] != 1 else ""),
        Column("Lowest KL", lambda row: number(row[one], decimals)),
        Column("Highest KL", lambda row: number(row[other], decimals)),
        Column("Ratio", lambda row: number(row[other] / row[one], 3)),
    ]
