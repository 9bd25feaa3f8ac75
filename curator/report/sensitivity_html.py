"""What each part loses when it alone is quantised, as one HTML file without scripts or network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from curator.report._svg import Scale, axis, element, estimate, grid, scale_for, strip
from curator.report._tables import Column, Table, table
from curator.report._templates import render
from curator.report.format import (
    count,
    decimals_for,
    interval,
    kl,
    number,
    percentage,
    short_hash,
    spread,
)

FORMAT_NAMES = {"nvfp4": "NVFP4", "fp8": "FP8", "bf16": "BF16"}
# Above this ratio of largest to smallest a linear axis would show the largest alone.
_LOG_FROM = 20.0


def sensitivity_html(document: Mapping[str, Any]) -> str:
    """The report of a sensitivity measurement.

    Args:
        document: as the measurement writes it. KL values are in nats a token.
    """
    first = next(iter(document["bits"]))
    made, foot = _parts(document, first)
    return render(
        "sensitivity.html.j2",
        tool=document["tool"],
        model=document["model"],
        warnings=document["warnings"],
        facts=_facts(document),
        first=FORMAT_NAMES[first],
        layers=_layers(document, first),
        parts=made,
        foot=foot,
        together=_together(document),
    )


def _facts(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    what = {"group": "merged projections", "layer": "decoder layer", "pattern": "pattern over all layers"}
    weights = "the checkpoint's" if document["checkpoint"] else "rounded to nearest"
    return [
        ("Model", str(document["model"])),
        ("Scheme", str(document["scheme"])),
        ("Part", what[document["by"]]),
        ("NVFP4 weights", weights),
        ("Prompts", count(len(document["prompts"]))),
        ("Scored tokens", count(document["scored_tokens"])),
        ("Batch size", count(document["batch_size"])),
        ("Estimator", str(document["estimator"])),
        ("Compute type", str(document["dtype"])),
        ("Set", f"{short_hash(document['set_hash'])}, {count(document['set_rows'])} rows"),
        ("Weights in parts", count(document["weights"])),
        ("Other weights, BF16", count(document["other_weights"])),
    ]


def _layers(document: Mapping[str, Any], first: str) -> dict[str, Any] | None:
    """KL over depth: a strip for each kind of part, a bar for each layer, on one vertical scale."""
    if document["by"] == "pattern":
        return None
    kinds: dict[str, dict[int, float]] = {}
    for part in document["parts"]:
        kind = part["name"].split(".", 2)[2] if document["by"] == "group" else "layer"
        kinds.setdefault(kind, {})[part["first_layer"]] = part["kl"][first]["mean"]
    scale = Scale(-0.6, document["layers"] - 0.4)
    top = max(max(values.values()) for values in kinds.values()) or 1.0
    rows = [
        {"name": kind, "strip": strip(*_bars(scale, kinds[kind], top)), "sum": sum(kinds[kind].values())}
        for kind in sorted(kinds, key=lambda kind: -sum(kinds[kind].values()))
    ]
    decimals = decimals_for(row["sum"] for row in rows)
    return {
        "rows": [{**row, "sum": kl(row["sum"], decimals)} for row in rows],
        "axis": axis(scale),
        "top": kl(top),
    }


def _bars(scale: Scale, values: Mapping[int, float], top: float) -> list[Markup]:
    return [
        element(
            "rect",
            element("title", f"layer {layer}: {kl(value)}"),
            x=scale.at(layer - 0.4),
            y=f"{100 - 92 * value / top:.2f}%",
            width=scale.width(layer - 0.4, layer + 0.4),
            height=f"{92 * value / top:.2f}%",
            class_="bar",
        )
        for layer, value in sorted(values.items())
    ]


def _parts(document: Mapping[str, Any], first: str) -> tuple[Table | None, Markup]:
    parts: Sequence[Mapping[str, Any]] = document["parts"]
    means = [part["kl"][first]["mean"] for part in parts]
    scale = scale_for(means, log_from=_LOG_FROM)
    if scale is not None and not scale.log:
        scale = scale_for([*means, *(end for part in parts for end in part["kl"][first]["ci"])])
    # There is a part, and KL is a number.
    assert scale is not None
    total = document["together"][first]["sum_of_parts"] or 1.0
    columns = [
        Column("Part", lambda part: part["name"], "name"),
        Column("KL", lambda part: _strip(scale, part["kl"][first]), "strip"),
    ]
    for chosen in document["bits"]:
        columns += _numbers(parts, chosen)
        if chosen == first:
            columns.append(Column("% of the sum", lambda part: percentage(part["kl"][first]["mean"] / total)))
    columns.append(Column("Weights", lambda part: count(part["weights"])))
    columns += [
        Column(f"MB in {FORMAT_NAMES[chosen]}", lambda part, bits=bits: number(part["weights"] * bits / 8e6, 2))  # type: ignore[misc]
        for chosen, bits in document["bits"].items()
    ]
    return table(columns, parts), axis(scale)


def _numbers(parts: Sequence[Mapping[str, Any]], chosen: str) -> list[Column]:
    # Of parts that lose next to nothing more decimals would only widen the table.
    decimals = min(5, decimals_for(part["kl"][chosen]["mean"] for part in parts))
    return [
        Column(f"KL, {FORMAT_NAMES[chosen]}", lambda part: kl(part["kl"][chosen]["mean"], decimals)),
        Column("SE", lambda part: spread(part["kl"][chosen]["se"])),
    ]


def _strip(scale: Scale, found: Mapping[str, Any]) -> Markup:
    return strip(grid(scale), estimate(scale, found["mean"], found["ci"], "user"))


def _together(document: Mapping[str, Any]) -> Table | None:
    rows = [(FORMAT_NAMES[chosen], found) for chosen, found in document["together"].items()]
    return table(
        [
            Column("Format", lambda row: row[0], "name"),
            Column("KL of all parts at once", lambda row: kl(row[1]["mean"])),
            Column("95 % interval", lambda row: interval(row[1]["ci"])),
            Column("SE", lambda row: spread(row[1]["se"])),
            Column("Sum of the parts' KL", lambda row: kl(row[1]["sum_of_parts"])),
        ],
        rows,
    )
