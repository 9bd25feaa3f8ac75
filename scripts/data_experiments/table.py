"""The results as the README shows them: a table in Markdown, a row an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def markdown(results: Mapping[str, Any]) -> str:
    """Arms with KL and 95 % intervals, verdicts as the ranking says, and the conditions under the table."""
    lines = ["| question | arms, KL in nats a token [95 %] | verdicts |", "|---|---|---|"]
    for experiment in results["experiments"].values():
        arms = [arm for arm in experiment["arms"] if arm["kind"] == "user"]
        nulls = [arm for arm in experiment["arms"] if arm["kind"] == "null"]
        shown = "; ".join(_arm(arm) for arm in arms)
        beside = f" (null arms: {'; '.join(_arm(arm) for arm in nulls)})" if nulls else ""
        users = [pair for pair in experiment["pairs"] if pair["family"] == "user"]
        lines.append(f"| {experiment['question']} | {shown}{beside} | {'; '.join(map(_pair, users))} |")
    first = next(iter(results["experiments"].values()))
    draws = max(arm["draws"] for arm in first["arms"])
    lines += ["", f"{_conditions(results)} {_multiplicity(results)}"]
    if results["deviations"]:
        lines += ["", f"Not as registered: {'; '.join(results['deviations'])}."]
    if not results["as_registered"] or draws < 5:
        lines += ["", "A dry run with another model or other draws: no result."]
    return "\n".join(lines) + "\n"


def _arm(arm: Mapping[str, Any]) -> str:
    low, high = arm["kl_ci"]
    return f"{arm['name']} {arm['kl_mean']:.4f} [{low:.4f}, {high:.4f}]"


def _pair(pair: Mapping[str, Any]) -> str:
    low, high = pair["ci"]
    words = {"better": "better than", "worse": "worse than", "tied": "tied with"}[pair["verdict"]]
    same = ", equivalent" if pair["equivalent"] else ""
    lost = ", not over all" if pair["verdict"] != "tied" and pair["p_holm_all"] >= 0.05 else ""
    scope = "" if pair["scope"] == "recipes" else f", {pair['scope']}"
    return f"{pair['a']} {words} {pair['b']}: {pair['diff']:+.4f} [{low:.4f}, {high:.4f}]{same}{lost}{scope}"


def _conditions(results: Mapping[str, Any]) -> str:
    parts = []
    for experiment in results["experiments"].values():
        conditions, draws = experiment["conditions"], experiment["arms"][0]["draws"]
        size = conditions["set"]
        parts.append(
            f"{conditions['model']}, {conditions['method']}, sets of {size['samples']} x {size['tokens']} tokens, "
            f"{draws} draws, {conditions['prompts']} {experiment['prompts']} prompts x "
            f"{conditions['tokens_per_prompt']} tokens"
        )
    return f"{'; '.join(dict.fromkeys(parts))}. Expected pairs: {_expected(results)}."


def _expected(results: Mapping[str, Any]) -> str:
    came = [one["came"] for experiment in results["experiments"].values() for one in experiment["expected"]]
    return ", ".join(f"{came.count(word)} {word}" for word in dict.fromkeys(came))


def _multiplicity(results: Mapping[str, Any]) -> str:
    count = len(results["experiments"])
    return (
        f"Holm within each of {count} question{'s' if count > 1 else ''}; 'not over all': lost under Holm over "
        "the pairs of all."
    )
