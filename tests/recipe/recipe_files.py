"""Recipe files for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from curator._errors import RecipeError
from curator.recipe.load import load_recipe

BASE = """\
name: harbour
size: {samples: 4, tokens: 64}
target:
  tasks: {chat: 1}
sources:
  - {files: rows.jsonl, task: chat}
"""


def write(folder: Path, text: str, name: str = "r.yaml") -> Path:
    """A recipe file, its folder made."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    return path


def problems(path: Path, overrides: Sequence[str] = (), *, references: bool = False) -> list[str]:
    """What is said about a recipe, without the names of folders."""
    with pytest.raises(RecipeError) as caught:
        load_recipe(path, overrides, references=references)
    assert all("\n" not in problem for problem in caught.value.problems)
    return [problem.replace(f"{path.parent}/", "") for problem in caught.value.problems]
