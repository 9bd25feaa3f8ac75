from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.recipe.target import Target
from curator.select.cells import Bin, Cell, Cells

LENGTHS = [{"upto": 100, "share": 1}, {"upto": 400, "share": 0}, {"share": 3}]


def cells(longest: int = 1000, **target: Any) -> Cells:
    return Cells(Target.model_validate({"tasks": {"qa": 1, "code": 1}, **target}), longest)


def test_a_text_is_in_the_cell_of_its_language_and_length() -> None:
    found = cells(languages={"en": 1, "zh": 1}, lengths=LENGTHS)
    assert found.cell_of("qa", "en", 100) == Cell("qa", "en", 0)
    assert found.cell_of("qa", "zh-Hant", 401) == Cell("qa", "zh", 2)
    # The middle bin has no share; what is longer than a sequence is cut to one.
    assert found.cell_of("qa", "en", 101) is None
    assert found.cell_of("qa", "en", 5000) == Cell("qa", "en", 2)
    assert found.cell_of("qa", "de", 50) is None
    assert found.cell_of("code", "zxx", 50) == Cell("code", "zxx", 0)


def test_a_language_that_is_named_wins_over_its_primary_one() -> None:
    found = cells(languages={"zh": 1, "zh-Hant": 1})
    assert [found.named("qa", tag) for tag in ("zh", "zh-Hans", "zh-Hant")] == ["zh", "zh", "zh-Hant"]


def test_a_task_with_targets_of_its_own_has_no_part_in_the_general_ones() -> None:
    found = cells(lengths=LENGTHS, languages={"en": 1}, by_task={"qa": {"languages": {"de": 1, "fr": 3}}})
    margins = {one.name: one.tokens for one in found.margins({"qa": 1000, "code": 600}, {"code": 0.5})}
    assert margins == {
        "task qa": 1000,
        "task code": 600,
        "qa: de": 250,
        "qa: fr": 750,
        "qa: no language": 0,
        "en": 300,
        "no language": 300,
        "1 to 100 tokens": 400,
        "401 to 1,000 tokens": 1200,
    }


def test_what_is_wanted_adds_up_to_every_margin() -> None:
    found = cells(lengths=LENGTHS, languages={"en": 1, "zh": 3})
    quotas, spoken = {"qa": 1000, "code": 600}, {"code": 0.0}
    wanted = found.wanted(quotas, spoken)
    assert wanted[Cell("qa", "zh", 2)] == 1000 * 0.75 * 0.75
    for margin in found.margins(quotas, spoken):
        assert sum(wanted[cell] for cell in margin.cells) == pytest.approx(margin.tokens)


def test_without_languages_and_lengths_a_task_is_one_cell() -> None:
    found = cells()
    assert found.plain
    assert found.cell_of("qa", "xx", 7) == Cell("qa")
    assert not cells(by_task={"qa": {"lengths": LENGTHS}}).plain


@given(st.integers(1, 12), st.integers(0, 20), st.integers(0, 120))
def test_what_can_be_made_of_whole_texts(low: int, more: int, tokens: int) -> None:
    span = Bin(low, low + more, 1.0)
    counts = range(tokens + 1)
    assert span.fits(tokens) == any(n * span.low <= tokens <= n * span.high for n in counts)


@given(st.integers(1, 12), st.integers(0, 20), st.integers(1, 40), st.integers(1, 120))
def test_the_first_of_several_texts_leaves_what_others_can_make(
    low: int, more: int, most: int, tokens: int
) -> None:
    span = Bin(low, low + more, 1.0)
    sizes = [n for n in range(low, min(most, span.high, tokens) + 1) if span.fits(tokens - n)]
    assert span.first(most, tokens) == max(sizes, default=0)
