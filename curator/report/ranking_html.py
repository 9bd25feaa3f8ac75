"""A ranking as one HTML file: no script, no network, nothing outside the document it is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.report import _ranking_plots as plots
from curator.report import _ranking_reproduce as reproduce
from curator.report import _ranking_tables as tables
from curator.report._ranking_cost import cost_table
from curator.report._ranking_domains import composition_tables, heat_map
from curator.report._ranking_layers import layer_panels
from curator.report._ranking_places import place_panels
from curator.report._ranking_texts import worst_texts
from curator.report._tables import of
from curator.report._templates import render
from curator.report._verdicts import (
    SCOPES,
    TIED_IS_NOT_EQUAL,
    arms_of,
    detectable,
    floors,
    is_null,
    looks,
    may_be_best,
    pairs_of,
    rank_ranges,
    settled_by,
)
from curator.report.format import count, interval, is_number, kl, number, one_line
from curator.report.ranking_figures import figures


def ranking_html(ranking: Mapping[str, Any]) -> str:
    """The report of a run.

    Args:
        ranking: the document that the ranking step writes; optional parts that are missing or null leave
            their section out.

    Returns:
        A whole HTML document. KL values are in nats a token.
    """
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
        has_from_best=any(arm.get("from_best") for arm in arms_of(ranking)),
        has_null=any(is_null(arm) for arm in arms_of(ranking)),
        has_ties=any("-" in rank for rank in rank_ranges(ranking).values()),
        forest=plots.forest(ranking),
        detectable=detectable(ranking),
        floors=floors(ranking),
        arms=tables.arms_table(ranking),
        **_pairs(ranking),
        panels=plots.task_panels(ranking),
        agreement=tables.agreement_table(ranking),
        prompts=plots.prompt_strips(ranking),
        measures=tables.other_measures(ranking),
        draws=tables.draws_table(ranking),
        sets=sets,
        has_overlap=sets is not None and any(column.head == "Overlap" for column in sets.columns),
        environment=ranking.get("environment") or {},
        files=figures(ranking),
        plan_words=_plan_words(ranking),
        **_exploratory(ranking, decimals, ends),
        **_provenance(ranking),
        is_null=is_null,
        kl=lambda value: kl(value, decimals),
        interval=lambda value: interval(value, ends),
    )


def _pairs(ranking: Mapping[str, Any]) -> dict[str, Any]:
    """What was decided of each pair."""
    pairs, axis = tables.pairs_table(ranking)
    return {
        "matrix": tables.matrix(ranking),
        "pairs": pairs,
        "pairs_axis": axis,
        "sentences": _sentences(ranking),
        "settles": [pair for pair in pairs_of(ranking) if settled_by(pair)],
        "scopes": _scopes(ranking),
        "tied_is_not_equal": TIED_IS_NOT_EQUAL,
    }


def _exploratory(ranking: Mapping[str, Any], decimals: int, ends: int) -> dict[str, Any]:
    """What is shown and decides nothing."""
    phases = ranking.get("by_position") or {}
    positions = [
        (phase, place_panels(ranking, part, f"position-{phase}", "token")) for phase, part in phases.items()
    ]
    return {
        "heat": heat_map(ranking, decimals, ends),
        "positions": [(phase, plot) for phase, plot in positions if plot],
        "lengths": place_panels(ranking, ranking.get("by_length"), "length", "tokens of the prompt", log_from=20),
        "layers": layer_panels(ranking),
        "worst": worst_texts(ranking, decimals),
        "composition": composition_tables(ranking),
    }


def _provenance(ranking: Mapping[str, Any]) -> dict[str, Any]:
    """What the run cost and how it is made again."""
    cost, total = cost_table(ranking)
    return {
        "cost": cost,
        "cost_total": total,
        "reproduce": ranking.get("reproduce") or {},
        "recipes": reproduce.recipes_table(ranking),
        "settings": reproduce.settings(ranking),
        "versions": reproduce.versions(ranking),
    }


def _plan_words(ranking: Mapping[str, Any]) -> list[str]:
    """What the plan says about comparisons, looks and budget, as sentences."""
    words = [of(ranking, part, "words") for part in ("comparisons", "budget")]
    return [one_line(text) for text in (*words, looks(ranking)) if text]


def _sentences(ranking: Mapping[str, Any]) -> list[str]:
    """Every pair in words, with what would settle it and what that assumes."""
    words = [(pair.get("words"), of(pair, "settle", "words")) for pair in tables.user_first(ranking)]
    return [f"{said} {settle[:1].upper()}{settle[1:]}." if settle else said for said, settle in words if said]


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
