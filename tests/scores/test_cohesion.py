"""Ties between sentences, each kind on a pair that has no other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.scores.cohesion import persons, succession

PAIRS = [
    ("Powers signed treaties.", "This treaty failed.", 0.4),
    ("Powers signed treaties.", "Nobody liked these secret treaties.", 0.4),
    ("Ferries left late.", "The ferries came back.", 0.15),
    ("He bought an oven.", "People praised its oven.", 0.15),
    ("It is called basalt.", "People use basalt.", 0.3),
    ('Some know it as "basalt" here.', "People use basalt.", 0.3),
    ("An army (PLA) came.", "Nobody feared PLA men.", 0.3),
    ("Hannah Arendt wrote.", "For years Arendt taught.", 0.4),
    ("It began in 1914.", "It ended in 1918.", 0.5),
    ("It lasted from 1901 to 1999.", "It ended in 1951.", 0.5),
    ("First, add salt.", "Then add water.", 0.6),
    ("Then add water.", "And finally, stir.", 0.6),
    # Two kinds add up.
    ("In 1914 powers signed treaties.", "In 1918 this treaty failed.", 0.9),
    # Nothing to tell by.
    ("Powers signed treaties.", "Powers broke treaties.", 0.0),
    ("Hannah Arendt wrote.", "Hannah Arendt left.", 0.0),
    ("It costs 9914 marks.", "It costs 9918 marks.", 0.0),
    ("This treaty failed.", "This treaty lasted.", 0.0),
]


@pytest.mark.parametrize(("first", "second", "weight"), PAIRS)
def test_each_kind_says_which_sentence_comes_first(first: str, second: str, weight: float) -> None:
    assert succession([first, second]).tolist() == [[0, pytest.approx(weight)], [pytest.approx(-weight), 0]]
    assert succession([second, first])[0, 1] == pytest.approx(-weight)


def test_a_word_of_every_other_sentence_has_no_first_mention() -> None:
    lines = ["Ferries left late.", "The ferries came back."]
    assert succession([*lines, "Ferries sank.", "Nobody came."])[0, 1] == 0
    assert succession([*lines, "Ships sank.", "Nobody came."])[0, 1] == pytest.approx(0.15)


def test_persons_are_compared_by_their_kinds() -> None:
    alike = persons(["He came himself.", "She gave him its key.", "We left.", "Nobody stayed."])
    # One kind of one, and one of three; none in common; no pronoun at all.
    assert alike[0, 1] == pytest.approx(1 / math.sqrt(3))
    assert alike[0, 2] == alike[1, 2] == 0
    assert alike[3].tolist() == [0, 0, 0, 0]


@given(st.lists(st.text('a1Tn \ud800\x00("“.', max_size=60), min_size=4, max_size=8))
def test_any_text_gives_finite_numbers_of_both_signs(lines: list[str]) -> None:
    order, alike = succession([*lines, "This Tan (Tan) in 1911"]), persons(lines)
    assert np.isfinite(order).all()
    assert np.isfinite(alike).all()
    assert (order == -order.T).all()
