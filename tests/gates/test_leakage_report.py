"""Hits by item with their words, a warning about boilerplate, and nearest items by meaning."""

from __future__ import annotations

import numpy as np
import pytest

from curator.gates.leakage import EvalItem, Leak, Leakage, LeakageReport, nearest_items

PHRASE = "the marsh museum is open on the first Sunday of every month from ten until the tide"
STORIES = [" ".join(f"tale{item} w{item}x{number}" for number in range(20)) for item in range(6)]


def _report(texts: list[str]) -> LeakageReport:
    gate = Leakage([EvalItem("p", PHRASE), *(EvalItem(f"s{item}", text) for item, text in enumerate(STORIES))])
    report = LeakageReport()
    for number, text in enumerate(texts):
        report.add(f"t{number}", gate.measure(text))
    return report


def test_hits_are_counted_by_item_with_their_words() -> None:
    report = _report([STORIES[0], "nothing", f"well, {STORIES[2]}", STORIES[0].upper()])
    assert report.hits == {"s0": 2, "s2": 1}
    assert [name for name, _ in report.examples["s0"]] == ["t0", "t3"]
    assert report.examples["s2"][0][1].words.startswith("tale2 w2x0 tale2 w2x1")


def test_one_row_behind_most_hits_is_told() -> None:
    report = _report([f"A{number}: {PHRASE} on day{number}" for number in range(4)] + STORIES[:3])
    (warning,) = report.warnings()
    assert warning.startswith("4 of 7 texts")
    assert "the marsh museum is open on the first sunday" in warning


@pytest.mark.parametrize("texts", [[], [PHRASE, PHRASE], [PHRASE] * 3 + STORIES[:3], STORIES])
def test_few_or_different_hits_are_no_reason_to_warn(texts: list[str]) -> None:
    assert _report(texts).warnings() == []


def test_rows_of_characters_are_counted_too() -> None:
    gate = Leakage([EvalItem("z", "博物馆每月第一个星期日上午十点开放直到潮水上涨为止")])
    report = LeakageReport()
    for number in range(3):
        report.add(
            str(number), gate.measure(f"通知{number}：博物馆每月第一个星期日上午十点开放直到潮水上涨为止。")
        )
    assert report.warnings()[0].startswith("3 of 3 texts")


def test_no_leak_is_no_hit() -> None:
    report = LeakageReport()
    report.add("t", Leak())
    assert not report.hits


def test_nearest_items_by_cosine() -> None:
    items = np.array([[1, 0], [0, 2], [3, 3], [0, 0]], np.float32)
    first, second = nearest_items(np.array([[0, 5], [1, 1]], np.float32), items, 2)
    assert first.items == (1, 2)
    assert first.cosines == pytest.approx((1.0, 2**-0.5))
    assert second.items == (2, 0)


def test_broken_vectors_are_near_to_nothing() -> None:
    (found,) = nearest_items(np.array([[np.nan, 1]]), np.array([[1.0, 0], [0, 0], [np.inf, 1]]), 5)
    assert found.items == (0, 1, 2)
    assert found.cosines == (0.0, 0.0, 0.0)


def test_no_items_or_texts() -> None:
    assert nearest_items(np.zeros((0, 3)), np.ones((2, 3))) == []
    assert nearest_items(np.ones((1, 3)), np.zeros((0, 3)))[0].items == ()
