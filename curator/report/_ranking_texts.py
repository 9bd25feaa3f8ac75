"""The worst prompts as texts: what BF16 wrote, and what an arm prefers where it departs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from curator.report._verdicts import Document
from curator.report.format import clean, count, is_number, kl, one_line
from curator.report.inspect_tokens import visible


def worst_texts(ranking: Document, decimals: int) -> list[dict[str, Any]]:
    """The prompts for the template; every text is cleaned, and escaped where it is written."""
    return [
        {
            "id": one_line(prompt["id"]),
            "words": _about(prompt, decimals),
            "prompt": clean(prompt.get("prompt") or ""),
            "arms": [_arm(arm, decimals) for arm in prompt.get("arms") or []],
        }
        for prompt in ranking.get("worst_prompts") or []
    ]


def _about(prompt: Mapping[str, Any], decimals: int) -> str:
    values = [f"{one_line(arm['arm'])} {kl(arm.get('kl'), decimals)}" for arm in prompt.get("arms") or []]
    return " · ".join([str(prompt.get("task") or ""), str(prompt.get("why") or ""), *values])


def _arm(arm: Mapping[str, Any], decimals: int) -> dict[str, Any]:
    parts = {name: clean(arm.get(name) or "") for name in ("before", "after")}
    marked = {name: visible(str(arm.get(name) or "")) for name in ("reference", "choice")}
    return {
        "arm": one_line(arm["arm"]),
        "words": _departure(arm, decimals),
        "departs": is_number(arm.get("departs")),
        **parts,
        **marked,
    }


def _departure(arm: Mapping[str, Any], decimals: int) -> str:
    scored, differ = arm.get("scored"), arm.get("differ")
    if not is_number(arm.get("departs")):
        return f"prefers BF16's token at all {count(scored)} scored tokens"
    there = kl(arm.get("kl_there"), decimals)
    return (
        f"departs at token {count(arm['departs'])} (KL there {there}); prefers another token at {count(differ)} "
        f"of {count(scored)} scored tokens"
    )
