from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as student

from curator.measure.survival import common_prefix, survival


def counts(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_common_prefix() -> None:
    assert common_prefix((1, 2, 3), (1, 2, 4)) == 2
    assert common_prefix((1, 2), (1, 2, 4)) == 2
    assert common_prefix((5,), (1, 2)) == 0
    assert common_prefix((1, 2), (1, 2)) == 2


def test_texts_of_one_length_give_the_plain_mean_and_its_standard_error() -> None:
    followed = counts(0, 3, 8, 8, 5)
    found = survival(followed, counts(8, 8, 8, 8, 8))
    assert (found.prompts, found.cap) == (5, 8)
    assert found.tokens == pytest.approx(4.8)
    reach = student.ppf(0.975, 4) * np.std(followed, ddof=1) / np.sqrt(5)
    # Clipped to what is possible.
    assert found.tokens_ci == pytest.approx((4.8 - reach, 8.0))
    # Three departed; at risk were 1, 4 and 6 tokens of theirs and 8 each of the others.
    assert (found.departures, found.at_risk) == (3, 27)
    assert found.hazard == pytest.approx(3 / 27)


def test_a_cap_cuts_what_is_watched() -> None:
    found = survival(counts(0, 3, 8, 8, 5), counts(8, 8, 8, 8, 8), cap=4)
    # min(followed, 4): 0 3 4 4 4. The one that departs at its sixth token is still following at the fourth.
    assert (found.cap, found.tokens) == (4, pytest.approx(3.0))
    assert (found.departures, found.at_risk) == (2, 1 + 4 + 4 + 4 + 4)
    # Behind the longest text nothing was seen.
    assert survival(counts(2, 3), counts(3, 3), cap=100).cap == 3


def test_a_text_that_ended_is_no_departure_and_tells_nothing_of_later_tokens() -> None:
    # Kaplan-Meier by hand: at risk 4, 3, 2, 2 at tokens 1 to 4; one departs at token 2, one at token 4.
    # S = 1, 2/3, 2/3, 1/3; the text of one token has left the risk set before token 2.
    found = survival(counts(1, 1, 3, 4), counts(1, 4, 4, 4))
    assert found.tokens == pytest.approx(1 + 2 / 3 + 2 / 3 + 1 / 3)
    # Greenwood, n / (n - 1): at token 2 the area behind is 5/3, h / ((1 - h) n) = (1/3) / (2/3 * 3);
    # at token 4 it is 1/3, (1/2) / (1/2 * 2).
    variance = ((5 / 3) ** 2 / 6 + (1 / 3) ** 2 / 2) * 4 / 3
    assert found.tokens_ci is not None
    assert found.tokens_ci[0] == pytest.approx(found.tokens - student.ppf(0.975, 3) * variance**0.5)
    assert found.tokens_ci[0] > 0
    assert (found.departures, found.at_risk) == (2, 1 + 2 + 4 + 4)


def test_the_hazards_interval_is_over_prompts() -> None:
    followed, length = counts(1, 4, 9, 19, 20, 20), np.full(6, 20)
    found = survival(followed, length)
    departed, exposure = np.array([1, 1, 1, 1, 0, 0]), np.array([2, 5, 10, 20, 20, 20])
    hazard = 4 / 77
    relative = np.sqrt(6 / 5 * ((departed - hazard * exposure) ** 2).sum()) / 4
    reach = student.ppf(0.975, 5) * relative
    assert found.hazard_ci == pytest.approx((hazard * np.exp(-reach), hazard * np.exp(reach)))


def test_the_intervals_cover_a_known_truth() -> None:
    generator = np.random.default_rng(3)
    chance, length = 0.02, np.full(40, 60)
    mean = sum((1 - chance) ** step for step in range(1, 61))
    inside = np.zeros(2)
    for _ in range(400):
        followed = np.minimum(generator.geometric(chance, 40) - 1, length)
        found = survival(followed, length)
        for place, (bounds, truth) in enumerate(((found.tokens_ci, mean), (found.hazard_ci, chance))):
            assert bounds is not None
            inside[place] += bounds[0] <= truth <= bounds[1]
    assert (inside / 400 > 0.92).all()
    assert (inside / 400 < 0.98).all()


def test_no_departure_leaves_an_upper_bound() -> None:
    found = survival(counts(10, 10), counts(10, 10))
    assert (found.tokens, found.hazard) == (10.0, 0.0)
    # (1 - h)^20 = 0.025 at the bound; no spread was seen, but that is no certainty.
    bound = 1 - 0.025 ** (1 / 20)
    assert found.hazard_ci == (0.0, pytest.approx(bound))
    assert found.tokens_ci == (pytest.approx(sum((1 - bound) ** step for step in range(1, 11))), 10.0)


def test_all_depart_at_once_and_one_prompt() -> None:
    found = survival(counts(0, 0, 0), counts(5, 6, 7))
    assert (found.tokens, found.hazard, found.departures, found.at_risk) == (0.0, 1.0, 3, 3)
    alone = survival(counts(2), counts(5))
    assert (alone.tokens, alone.tokens_ci, alone.hazard_ci) == (2.0, None, None)
    assert alone.hazard == pytest.approx(1 / 3)
