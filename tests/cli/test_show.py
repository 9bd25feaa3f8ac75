"""`curate show` prints a recipe that loads again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator._errors import RecipeError
from curator.cli.show import show
from curator.recipe.load import find_recipe, load_recipe


def test_what_it_prints_is_the_recipe_with_its_overrides(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show("low-continuity-reduced", ["size.samples=32"])
    copy = tmp_path / "copy.yaml"
    copy.write_text(capsys.readouterr().out, encoding="utf-8")
    original = load_recipe(find_recipe("low-continuity-reduced"), ["size.samples=32"])
    assert load_recipe(copy).sha256 == original.sha256
    assert load_recipe(copy).recipe.size.samples == 32
    assert "# extends eval-mix: " in copy.read_text()


def test_json_has_values_hash_and_where_the_sources_stand(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("name: mine\nextends: coherent-mix\nseed: 3\n", encoding="utf-8")
    show(str(path), ["title=hafen ü"], json=True)
    shown = json.loads(capfd.readouterr().out)
    loaded = load_recipe(path, ["title=hafen ü"])
    assert shown["sha256"] == loaded.sha256
    assert shown["recipe"]["seed"] == 3 and shown["recipe"]["title"] == "hafen ü"
    assert shown["origin"] == list(loaded.origin)
    assert {Path(source["file"]).name for source in shown["sources"]} == {"coherent-mix.yaml"}


def test_a_wrong_override_is_told(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=r"--set size\.sample=3: unknown key size\.sample; did"):
        show("coherent-mix", ["size.sample=3"])
