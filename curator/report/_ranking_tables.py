"""The tables of a ranking report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup

from curator.report._ranking_plots import difference_strips, tasks_of
from curator.report._tables import Column, Record, Table, of, table
from curator.report._verdicts import (
    SCOPE_NAMES,
    Document,
    arms_of,
    is_null,
    label,
    pair_table,
    pairs_of,
    rank_ranges,
    settled_by,
)
from curator.report.format import (
    DASH,
    count,
    decimals_for,
    interval,
    interval_decimals,
    is_number,
    kl,
    number,
    one_line,
    p_value,
    percent,
    percentage,
    short_hash,
    signed,
)

OVERLAP_LIMIT = 0.2  # share of a draw's documents in another draw above which recipe verdicts are void
SHARE_TOLERANCE = 0.02


def kl_decimals(ranking: Document) -> tuple[int, int]:
    """Decimals of the run's KL means and of their intervals."""
    arms = arms_of(ranking)
    decimals = decimals_for(arm.get("kl_mean") for arm in arms)
    return decimals, interval_decimals((arm.get("kl_ci") for arm in arms), decimals)


def arm_class(arm: Record) -> str:
    """Class of an arm's row."""
    return "null" if is_null(arm) else ""


def name_column(head: str = "Arm") -> Column:
    """The arm's name, first in every table of arms."""
    return Column(head, lambda arm: str(arm["name"]), "name", keep=True)


def arms_table(ranking: Document) -> Table | None:
    """The ranking: the primary number and what stands beside it."""
    ranks = rank_ranges(ranking)
    decimals, ends = kl_decimals(ranking)
    arms = arms_of(ranking)
    other = next((scheme for arm in arms if (scheme := of(arm, "other_scheme", "scheme"))), "Other scheme")
    scheme = of(ranking, "primary", "scheme") or ""
    small = decimals_for(of(arm, "other_scheme", "kl_mean") for arm in arms)
    columns = [
        Column("Rank", lambda arm: ranks.get(arm["name"], "null").replace("-", "–"), "rank", keep=True),
        name_column(),
        Column("What it is", lambda arm: str(arm.get("title") or ""), "text"),
        Column("Method", lambda arm: str(arm.get("method") or ""), "text"),
        Column("Draws", lambda arm: count(arm.get("draws"))),
        Column(f"{scheme} KL", lambda arm: kl(arm.get("kl_mean"), decimals), keep=True),
        Column("95 % interval", lambda arm: interval(arm.get("kl_ci"), ends)),
        Column("Top-1 %", lambda arm: percentage(arm.get("top1"))),
        Column("Cosine", lambda arm: number(arm.get("cosine"), 3)),
        Column(f"{other} KL", lambda arm: kl(of(arm, "other_scheme", "kl_mean"), small)),
        Column(f"{other} 95 % interval", lambda arm: interval(of(arm, "other_scheme", "kl_ci"), small)),
        Column(f"{other} top-1 %", lambda arm: percentage(of(arm, "other_scheme", "top1"))),
        Column("Above the best [95 %]", lambda arm: interval(of(arm, "from_best", "ci"), ends)),
        Column("May be best", lambda arm: "yes" if arm.get("may_be_best") else "", "text"),
    ]
    return table(columns, arms, arm_class)


def agreement_table(ranking: Document) -> Table | None:
    """Top-1 agreement and cosine by task."""
    columns = [name_column()]
    for task in tasks_of(ranking):
        columns.append(Column(f"{task} top-1 %", _of_task(task, "top1", percentage)))
        columns.append(Column(f"{task} cosine", _of_task(task, "cosine", lambda value: number(value, 3))))
    return table(columns, arms_of(ranking), arm_class)


def _of_task(task: str, key: str, show: Callable[[object], str]) -> Callable[[Any], str]:
    return lambda arm: show(of(arm, "by_task", task, key))


