"""A mix of formats under a size, and whether it is better than none and than a random one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import curator
from curator._errors import InputError
from curator._files import write_json, write_text
from curator._lock import folder_lock, sweep_temporaries
from curator._outputs import Ours, refuse_foreign
from curator._progress import Narrator
from curator.precision.choose import Assignment, Choice, choose, random_mix, size_of
from curator.precision.confirm import MIX, RANDOM, UNIFORM, confirm, modules_of
from curator.precision.document import Sensitivity, read_sensitivity
from curator.precision.formats import BITS, Format
from curator.precision.fragment import fragment, precision_rules
from curator.recipe.render import yaml_of

MIX_FOLDER = Ours("a mix", "mix.json", "assignment", ("mix.json", "recipe.yaml", "measured.json", ".lock"))


@dataclass(frozen=True, slots=True)
class MixPlan:
    """One choice.

    Attributes:
        file: a sensitivity document.
        out: folder of the results.
        bits: average bits a weight of the parts, or ``None``.
        size_gb: size of the whole model in 10^9 bytes, or ``None``; one of the two is given.
        draws: random mixes to compare with, three at least: they have a variance of their own.
        model: folder of the model, where it is no longer at the place that the document names.
        confirm: measure the joint KL; without it the choice is a guess from KL that does not add up.
    """

    file: Path
    out: Path
    bits: float | None = None
    size_gb: float | None = None
    draws: int = 3
    model: Path | None = None
    confirm: bool = True


def run_mix(plan: MixPlan, narrator: Narrator) -> dict[str, Any]:
    """Choose formats, and measure the choice against all parts in NVFP4 and against random mixes of its size.

    Returns:
        The document, also written to ``mix.json``, with ``recipe.yaml`` beside it.

    Raises:
        InputError: the document cannot be used, or the budget is too small.
        RefusedError: the model is another one.
    """
    refuse_foreign(plan.out, MIX_FOLDER)
    found = read_sensitivity(plan.file)
    choices = [
        Choice(part.name, part.weights, {**{name: one.mean for name, one in part.kl.items()}, "bf16": 0.0})
        for part in found.parts
    ]
    chosen = choose(choices, _budget(plan, found))
    arms: dict[str, list[Assignment]] = {MIX: [chosen], UNIFORM: [dict.fromkeys(chosen, "nvfp4")]}
    if set(chosen.values()) - {"nvfp4"}:
        arms[RANDOM] = [random_mix(choices, chosen, seed) for seed in range(plan.draws)]
    document = _document(plan, found, choices, chosen, arms)
    with folder_lock(plan.out):
        sweep_temporaries(plan.out)
        # From here on the folder is known for ours, also by a later call.
        write_json(plan.out / "mix.json", document)
        if plan.confirm:
            confirm(plan.file.parent, found, arms, document, plan.out, plan.model, narrator)
        else:
            document["warnings"].append("not confirmed: the KL of parts does not add up; run without --no-confirm")
        write_text(plan.out / "recipe.yaml", _yaml(document))
        write_json(plan.out / "mix.json", document)
    return document


def _document(
    plan: MixPlan,
    found: Sensitivity,
    choices: Sequence[Choice],
    chosen: Assignment,
    arms: Mapping[str, Sequence[Assignment]],
) -> dict[str, Any]:
    """What is known before anything is measured."""
    return {
        "tool": {"name": "curate", "version": curator.__version__},
        "sensitivity": str(plan.file),
        "model": found.model,
        "scheme": found.scheme,
        "by": found.by,
        "budget": {"bits": plan.bits, "size_gb": plan.size_gb},
        **_sizes(found, choices, chosen),
        "assignment": chosen,
        "arms": [_arm(name, choices, mixes) for name, mixes in arms.items()],
        "pairs": [],
        "recipe": fragment(precision_rules(modules_of(found, chosen), found.root), found.ignore),
        "warnings": [],
    }


def _budget(plan: MixPlan, found: Sensitivity) -> float:
    weights = sum(part.weights for part in found.parts)
    if plan.bits is not None:
        return plan.bits * weights
    assert plan.size_gb is not None
    left = plan.size_gb * 8e9 - found.other_weights * BITS["bf16"]
    if left <= 0:
        least = found.other_weights * BITS["bf16"] / 8e9
        raise InputError(f"{plan.size_gb} GB: what stays in BF16 alone has {least:.4g} GB; raise the budget")
    return left


def _sizes(found: Sensitivity, choices: Sequence[Choice], chosen: Mapping[str, Format]) -> dict[str, Any]:
    size = size_of(choices, chosen)
    weights = {name: sum(one.weights for one in choices if chosen[one.name] == name) for name in BITS}
    return {
        "bits": size / sum(weights.values()),
        "size_gb": (size + found.other_weights * BITS["bf16"]) / 8e9,
        "formats": {
            name: {"parts": sum(one == name for one in chosen.values()), "weights": held}
            for name, held in weights.items()
            if held
        },
    }


def _arm(name: str, choices: Sequence[Choice], mixes: Sequence[Assignment]) -> dict[str, Any]:
    weights = sum(choice.weights for choice in choices)
    added = [sum(choice.kl[mix[choice.name]] for choice in choices) for mix in mixes]
    return {
        "name": name,
        "mixes": len(mixes),
        "bits": float(np.mean([size_of(choices, mix) for mix in mixes])) / weights,
        "kl_added": float(np.mean(added)),
    }


def _yaml(document: Mapping[str, Any]) -> str:
    """The fragment, under comments that say where it is from."""
    formats = ", ".join(f"{held['parts']} parts in {name}" for name, held in document["formats"].items())
    lines = [
        f"curate mix of {document['model']} by {document['by']}, {document['scheme']}: {formats}",
        f"{document['bits']:.3f} bits a weight of these parts, {document['size_gb']:.3f} GB in all",
        *(pair["words"] for pair in document["pairs"]),
        *document["warnings"],
    ]
    return "".join(f"# {line}\n" for line in lines) + yaml_of(document["recipe"])
