"""Under which conditions a ranking was made, and how it is made again."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import curator
from curator.measure.baseline import Baseline
from curator.rank.plan import Plan

# What can change a set, a checkpoint or a number.
_PACKAGES = (
    "torch",
    "transformers",
    "tokenizers",
    "llmcompressor",
    "compressed-tensors",
    "sentence-transformers",
    "numpy",
    "scipy",
    "pandas",
)


def primary(plan: Plan, baseline: Baseline, weights: Mapping[str, float], estimator: str) -> dict[str, Any]:
    """The primary number, as it was fixed before the run."""
    size = plan.recipes[0].recipe.size
    count = len(baseline.prompts)
    return {
        "statement": (
            f"Primary number, fixed before the run: mean KL(BF16 ‖ NVFP4 {plan.scheme}) in nats a token, "
            f"{plan.tokens} greedy tokens of each of {count} held-out prompts, scored by prefill at batch "
            f"{plan.batch_size}, {estimator}, {len(weights)} kinds of prompts weighing the same."
        ),
        "metric": "mean KL(BF16 ‖ candidate), nats a token",
        "scheme": plan.scheme,
        "phase": "prefill",
        "batch_size": plan.batch_size,
        "tokens_per_prompt": plan.tokens,
        "prompts": count,
        "estimator": estimator,
        "weights": dict(weights),
        "dtype": plan.dtype or str(baseline.manifest["server"].get("dtype", "the server's")),
        "model": plan.model_name,
        "method": ", ".join(settings.method for settings in plan.quantize),
        "set": {"samples": size.count, "tokens": size.longest},
    }


def environment(plan: Plan, baseline: Baseline) -> dict[str, str]:
    """The server, and the hashes of what was measured."""
    facts = {name: str(value) for name, value in baseline.manifest["server"].items()}
    return {
        **facts,
        "python": platform.python_version(),
        "llmcompressor": version("llmcompressor"),
        "model hash": plan.model_hash[:16],
        "held-out prompts": str(baseline.manifest["prompts_sha256"])[:16],
        "tokenizer": str(baseline.manifest["tokenizer"])[:16],
    }


def reproduce(plan: Plan) -> dict[str, Any]:
    """What to type, and what must be the same for the same numbers.

    Returns:
        ``command`` (as typed; absent when there was none), ``plan`` (every setting, those left to their default
        too), ``recipes`` (``name``, ``path``, ``sha256``, ``changed``: what ``--set`` and ``extends`` did) and
        ``versions``.
    """
    settings: dict[str, Any] = {
        **plan.fixed(),
        "quantize": [method.used() for method in plan.quantize],
        "draws": plan.draws,
        "nulls": list(plan.nulls),
    }
    return {
        **({"command": plan.command} if plan.command else {}),
        "plan": settings,
        "recipes": [
            {
                "name": loaded.recipe.name,
                "path": str(loaded.path),
                "sha256": loaded.sha256,
                "changed": list(loaded.origin),
            }
            for loaded in plan.recipes
        ],
        "versions": versions(),
    }


def versions() -> dict[str, str]:
    """Of the tool, Python, and the packages that numbers depend on."""
    found = {"curate": curator.__version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
