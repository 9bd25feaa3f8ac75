"""Recipes: the shipped ones, changed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from curator._errors import RecipeError
from curator.recipe.load import load_recipe, shipped_recipes
from fuzz_runs.changes import changed_bytes
from fuzz_runs.target import Ready, Target

_PAYLOADS = (
    b"\n", b"\t", b"- ", b": ", b"? ", b"{", b"}", b"[", b"]", b"|\n", b">-\n", b"---\n", b"...\n", b"#", b"'",
    b'"', b"&a [*a]", b"&a ", b"*a", b"<<: *a\n", b"<<: [", b"%YAML 9.9\n",
    b"!!python/object/apply:os.system [id]", b"!!binary x",
    b"!!timestamp 1", b"!x y", b"2001-99-99", b"0o9", b"0x", b"1:30", b"1_0", b".nan", b"-.inf",
    b"1e999", b"1e400", b"9" * 5000, b"-1", b"null", b"true", b"~", b'"\\ud800"', b'"\\0"', b"\0", b"\xff\xfe",
    b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8", b"[" * 2000, b"{a: " * 2000, b"extends: recipe.yaml\n",
    b"extends: /dev/zero\n", b"extends: ..\n", b"name: ../x\n", b"- {generate: x}\n", b"- {files: /dev/zero}\n",
    b"seed: 1e3\n", b"size: {samples: 1, tokens: 32}\n", b"gates: {length: false}\n",
)  # fmt: skip


@contextmanager
def _ready(folder: Path) -> Iterator[Ready]:
    path = folder / "recipe.yaml"

    def check(content: bytes) -> bool:
        path.write_bytes(content)
        try:
            loaded = load_recipe(path)
        except RecipeError as error:
            # All of them name a file; of a recipe that extends another, perhaps that one.
            assert error.problems
            assert all(".yaml" in problem for problem in error.problems), error.problems
            raise
        return len(loaded.sha256) == 64

    yield Ready(changed_bytes([file.read_bytes() for file in shipped_recipes()], _PAYLOADS), check)


RECIPES = Target("recipes", "recipe files: the shipped ones with changed bytes, lines and hostile YAML", _ready)
