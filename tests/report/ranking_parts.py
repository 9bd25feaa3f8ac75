"""The parts of a ranking document beside its arms and pairs; nothing here was measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def parts(arms: Sequence[dict[str, Any]], tasks: Sequence[str]) -> dict[str, Any]:
    """What summaries add to a ranking of these arms."""
    names = [arm["name"] for arm in arms]
    user = [arm["name"] for arm in arms if arm["kind"] == "user"]
    return {
        "domains": {"tasks": list(tasks), "rows": [_row(arm, tasks, user) for arm in arms]},
        "by_position": {"prefill": _places(names, [(1, 4, 48), (5, 8, 48), (9, 12, 31)])},
        "by_length": _places(names, [(12, 40, 24), (44, 900, 24)]),
        "layers": {"best": user[0], "worst": user[-1], "kinds": {
            "self_attn.q_proj": _kind([0, 1, 2], [0.11, 0.12, 0.13], [0.12, 0.12, 0.26]),
            "mlp.down_proj": _kind([0, 1, 2], [0.10, 0.10, 0.10], [0.11, 0.10, 0.10]),
            "lm_head": _kind([None], [0.09], [0.09]),
        }},
        "worst_prompts": [
            {"id": "prose/03", "task": "prose", "why": "highest KL", "prompt": "Once upon", "text": " a time.",
             "arms": [
                 {"arm": user[0], "kl": 0.91, "scored": 64, "differ": 21, "departs": 2, "before": " a",
                  "reference": " time", "choice": "\\n hill", "after": ".", "kl_there": 1.5},
                 {"arm": user[-1], "kl": 1.31, "scored": 64, "differ": 0, "departs": None},
             ]},
        ],
        "composition": {
            "task": {name: {"prose": 0.6, "code": 0.4} for name in user},
            "source": {user[0]: {"python-docs": 1.0}},
        },
        "cost": [
            {"step": "baseline", "arm": None, "draw": None, "seconds": 120.0},
            *({"step": "quantise", "arm": name, "draw": 0, "seconds": 240.0} for name in user),
            *({"step": "score", "arm": name, "draw": 0, "seconds": 30.0} for name in user),
        ],
        "comparisons": {"words": "6 comparisons of recipes, adjusted by Holm together"},
        "reproduce": {
            "command": "curate rank a.yaml b.yaml --draws 5",
            "plan": {"tokens": 64, "heldout": None, "trust_remote_code": False, "quantize": [{"method": "gptq"}]},
            "recipes": [{"name": name, "path": f"{name}.yaml", "sha256": "ab" * 32} for name in user],
            "versions": {"curate": "0.1.0", "torch": "2.9.1"},
        },
    }  # fmt: skip


def _row(arm: dict[str, Any], tasks: Sequence[str], user: Sequence[str]) -> dict[str, Any]:
    null = arm["kind"] == "null"
    cells = {
        task: {
            **{name: arm["by_task"][task][name] for name in ("kl_mean", "kl_ci")},
            "relative": 0.4 if null else 0.06 * user.index(arm["name"]) - 0.03,
            "may_be_lowest": None if null else arm["name"] in user[:2],
        }
        for task in tasks
    }
    made_of = {} if null else {"prose": 0.5, "code": 0.3, "qa": 0.15, "niah": 0.05}
    return {"arm": arm["name"], "kind": arm["kind"], "made_of": made_of, "cells": cells}


def _places(names: Sequence[str], bins: Sequence[tuple[int, int, int]]) -> dict[str, Any]:
    return {
        "bins": [{"first": first, "last": last, "prompts": prompts} for first, last, prompts in bins],
        "arms": {
            name: {
                "kl": [0.2 + 0.01 * (at + row) for row in range(len(bins))],
                "ci": [[0.15 + 0.01 * at, 0.3 + 0.01 * at]] * len(bins),
            }
            for at, name in enumerate(names)
        },
    }


def _kind(blocks: list[int | None], best: list[float], worst: list[float]) -> dict[str, Any]:
    return {
        "blocks": blocks,
        "layers": [1] * len(blocks),
        "best": best,
        "worst": worst,
        "rounding": [0.095] * len(blocks),
        "best_input": [8.0] * len(blocks),
        "worst_input": [8.0 if block else 12.0 for block in blocks],
    }
