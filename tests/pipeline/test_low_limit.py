"""Cutting text without continuity, and giving its share to the rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recipe_builds import build, rows
from toy_tokenizers import save_tokenizer

from curator.pipeline.low_limit import limited
from curator.pipeline.open_source import OpenSource
from curator.pipeline.plan import Shares
from curator.select.scan import Rule
from curator.select.supply import FiniteSupply
from curator.tokens.tokenizer import Tokenizer


def source(task: str) -> OpenSource:
    return OpenSource(task, task, 1.0, "MIT", FiniteSupply((), Rule(task, 1, 0, without_heldout=False)))


def test_the_heavy_are_cut_by_one_factor_and_the_others_grow_in_proportion() -> None:
    sources = [source("uuid"), source("niah"), source("prose"), source("code")]
    before = Shares({"uuid": 0.3, "niah": 0.3, "prose": 0.3, "code": 0.1}, [1, 1, 1, 1])
    after = limited(before, sources, [1.0, 0.8, 0.0, 0.0], 0.2)
    assert after is not None
    # 0.54 f = 0.2; what is left, 1 - 0.6 f, is shared out 3 to 1.
    factor = 0.2 / 0.54
    rest = 1 - 0.6 * factor
    assert after.tasks == pytest.approx(
        {"uuid": 0.3 * factor, "niah": 0.3 * factor, "prose": 0.75 * rest, "code": 0.25 * rest}
    )


def test_sources_of_one_task_are_told_apart() -> None:
    sources = [source("a"), source("a")]
    after = limited(Shares({"a": 1.0}, [1, 1]), sources, [1.0, 0.1], 0.28)
    assert after is not None
    # f/2 + 0.1 (1 - f/2) = 0.28
    assert after.tasks == pytest.approx({"a": 1.0})
    assert [weight / sum(after.weights) for weight in after.weights] == pytest.approx([0.2, 0.8])


def test_nothing_is_moved_where_no_source_has_less() -> None:
    assert limited(Shares({"a": 1.0}, [1]), [source("a")], [0.9], 0.2) is None


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return Tokenizer(save_tokenizer(tmp_path_factory.mktemp("toy")))


def sentences(count: int) -> list[str]:
    who = ["The ferry clerk", "My neighbour", "The old gardener", "A young teacher", "The night porter"]
    what = ["writes the times on a slate", "waters the roses", "counts the coins", "reads the long letters"]
    when = [
        "before the first boat leaves",
        "when the rain has stopped",
        "while the kettle boils",
        "on every Sunday",
    ]
    return [f"{who[n % 5]} {what[n % 4]} {when[n // 4 % 4]}, and then goes home by bus {n}." for n in range(count)]


def test_a_set_has_no_more_text_without_continuity_than_its_target_allows(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    rows(tmp_path / "prose.jsonl", sentences(120))
    sources: list[dict[str, Any]] = [{"files": "prose.jsonl", "task": "prose"}, {"generate": "uuid"}]
    tasks = {"prose": 0.4, "uuid": 0.6}
    common: dict[str, Any] = {"size": (16, 300), "tasks": tasks, "sources": sources}
    (free,) = build(tmp_path, tokenizer, **common)
    assert free.shares()["uuid"] == pytest.approx(0.6, abs=0.01)
    (held,) = build(tmp_path, tokenizer, target={"tasks": tasks, "low_continuity": {"max_share": 0.2}}, **common)
    assert free.low_continuity.share > 0.5
    assert 0.15 < held.low_continuity.share <= 0.2
    assert held.tokens == free.tokens == 16 * 300
    assert held.shares()["prose"] > 0.75
    (word,) = held.warnings
    assert word.startswith("text without continuity would be ")
    assert "prose 40.0% to " in word
    # What is asked is what was moved to, so that nothing counts as missed.
    assert held.asked["uuid"] == pytest.approx(held.shares()["uuid"], abs=0.02)


def test_a_limit_that_no_source_can_keep_is_told(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (made,) = build(
        tmp_path,
        tokenizer,
        size=(4, 300),
        tasks={"uuid": 1},
        sources=[{"generate": "uuid"}],
        target={"tasks": {"uuid": 1}, "low_continuity": {"max_share": 0.2}},
    )
    assert made.tokens == 1200
    assert made.warnings[-1].endswith("of the tokens, and no source has less of it")
