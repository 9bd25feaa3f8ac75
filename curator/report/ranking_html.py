"""A ranking as one HTML file: no script, no network, nothing outside the document it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.report import _ranking_plots as plots
from curator.report import _ranking_tables as tables
from curator.report._tables import of
from curator.report._templates import render
from curator.report._verdicts import (
    SCOPES,
    TIED_IS_NOT_EQUAL,
    arms_of,
    detectable,
    floors,
    is_null,
    may_be_best,
    pairs_of,
    rank_ranges,
)
from curator.report.format import count, interval, is_number, kl, number


def ranking_html(ranking: Mapping[str, Any]) -> str:
    """The report of a run.

    Args:
        ranking: the document that the ranking step writes; optional parts that are missing or null leave
            their section out.

    Returns:
        A whole HTML document. KL values are in nats a token.
    """
    pairs, pairs_axis = tables.pairs_table(ranking)
    decimals, ends = tables.kl_decimals(ranking)
    sets = tables.sets_table(ranking)
    return render(
        "ranking.html.j2",
        ranking=ranking,
        tool=ranking.get("tool") or {},
        created=ranking.get("created"),
        statement=of(ranking, "primary", "statement"),
        facts=_facts(ranking.get("primary") or {}),
        warnings=ranking.get("warnings") or [],
        best=may_be_best(ranking),
        ranks=rank_ranges(ranking),
        has_null=any(is_null(arm) for arm in arms_of(ranking)),
        has_ties=any("-" in rank for rank in rank_ranges(ranking).values()),
        forest=plots.forest(ranking),
        detectable=detectable(ranking),
        floors=floors(ranking),
        arms=tables.arms_table(ranking),
        matrix=tables.matrix(ranking),
        pairs=pairs,
        pairs_axis=pairs_axis,
        sentences=[pair["words"] for pair in tables.user_first(ranking) if pair.get("words")],
        scopes=_scopes(ranking),
        tied_is_not_equal=TIED_IS_NOT_EQUAL,
        panels=plots.task_panels(ranking),
        agreement=tables.agreement_table(ranking),
        prompts=plots.prompt_strips(ranking),
        measures=tables.other_measures(ranking),
        draws=tables.draws_table(ranking),
        sets=sets,
        has_overlap=sets is not None and any(column.head == "Overlap" for column in sets.columns),
        environment=ranking.get("environment") or {},
        is_null=is_null,
        kl=lambda value: kl(value, decimals),
        interval=lambda value: interval(value, ends),
    )


def _scopes(ranking: Mapping[str, Any]) -> list[str]:
    """What the scopes that occur mean, a sentence each."""
    present = {pair.get("scope") for pair in pairs_of(ranking)}
    return [sentence for scope, sentence in SCOPES.items() if scope in present]


def _facts(primary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The conditions of the primary number, as far as the document states them."""
    size = primary.get("set") or {}
    facts = [
        ("Model", primary.get("model")),
        ("Scheme", primary.get("scheme")),
        ("Method", primary.get("method")),
        ("Phase", primary.get("phase")),
        ("Batch size", _count(primary.get("batch_size"))),
        ("Prompts", _count(primary.get("prompts"))),
        ("Scored tokens a prompt", _count(primary.get("tokens_per_prompt"))),
        ("Estimator", primary.get("estimator")),
        ("Compute type", primary.get("dtype")),
        ("Metric", primary.get("metric")),
        ("Set", _set_size(size)),
        ("Task weights", _weights(primary.get("weights") or {})),
    ]
    return [(name, str(value)) for name, value in facts if value not in (None, "")]


def _count(value: object) -> str | None:
    return count(value) if is_number(value) else None


def _set_size(size: Mapping[str, Any]) -> str | None:
    parts = [f"{count(size[key])} {key}" for key in ("samples", "tokens") if is_number(size.get(key))]
    return " × ".join(parts) or None


def _weights(weights: Mapping[str, Any]) -> str:
    values = list(weights.values())
    if len(values) > 1 and all(is_number(value) and abs(value - values[0]) < 1e-9 for value in values):
        return f"equal: {', '.join(weights)}"
    return ", ".join(f"{task} {number(weight, 3)}" for task, weight in weights.items())
