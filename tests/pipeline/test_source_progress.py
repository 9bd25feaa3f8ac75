"""How far each source was read is told as soon as it is open."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest
from recipe_builds import rows, text

from curator.corpora import files
from curator.corpora.files import open_files
from curator.pipeline import open_source
from curator.pipeline.open_source import OpenSource
from curator.pipeline.sources import open_sources
from curator.pipeline.use import read_so_far
from curator.recipe.load import load_recipe
from curator.select import rounds
from curator.select.supply import FiniteSupply


def test_each_source_is_told_with_what_was_read_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows(tmp_path / "small.jsonl", [text(f"a{number}") for number in range(7)])
    rows(tmp_path / "large.jsonl", [text(f"b{number}") for number in range(9000)])
    # A megabyte: read in rounds of twenty parts of about 3 kB.
    monkeypatch.setattr(rounds, "SMALL", 100_000)
    monkeypatch.setattr(rounds, "ROUND", 60_000)
    monkeypatch.setattr(files, "_PART", 3_000)
    monkeypatch.setattr(open_source, "open_files", functools.partial(open_files, split_above=100_000))
    recipe = {
        "name": "t",
        "size": {"samples": 1, "tokens": 64},
        "target": {"tasks": {"prose": 1}},
        "sources": [{"files": name, "task": "prose"} for name in ("small.jsonl", "large.jsonl")],
    }
    (tmp_path / "recipe.yaml").write_text(json.dumps(recipe))
    told: list[tuple[str, str]] = []

    def tell(source: OpenSource) -> None:
        assert isinstance(source.supply, FiniteSupply)
        told.append((source.name, read_so_far(source.name, source.supply)))

    opened = open_sources(load_recipe(tmp_path / "recipe.yaml"), tell=tell)
    assert [name for name, _ in told] == [source.name for source in opened] == ["small.jsonl", "large.jsonl"]
    assert told[0][1] == "small.jsonl: 7 documents, all that there are"
    # About 60 of 990 kB, so some 540 of 9,000 documents.
    words = told[1][1].split()
    assert words[0] == "large.jsonl:" and 450 <= int(words[1].replace(",", "")) <= 700
    assert told[1][1].endswith("0 of 1 MB; more when the set needs them")
