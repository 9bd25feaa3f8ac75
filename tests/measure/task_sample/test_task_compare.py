from __future__ import annotations

import pytest
from scipy import stats

from curator.measure.task_sample.answers import Answer
from curator.measure.task_sample.compare import compare_answers, mcnemar_exact


def answer(score: float, tokens: int, *, finished: bool = True, loop: bool = False, task: str = "mcq") -> Answer:
    return Answer("x", task, score, tokens, finished, loop)


@pytest.mark.parametrize(("one", "other", "p"), [(0, 0, 1.0), (3, 3, 1.0), (1, 5, 14 / 64), (0, 6, 2 / 64)])
def test_mcnemar_by_counting_coin_tosses(one: int, other: int, p: float) -> None:
    assert mcnemar_exact(one, other) == pytest.approx(p)
    assert mcnemar_exact(other, one) == pytest.approx(p)


def test_scores_flips_lengths_and_ends_by_hand() -> None:
    before = [answer(1, 10), answer(1, 20), answer(0, 30), answer(1, 40, finished=False, task="niah")]
    after = [answer(0, 20), answer(1, 20), answer(1, 40), answer(0, 70, finished=False, loop=True, task="niah")]
    found = compare_answers(before, after)
    every = found["all"]
    assert every["items"] == 4
    assert (every["reference"]["score"]["mean"], every["candidate"]["score"]["mean"]) == (0.75, 0.5)
    assert every["flips"] == {"right_to_wrong": 2, "wrong_to_right": 1, "p": 1.0}
    assert every["difference"]["mean"] == -0.25
    # The same as a paired t interval of -1, 0, 1, -1.
    expected = stats.ttest_1samp([-1, 0, 1, -1], 0).confidence_interval(0.95)
    assert every["difference"]["ci"] == pytest.approx(list(expected))
    assert every["length_ratio"]["mean"] == 1.5
    assert (every["candidate"]["loops"]["mean"], every["candidate"]["cut"]["mean"]) == (0.25, 0.25)
    assert found["by_task"]["niah"]["length_ratio"] == {"mean": 1.75, "ci": None}
    assert found["by_task"]["mcq"]["flips"]["right_to_wrong"] == 1


def test_answers_of_one_length_each_give_a_certain_ratio() -> None:
    before, after = [answer(1, 10), answer(1, 30)], [answer(1, 20), answer(1, 60)]
    ratio = compare_answers(before, after)["all"]["length_ratio"]
    assert ratio["mean"] == 2.0
    assert ratio["ci"] == pytest.approx([2.0, 2.0])


def test_no_change_in_few_items_is_no_certainty() -> None:
    same = [answer(1, 10), answer(0, 10)]
    found = compare_answers(same, same)["all"]["difference"]
    # A change in 84 % of items would be missed twice in a row with a chance of 2.5 %.
    assert (found["mean"], found["ci"]) == (0.0, pytest.approx([-(1 - 0.025**0.5), 1 - 0.025**0.5]))
