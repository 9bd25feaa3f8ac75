"""The numbers behind every figure of a ranking report, as rows of plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from curator.report._ranking_cost import cost_rows
from curator.report._ranking_layers import layer_rows
from curator.report._tables import of
from curator.report._verdicts import Document, arms_of, is_null, pairs_of, rank_ranges
from curator.report.format import is_interval

Row = dict[str, Any]


def figures(ranking: Document) -> dict[str, list[Row]]:
    """Rows by figure, those that the document has anything for.

    Returns:
        ``arms``, ``pairs``, ``floors``, ``domains``, ``positions``, ``lengths``, ``prompts``, ``worst-prompts``,
        ``layers``, ``composition``, ``draws``, ``cost``. Every row of a figure has the same keys. KL is in nats a
        token; 95 % intervals are in two columns, ``_low`` and ``_high``, whose names say of what kind they are:
        ``kl`` of a mean that weighs tasks, or of one task, for one arm by itself; ``kl_plain`` of a mean over
        prompts of all tasks alike, without the noise floors; ``simultaneous`` of all its kind together.
    """
    makers: Mapping[str, Callable[[Document], list[Row]]] = {
        "arms": _arms,
        "pairs": _pairs,
        "floors": _floors,
        "domains": _domains,
        "positions": _positions,
        "lengths": lambda document: _places(document.get("by_length"), "shortest", "longest"),
        "prompts": _prompts,
        "worst-prompts": _worst,
        "layers": layer_rows,
        "composition": _composition,
        "draws": _draws,
        "cost": cost_rows,
    }
    return {name: _even(rows) for name, make in makers.items() if (rows := make(ranking))}


def _even(rows: Sequence[Row]) -> list[Row]:
    columns = dict.fromkeys(column for row in rows for column in row)
    return [{column: row.get(column) for column in columns} for row in rows]


def ends(name: str, value: object) -> Row:
    """An interval as two columns."""
    low, high = value if is_interval(value) else (None, None)
    return {f"{name}_low": low, f"{name}_high": high}


def _arms(ranking: Document) -> list[Row]:
    ranks = rank_ranges(ranking)
    plain = ("method", "draws", "top1", "cosine", "js", "kl_median", "kl_p99", "kl_max", "may_be_best")
    return [
        {
            "arm": arm["name"],
            "kind": "null" if is_null(arm) else "user",
            "recipe": arm.get("recipe"),
            "rank": ranks.get(arm["name"]),
            "kl_mean": arm.get("kl_mean"),
            **ends("kl", arm.get("kl_ci")),
            **{name: arm.get(name) for name in plain},
            **ends("from_best_simultaneous", of(arm, "from_best", "ci")),
            "dropped_at_look": of(arm, "dropped", "look"),
            "other_scheme": of(arm, "other_scheme", "scheme"),
            "other_kl_mean": of(arm, "other_scheme", "kl_mean"),
            **ends("other_kl", of(arm, "other_scheme", "kl_ci")),
            "kl_union": of(arm, "sparse", "union"),
            "kl_lumped": of(arm, "sparse", "lumped"),
            "kl_source_families_drawn_on": of(arm, "by_family", "drawn", "kl_mean"),
            "kl_other_families": of(arm, "by_family", "other", "kl_mean"),
        }
        for arm in arms_of(ranking)
    ]


def _pairs(ranking: Document) -> list[Row]:
    plain = ("se", "p", "p_holm", "verdict", "equivalent", "scope", "family", "signs_agree")
    return [
        {
            "a": pair["a"],
            "b": pair["b"],
            "difference": pair.get("diff"),
            **ends("difference_simultaneous", pair.get("ci")),
            **{name: pair.get(name) for name in plain},
            "draws_to_settle": of(pair, "settle", "draws"),
            "prompts_to_settle": of(pair, "settle", "prompts"),
        }
        for pair in pairs_of(ranking)
    ]


def _floors(ranking: Document) -> list[Row]:
    known = ranking.get("floors") or {}
    rows = [
        {"floor": name, "sd": floor.get("sd"), "words": floor.get("words")}
        for name, floor in known.items()
        if isinstance(floor, Mapping)
    ]
    used = [{"floor": "used", "sd": known["used_sd"], "words": None}] if "used_sd" in known else []
    return rows + used


def _domains(ranking: Document) -> list[Row]:
    arms = {arm["name"]: arm for arm in arms_of(ranking)}
    return [
        {
            "arm": row["arm"],
            "kind": row.get("kind"),
            "task": task,
            "kl_mean": of(row, "cells", task, "kl_mean"),
            **ends("kl", of(row, "cells", task, "kl_ci")),
            "relative_to_user_arms": of(row, "cells", task, "relative"),
            "may_be_lowest": of(row, "cells", task, "may_be_lowest"),
            "share_of_this_task_in_the_sets": of(row, "made_of", task),
            **{name: of(arms.get(row["arm"]), "by_task", task, name) for name in ("top1", "cosine")},
        }
        for row in of(ranking, "domains", "rows") or []
        for task in of(ranking, "domains", "tasks") or []
    ]


def _positions(ranking: Document) -> list[Row]:
    phases = ranking.get("by_position") or {}
    return [{"phase": phase, **row} for phase, part in phases.items() for row in _places(part, "first", "last")]


def _places(part: object, first: str, last: str) -> list[Row]:
    bins, arms = of(part, "bins") or [], of(part, "arms") or {}
    return [
        {"arm": name, first: one["first"], last: one["last"], "prompts": one.get("prompts"),
         "kl_plain_mean": value, **ends("kl_plain", ci)}
        for name, row in arms.items()
        for one, value, ci in zip(bins, row.get("kl") or [], row.get("ci") or [], strict=False)
    ]  # fmt: skip


def _prompts(ranking: Document) -> list[Row]:
    known = ranking.get("per_prompt") or {}
    lists = {
        name: known.get(key) for name, key in (("task", "tasks"), ("family", "families"), ("tokens", "tokens"))
    }
    return [
        {
            "prompt": prompt,
            **{name: values[index] if values else None for name, values in lists.items()},
            "arm": arm,
            "kl_mean": kl[index],
        }
        for arm, kl in (known.get("arms") or {}).items()
        for index, prompt in enumerate(known.get("ids") or [])
    ]


def _worst(ranking: Document) -> list[Row]:
    names = ("departs", "scored", "differ", "before", "reference", "choice", "after", "kl_there")
    return [
        {
            "prompt": prompt["id"],
            "task": prompt.get("task"),
            "why": prompt.get("why"),
            "end_of_prompt": prompt.get("prompt"),
            "arm": arm["arm"],
            "kl_mean": arm.get("kl"),
            **{name: arm.get(name) for name in names},
        }
        for prompt in ranking.get("worst_prompts") or []
        for arm in prompt.get("arms") or []
    ]


def _composition(ranking: Document) -> list[Row]:
    return [
        {"share_of": kind, "arm": arm, "part": part, "share": share}
        for kind, by_arm in (ranking.get("composition") or {}).items()
        for arm, shares in by_arm.items()
        for part, share in shares.items()
    ]


def _draws(ranking: Document) -> list[Row]:
    return [
        {
            "arm": arm["name"],
            "draw": number,
            "kl_mean": mean,
            "set_hash": made.get("set_hash"),
            "samples": made.get("samples"),
            "tokens": made.get("tokens"),
            "overlap": made.get("overlap"),
        }
        for arm in arms_of(ranking)
        for number, mean in enumerate(arm.get("draw_means") or [])
        for made in [dict(enumerate(arm.get("sets") or [])).get(number, {})]
    ]