def other_measures(ranking: Document) -> Table | None:
    """Everything else that was measured; exploratory."""
    decimals, _ = kl_decimals(ranking)
    arms = arms_of(ranking)
    top = next((k for arm in arms if is_number(k := of(arm, "sparse", "k"))), None)
    lists = f"top-{top}" if top else "top-K"
    js = decimals_for(arm.get("js") for arm in arms)

    def family(which: str) -> Any:
        return lambda arm: kl(of(arm, "by_family", which, "kl_mean"), decimals)

    def prompts(which: str) -> Any:
        return lambda arm: count(of(arm, "by_family", which, "prompts"))

    columns = [
        name_column(),
        Column("KL median", lambda arm: kl(arm.get("kl_median"), decimals)),
        Column("KL p99", lambda arm: kl(arm.get("kl_p99"), decimals)),
        Column("KL max", lambda arm: kl(arm.get("kl_max"), decimals)),
        Column("Jensen-Shannon", lambda arm: kl(arm.get("js"), js)),
        Column(f"KL union, {lists}", lambda arm: kl(of(arm, "sparse", "union"), decimals)),
        Column(f"KL lumped, {lists}", lambda arm: kl(of(arm, "sparse", "lumped"), decimals)),
        Column("KL, source families drawn on", family("drawn")),
        Column("prompts", prompts("drawn")),
        Column("KL, other families", family("other")),
        Column("prompts", prompts("other")),
    ]
    return table(columns, arms, arm_class)


def draws_table(ranking: Document) -> Table | None:
    """The mean of every draw."""
    decimals, _ = kl_decimals(ranking)

    def means(arm: Record) -> str:
        values = arm.get("draw_means") or []
        return "  ".join(kl(value, decimals) for value in values) if len(values) > 1 else ""

    columns = [
        name_column(),
        Column("KL of each draw", means, "num wide"),
    ]
    return table(columns, arms_of(ranking), arm_class)


def matrix(ranking: Document) -> dict[str, Any] | None:
    """Verdicts of every row's arm against every column's; columns bear numbers, as names may be long."""
    pairs = pair_table(ranking)
    if not pairs:
        return None
    arms = arms_of(ranking)
    rows: list[dict[str, Any]] = [
        {
            "arm": row,
            "number": index,
            "cells": [
                label(pairs[row["name"], column["name"]]) if (row["name"], column["name"]) in pairs else ""
                for column in arms
            ],
        }
        for index, row in enumerate(arms, 1)
    ]
    # An arm has no pair with itself.
    left_out = sum(not cell for row in rows for cell in row["cells"]) > len(rows)
    words = sorted({cell for row in rows for cell in row["cells"] if cell})
    return {"rows": rows, "words": words, "left_out": left_out}


def user_first(ranking: Document) -> list[Document]:
    """All pairs, those of the user's family first."""
    return sorted(pairs_of(ranking), key=lambda pair: pair.get("family", "user") != "user")


def pairs_table(ranking: Document) -> tuple[Table | None, Markup | None]:
    """All pairs, the user's family first, with the axis of their plot."""
    pairs = user_first(ranking)
    strips, axis = difference_strips(pairs)
    decimals = kl_decimals(ranking)[0]
    records = [{**pair, "strip": plot} for pair, plot in zip(pairs, strips, strict=True)]
    columns = [
        Column("a", lambda pair: str(pair["a"]), "name", keep=True),
        Column("a is", lambda pair: verdict_cell(label(pair)), "text", keep=True),
        Column("b", lambda pair: str(pair["b"]), "name", keep=True),
        Column("KL(a) - KL(b)", lambda pair: signed(pair.get("diff"), decimals), keep=True),
        Column("simultaneous 95 %", lambda pair: interval(pair.get("ci"), decimals)),
        Column("Difference", lambda pair: pair["strip"], "strip"),
        Column("p", lambda pair: p_value(pair.get("p"))),
        Column("p, Holm", lambda pair: p_value(pair.get("p_holm"))),
        Column("About", lambda pair: SCOPE_NAMES.get(str(pair.get("scope")), DASH), "text short"),
        Column("Both estimators agree", _signs, "text"),
        Column("Family", lambda pair: str(pair.get("family") or ""), "text"),
        Column("Would be settled by", settled_by, "text short"),
    ]
    rows = table(columns, records, lambda pair: "null" if pair.get("family") == "null" else "")
    return rows, axis


