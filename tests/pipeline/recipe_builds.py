"""Recipes written, loaded and built, for the tests of this room."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from curator.measure.heldout import Prompt
from curator.pipeline.build import build_draws
from curator.pipeline.calibration_set import CalibrationSet
from curator.recipe.load import load_recipe
from curator.tokens.tokenizer import Tokenizer

# The texts of these tests are made up of digits and repeat themselves.
QUIET = {"length": {"min_chars": 5}, "random_text": False, "repetition": False, "near_duplicates": False}


def text(name: str, length: int = 99) -> str:
    """A text of its own of ``length`` bytes: with EOS one token more."""
    body = hashlib.sha256(name.encode()).hexdigest()
    words = " ".join(f"{name} {body[at : at + 3]}" for at in range(0, 64, 2))
    return (words * 4)[:length]


def rows(path: Path, values: Sequence[str | dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [json.dumps({"text": value} if isinstance(value, str) else value) for value in values]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def build(
    folder: Path,
    tokenizer: Tokenizer,
    *,
    size: tuple[int, int] | dict[str, Any],
    tasks: dict[str, float],
    sources: Sequence[dict[str, Any]],
    draws: int = 1,
    prompts: Sequence[Prompt] = (),
    gates: Mapping[str, Any] = MappingProxyType({}),
    **more: Any,
) -> list[CalibrationSet]:
    recipe: dict[str, Any] = {
        "name": "t",
        "size": size if isinstance(size, dict) else {"samples": size[0], "tokens": size[1]},
        "target": {"tasks": tasks},
        "sources": list(sources),
        "gates": QUIET | gates,
        "continuity": {"min": False},
        **more,
    }
    # JSON is YAML.
    path = folder / "recipe.yaml"
    path.write_text(json.dumps(recipe), encoding="utf-8")
    return build_draws(load_recipe(path), tokenizer, draws, prompts)


def pieces(made: CalibrationSet) -> set[str]:
    return {part.segment.piece for sequence in made.sequences for part in sequence.parts}
