"""How short a generator's samples can be is told before a build, to the token."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from toy_tokenizers import save_tokenizer

from curator._errors import RecipeError
from curator.pipeline.build import build_draws
from curator.pipeline.supply_check import check_supply
from curator.recipe.load import LoadedRecipe, load_recipe
from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tokenizer(tmp_path_factory.mktemp("toy"))


def loaded(
    folder: Path, model: Path | str, tokens: int, *, sources: str = "[{generate: vt}]", **target: Any
) -> Any:
    lines = [
        "name: r",
        f"model: {model}",
        f"size: {{samples: 2, tokens: {tokens}}}",
        f"target: {json.dumps({'tasks': {'vt': 1}, **target})}",
        f"sources: {sources}",
        "gates: {random_text: false, repetition: false}",
        "continuity: {min: false}",
    ]
    (folder / "r.yaml").write_text("\n".join(lines) + "\n")
    return load_recipe(folder / "r.yaml")


def needed(gap: str) -> int:
    return int(re.findall(r"raise [\w. ']+ to (\d+) or more", gap)[0])


def gaps(recipe: LoadedRecipe) -> list[str]:
    return check_supply(recipe, 1).gaps


def test_the_length_told_is_the_least_that_can_be_built(tmp_path: Path, model: Path) -> None:
    (gap,) = gaps(loaded(tmp_path, model, 100))
    least = needed(gap)
    assert gap.startswith(
        f"{tmp_path / 'r.yaml'}:4: target: task vt has 100.0% of the tokens, and sources give 0.0%"
    )
    # The toy's tokens are bytes: English has four times as many as the rough count of a hub's model.
    assert least > 2 * needed(gaps(loaded(tmp_path, "nobody/has-this", 100))[0])
    # The toy puts its start before every sequence, and that is no text's.
    told = rf"needs {least - 1:,} tokens a text with these options, and there are {least - 2:,}: raise size.tokens"
    assert [len(gaps(loaded(tmp_path, model, tokens))) for tokens in (least - 1, least)] == [1, 0]
    with pytest.raises(RecipeError, match=rf"r.yaml:4: target: task vt: generate:vt {told} to {least} or more"):
        build_draws(loaded(tmp_path, model, least - 1), Tokenizer(model), 1, ())
    (made,) = build_draws(loaded(tmp_path, model, least), Tokenizer(model), 1, ())
    assert len(made.sequences) == 2


def test_a_bin_below_the_least_length_is_told_at_its_line(tmp_path: Path, model: Path) -> None:
    bins = [{"upto": 200, "share": 0.3}, {"upto": 6000, "share": 0.7}]
    found = gaps(loaded(tmp_path, model, 6000, lengths=bins))
    assert [gap.partition(" has ")[0].rpartition("target: ")[2] for gap in found] == ["task vt", "1 to 200 tokens"]
    assert all("raise the bin's upto to" in gap for gap in found)
    bins[0]["upto"] = needed(found[-1])
    assert gaps(loaded(tmp_path, model, 6000, lengths=bins)) == []


def test_texts_of_another_source_may_be_as_short(tmp_path: Path, model: Path) -> None:
    (tmp_path / "short.jsonl").write_text('{"text": "A ferry leaves at noon, and nobody is on it."}\n' * 9)
    sources = "[{generate: vt}, {files: short.jsonl, task: vt}]"
    assert gaps(loaded(tmp_path, model, 100, sources=sources)) == []


def test_without_the_models_tokenizer_the_length_is_told_as_rough(tmp_path: Path) -> None:
    (gap,) = gaps(loaded(tmp_path, "nobody/has-this", 64))
    assert re.search(r"generate:vt needs about \d+ tokens a text", gap)
