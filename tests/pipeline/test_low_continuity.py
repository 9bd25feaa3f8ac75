"""Tokens without continuous meaning are counted by score, not by label."""

from __future__ import annotations

import pytest
from toy_tokenizers import save_tokenizer

from curator.pipeline.low_continuity import LowShares, SpansOf, low_continuity
from curator.tokens.pack import Segment
from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return Tokenizer(save_tokenizer(tmp_path_factory.mktemp("toy")))


UUIDS = "\n".join(f"{n * 2654435761 % 2**32:08x}-1a2b-4c3d-8e4f-{n * 48271 % 2**47:012x}" for n in range(1, 30))
PROSE = (
    "The office opens at nine and closes at five. Whoever comes later leaves a letter in the box beside the door, "
    "and the porter takes it up in the morning. On Mondays the reading room stays shut."
)


def segment(name: str, task: str, text: str) -> Segment:
    return Segment(name, name, task, "en", "c", "MIT", ids=(1,) * 100, text=text, cut=0)


def low(toy: Tokenizer, windows: SpansOf = lambda _: []) -> LowShares:
    return LowShares(windows, toy)


def test_a_needle_in_good_prose_is_continuous_and_a_list_of_ids_is_not(toy: Tokenizer) -> None:
    needle = f"{PROSE} The key is {UUIDS[:36]}. {PROSE}"
    segments = [segment("a", "niah", needle), segment("b", "uuid", UUIDS), segment("c", "prose", PROSE)]
    placed = {"a": 100, "b": 100, "c": 200}
    found = low_continuity(segments, placed, low(toy))
    assert found.by_task["prose"] == 0
    assert found.by_task["niah"] < 0.35
    assert found.by_task["uuid"] == pytest.approx(1, abs=0.02)
    expected = (100 * found.by_task["niah"] + 100 * found.by_task["uuid"]) / 400
    assert found.share == pytest.approx(expected)


def test_windows_count_once_where_random_spans_are_in_them(toy: Tokenizer) -> None:
    text = f"{PROSE}\n\n{UUIDS}"
    start = len(PROSE) + 2
    alone = low_continuity([segment("a", "t", text)], {"a": 10}, low(toy))
    both = low_continuity([segment("a", "t", text)], {"a": 10}, low(toy, lambda _: [(start, len(text))]))
    whole = low_continuity([segment("a", "t", text)], {"a": 10}, low(toy, lambda _: [(0, len(text))]))
    assert both.share == pytest.approx(alone.share, abs=0.02)
    assert whole.share == 1
