"""The rankings of the shipped recipes whose verdicts are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from curator.models.fingerprint import model_fingerprint
from curator.models.locate import DEFAULT_MODEL, locate_model
from curator.rank.plan import Plan
from curator.recipe.load import find_recipe, load_recipe

RECIPES = ("coherent-mix", "code-only", "prose-only", "uuid-words")
_DRAWS, _TOKENS = 6, 64


def check_plan(
    out: Path, model: str = DEFAULT_MODEL, device: str = "cpu", recipes: Sequence[str] = RECIPES
) -> Plan:
    """A ranking with six draws, without null arms."""
    return _plan(out, model, recipes, draws=_DRAWS, nulls=(), device=device)


def demo_plan(out: Path, model: str = DEFAULT_MODEL, device: str = "cpu") -> Plan:
    """What ``scripts/demo --draws 5`` ranks: the same sets but for the sixth draw."""
    command = "curate rank " + " ".join(RECIPES)
    command += f" --out {out} --tokens {_TOKENS} --null no-data,second-draw --draws 5 --device {device}"
    return _plan(out, model, RECIPES, draws=5, nulls=("no-data", "second-draw"), device=device, command=command)


def _plan(out: Path, model: str, recipes: Sequence[str], **settings: Any) -> Plan:
    folder = locate_model(model)
    loaded = tuple(load_recipe(find_recipe(name)) for name in recipes)
    return Plan(loaded, folder, model, model_fingerprint(folder), out, tokens=_TOKENS, **settings)
