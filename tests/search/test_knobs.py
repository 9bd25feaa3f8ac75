"""From numbers between 0 and 1 to values of a recipe and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from curator.search.knobs import LEAST, Number, Shares, start_of
from curator.search.mix import proposed


def shares(count: int) -> Shares:
    return Shares(tuple(("sources", str(number), "weight") for number in range(count)), (1 / count,) * count)


def test_a_stick_is_broken_by_hand() -> None:
    # 1 % each beforehand; of the other 97 parts sqrt(1/4) = half is left, then half of that.
    found = list(shares(3).values([0.25, 0.5]).values())
    # 49.5, 25.25 and 25.25 per cent: the one that was rounded down most is given the rest.
    assert found == [0.5, 0.25, 0.25]
    assert list(shares(2).values([1.0]).values()) == [0.01, 0.99]
    limit = Number(("target", "low_continuity", "max_share"), 0.0, 0.5, 0.2)
    assert limit.values([0.333]) == {limit.path: 0.165}
    assert Number(("gates", "length", "min_chars"), 50, 800, 200, whole=True).values([0.5]) == {
        ("gates", "length", "min_chars"): 425
    }
    assert start_of((shares(2), limit)) == pytest.approx((0.5, 0.4))


@example(unit=[1e-16, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 1.0])
@given(unit=st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_shares_are_whole_per_cents_that_sum_to_one_and_come_back(unit: list[float]) -> None:
    knob = shares(len(unit) + 1)
    values = knob.values(unit)
    assert sum(round(100 * share) for share in values.values()) == 100
    assert min(values.values()) >= LEAST
    back = knob.unit(values)
    assert all(0 <= number <= 1 for number in back) and knob.values(back) == values


def test_uniform_numbers_give_every_mix_the_same_chance() -> None:
    random = np.random.default_rng(0)
    knob = shares(4)
    found = np.array([list(knob.values(random.random(3)).values()) for _ in range(2000)])
    # A uniform point of the simplex has mean 1/4 and SD sqrt(3/80) in each share, before 4 % are given away.
    assert found.mean(axis=0) == pytest.approx([0.25] * 4, abs=0.015)
    assert found.std(axis=0) == pytest.approx([0.96 * (3 / 80) ** 0.5] * 4, abs=0.012)


def test_a_mix_is_named_by_its_values_alone() -> None:
    knobs = (shares(2), Number(("gates", "a.b", "x"), 0, 1, 0.5))
    mix, same, other = (proposed("base", knobs, unit) for unit in ([0.5, 0.2], [0.5001, 0.2], [0.6, 0.2]))
    assert mix.name == same.name != other.name
    assert mix.settings() == ["sources.0.weight=0.5", "sources.1.weight=0.5", 'gates."a.b".x=0.2']
    assert len(proposed("b" * 64, knobs, [0, 0]).name) <= 64


def test_whole_numbers_keep_all_their_digits() -> None:
    knob = Number(("max_chars",), 1_234_567, 7_654_321, 2_000_000, whole=True)
    assert proposed("base", (knob,), [0.0]).settings() == ["max_chars=1234567"]
    assert proposed("base", (knob,), [1.0]).settings() == ["max_chars=7654321"]
