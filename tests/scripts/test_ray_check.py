"""What is run on both engines: enough text for a cluster to read, and recipes that are valid."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

# kill_runs, whose comparison of rankings is used, has its random model among the tests.
sys.path += [str(Path(__file__).parents[2] / "scripts"), str(Path(__file__).parents[1])]

from curation_bench.real_documents import Real
from ray_check import work

from curator.corpora.files import SPLIT_ABOVE
from curator.recipe.load import load_all

_TEXT = "the tide came back before noon. " * 10
_BLOCKS = [Real("a", "en", f"Block {number}: {_TEXT}") for number in range(20_000)]


def test_texts_are_large_enough_to_be_read_on_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "docstrings", lambda _workers: (_BLOCKS, {}))
    sift, build, rank = work.works(tmp_path, 65, 1, "cpu")
    texts = (tmp_path / "texts.jsonl").read_bytes()
    assert len(texts) > SPLIT_ABOVE
    lines = texts.splitlines()
    # The same blocks again and again, cut at other places: hardly a text stands there twice.
    assert len({json.loads(line)["text"] for line in lines}) > 0.9 * len(lines)
    few = (tmp_path / "few.jsonl").read_bytes()
    assert len(few) > 4 << 20 and texts.startswith(few)
    assert (sift.name, build.name, rank.name) == ("sift", "build", "rank")
    first, second = load_all([tmp_path / "a.yaml", tmp_path / "b.yaml"])
    assert first.recipe.seed != second.recipe.seed
