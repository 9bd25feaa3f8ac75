"""A leaderboard as one HTML file without scripts or network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from curator.report._svg import axis, estimate, grid, scale_for, strip
from curator.report._tables import Column, Table, table
from curator.report._templates import render
from curator.report.format import (
    count,
    decimals_for,
    interval,
    interval_decimals,
    kl,
    listing,
    p_value,
    short_hash,
    signed,
)
from curator.report.leaderboard_terminal import rank_words, sentences


def leaderboard_html(board: Mapping[str, Any]) -> str:
    """The page of a leaderboard.

    Args:
        board: of `leaderboard`. KL values are in nats a token.
    """
    return render(
        "leaderboard.html.j2",
        tool=board["tool"],
        groups=[_group(group) for group in board["groups"]],
        apart=table(
            [
                Column("Run", lambda one: one["first"], "name"),
                Column("Run", lambda one: one["second"], "text"),
                Column("Measured unlike in", lambda one: one["why"], "text"),
            ],
            board["apart"],
        ),
        skipped=table([Column("Left out, and why", lambda one: one["why"], "text")], board["skipped"]),
    )


def _group(group: Mapping[str, Any]) -> dict[str, Any]:
    arms, foot = _arms(group)
    told = group["conditions"]
    return {
        "title": f"{told['model']}, {told['scheme']}",
        "facts": [
            ("Phase", f"{told['phase']}, batch {told['batch_size']}"),
            ("Scored", f"{count(told['prompts'])} prompts x {count(told['tokens_per_prompt'])} tokens"),
            ("Estimator", told["estimator"]),
            ("Compute type", told["dtype"]),
            ("Held-out prompts", short_hash(told.get("heldout_hash"))),
            ("Runs", listing(group["runs"])),
        ],
        "arms": arms,
        "foot": foot,
        "sentences": sentences(group),
        "pairs": _pairs(group),
        "warnings": group["warnings"],
    }


def _arms(group: Mapping[str, Any]) -> tuple[Table | None, Markup]:
    arms = group["arms"]
    scale = scale_for([*(arm["kl_mean"] for arm in arms), *(end for arm in arms for end in arm["kl_ci"])])
    if scale is None:
        return None, Markup("")
    decimals = decimals_for([arm["kl_mean"] for arm in arms])
    ends = interval_decimals([arm["kl_ci"] for arm in arms], decimals)
    columns = [
        Column("Rank", rank_words, "text"),
        Column("Arm", lambda arm: arm["name"], "name"),
        Column("Method", lambda arm: arm["method"], "text"),
        Column(
            "KL",
            lambda arm: strip(grid(scale), estimate(scale, arm["kl_mean"], arm["kl_ci"], arm["kind"])),
            "strip",
        ),
        Column("Nats a token", lambda arm: kl(arm["kl_mean"], decimals)),
        Column("95 % interval", lambda arm: interval(arm["kl_ci"], ends)),
        Column("Draws", lambda arm: count(arm["draws"])),
        Column("May be best", lambda arm: "yes" if arm["may_be_best"] else "", "text"),
        Column("Null arm", lambda arm: "yes" if arm["kind"] == "null" else "", "text"),
        Column("Again in", lambda arm: listing(arm["again_in"]), "text"),
    ]
    return table(columns, arms, lambda arm: arm["kind"]), axis(scale)


def _pairs(group: Mapping[str, Any]) -> Table | None:
    pairs = group["pairs"]
    decimals = decimals_for([pair["diff"] for pair in pairs], significant=2)
    columns = [
        Column("Arm", lambda pair: pair["a"], "name"),
        Column("Other arm", lambda pair: pair["b"], "text"),
        Column("Difference", lambda pair: signed(pair["diff"], decimals)),
        Column("Simultaneous interval", lambda pair: interval(pair["ci"], decimals)),
        Column("p (Holm)", lambda pair: p_value(pair["p_holm"])),
        Column(
            "Verdict on the first",
            lambda pair: pair["verdict"] + (", equivalent" if pair["equivalent"] else ""),
            "text",
        ),
        Column("About", lambda pair: pair["scope"], "text"),
    ]
    return table(columns, pairs)