def _signs(pair: Record) -> str:
    """Whether both estimators from lists have the difference on the same side of 0."""
    agree = pair.get("signs_agree")
    return DASH if agree is None else "yes" if agree else "no"


def verdict_cell(word: str) -> Markup:
    """A verdict as a word whose colour repeats it."""
    return Markup('<span class="verdict {}">{}</span>').format(word.partition(",")[0], word)


def sets_table(ranking: Document) -> Table | None:
    """The sets of every arm and draw: size, shares, drops, overlap."""
    records = [
        {**entry, "name": arm["name"], "draw": index}
        for arm in arms_of(ranking)
        for index, entry in enumerate(arm.get("sets") or [])
    ]
    shares = [record.get(key) or {} for record in records for key in ("asked", "shares")]
    tasks = dict.fromkeys(task for share in shares for task in share)
    columns = [
        Column("Arm", lambda record: str(record["name"]) if not record["draw"] else "", "name", keep=True),
        Column("Draw", lambda record: count(record["draw"]), keep=True),
        Column("Set hash", lambda record: short_hash(record.get("set_hash")), "code"),
        Column("Samples", lambda record: count(record.get("samples"))),
        Column("Tokens", lambda record: count(record.get("tokens"))),
        *(Column(f"{task}, got of asked %", _share_of(task)) for task in tasks),
        Column("Overlap", lambda record: overlap(record.get("overlap"))),
        Column("Dropped", lambda record: dropped(record.get("dropped")), "text words"),
    ]
    return table(columns, records)


def _share_of(task: str) -> Callable[[Any], str]:
    return lambda record: share_cell(record, task)


def share_cell(record: Record, task: str) -> str:
    """A task's share of tokens, got and asked, marked when they are more than two points apart."""
    got, asked = of(record, "shares", task), of(record, "asked", task)
    text = f"{percentage(got)} of {percentage(asked)}"
    if got is None and asked is None:
        return DASH
    return f"{text} *" if off_target(got, asked) else text


def off_target(got: object, asked: object) -> bool:
    """Whether a share missed what was asked by more than the tolerance of two points."""
    if not is_number(asked):
        return False
    return abs((got if is_number(got) else 0.0) - asked) > SHARE_TOLERANCE + 1e-9


def overlap(value: object) -> str:
    """The share of a draw's documents that other draws hold too; by draw when the document says so."""
    if isinstance(value, dict):
        return ", ".join(f"{one_line(other)} {overlap(share)}" for other, share in value.items())
    if not is_number(value):
        return DASH
    return f"{percent(value)}, above 20 %" if value > OVERLAP_LIMIT else percent(value)


def dropped(reasons: object) -> str:
    """Reasons with counts, the commonest first."""
    return "; ".join(f"{one_line(reason)} {count(size)}" for reason, size in by_count(reasons))


def asked_and_got(manifest: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Shares of a set's tokens: of its tasks and, where its target has them, of languages and lengths."""
    asked, got = dict(manifest.get("asked") or {}), dict(manifest.get("shares") or {})
    others = (margin for margin in manifest.get("margins") or [] if not margin["name"].startswith("task "))
    for margin in others:
        asked[margin["name"]], got[margin["name"]] = margin["asked"], margin["got"]
    return asked, got


def by_count(reasons: object) -> Sequence[tuple[str, Any]]:
    """Reasons with counts, the commonest first."""
    items: dict[str, Any] = reasons if isinstance(reasons, dict) else {}
    return sorted(items.items(), key=lambda item: (-(item[1] if is_number(item[1]) else 0), item[0]))
