"""Word problems: numbers drawn by rule, told in the words of a file."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any

from curator.corpora.generators.mcq.problem import Problem, Slip, of_side, three_slips

Values = Mapping[str, int | str]
Draw = Callable[[random.Random, str], Values]
"""Draws the values of a problem in a language: ``right`` is the answer, others are named in the texts."""


def tell(group: str, stories: Mapping[str, Draw], rng: random.Random, language: str, *, heldout: bool) -> Problem:
    """A problem from one of the stories of a side of the held-out split.

    Args:
        group: the stories' table in the files of texts.
        stories: how to draw their values; the first half of them is for calibration.
        rng: draws story and values.
        language: ``en`` or ``zh``.
        heldout: which side.
    """
    name = rng.choice(of_side(tuple(stories), heldout=heldout))
    told = texts(language)[group][name]
    values = stories[name](rng, language)
    right = str(values["right"])
    slips = [Slip(str(values[slip]), why.format(**values)) for slip, why in told["slips"].items()]
    return Problem(
        told["question"].format(**values),
        right,
        three_slips(rng, right, slips, language),
        tuple(step.format(**values) for step in told["steps"]),
    )


@lru_cache(maxsize=2)
def texts(language: str) -> dict[str, Any]:
    """The words of every problem in a language: ``question``, ``steps`` and ``slips`` by group and name."""
    return tomllib.loads((files(__package__) / "texts" / f"{language}.toml").read_text(encoding="utf-8"))
