from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from curator._errors import InputError
from curator.rank.looks import Looks, judge_looks, planned_looks
from curator.rank.pair_result import PairResult
from curator.rank.statistics import ArmKL, Design
from curator.rank.verdict import Ranking, rank_arms

TASKS = ("prose", "code") * 12
DESIGN = Design(TASKS, {"prose": 0.5, "code": 0.5}, margin=0.0002, data_acts="weights")
LOOKS = planned_looks((3, 5, 8))


def arms(means: dict[str, float], draws: int, seed: int = 0, sd: float = 0.002) -> list[ArmKL]:
    rng = np.random.default_rng(seed)
    prompts = rng.normal(0, 0.08, len(TASKS))
    return [
        ArmKL(name, mean + prompts + rng.normal(0, sd, (draws, 1)) + rng.normal(0, sd, (draws, 24)), True, False)
        for name, mean in means.items()
    ]


def test_a_look_waits_until_all_arms_in_have_its_draws() -> None:
    few, more = arms({"a": 0.2}, 2), arms({"b": 0.2}, 8, seed=1)
    judged = judge_looks([*few, *more], DESIGN, LOOKS)
    assert (judged.ranking, judged.looks_made, judged.next_draws, judged.active) == (None, 0, 3, ("a", "b"))


def test_a_beaten_arm_is_dropped_and_keeps_the_interval_of_that_look() -> None:
    given = arms({"a": 0.20, "bad": 0.30, "b": 0.201}, 3)
    judged = judge_looks(given, DESIGN, LOOKS)
    assert judged.dropped == {"bad": 1}
    assert (judged.active, judged.next_draws) == (("a", "b"), 5)
    first = judged.ranking
    assert first is not None

    # More draws of the others change nothing that was decided, nor do draws that the dropped arm has by chance.
    longer = arms({"a": 0.20, "bad": 0.30, "b": 0.201}, 8)
    later = judge_looks(
        [
            *(
                ArmKL(arm.name, np.vstack([own.values, arm.values[3:]]), True, False)
                for own, arm in zip(given, longer, strict=True)
            )
        ],
        DESIGN,
        LOOKS,
    ).ranking
    assert later is not None
    assert {arm.name: arm.draws for arm in later.arms} == {"a": 8, "b": 8, "bad": 3}

    def of_bad(ranking: Ranking) -> set[PairResult]:
        return {pair for pair in ranking.pairs if "bad" in (pair.a, pair.b)}

    assert len(of_bad(first)) == 2
    assert of_bad(later) == of_bad(first)
    assert later.best == ("a", "b") or later.best == ("b", "a")


def test_the_first_look_is_the_plain_ranking_at_its_share_of_alpha() -> None:
    given = arms({"a": 0.20, "b": 0.204, "c": 0.21}, 3, sd=0.004)
    judged = judge_looks(given, DESIGN, Looks((3, 5), (0.5, 0.5))).ranking
    plain = rank_arms(given, replace(DESIGN, alpha=0.025))
    assert judged is not None
    assert [pair.ci for pair in judged.pairs] == [pair.ci for pair in plain.pairs]
    assert [pair.verdict for pair in judged.pairs] == [pair.verdict for pair in plain.pairs]
    # Stated for the whole run: all looks' intervals together, and p as if compared with all of alpha.
    assert {pair.alpha for pair in judged.pairs} == {0.05}
    assert [pair.p_adjusted for pair in judged.pairs] == [min(1.0, 2 * pair.p_adjusted) for pair in plain.pairs]


def test_pairs_separated_earlier_leave_the_family_and_dropped_ties_stay_in_it() -> None:
    # Of six pairs three lose at the first look by "bad"; a, b and c are left with three: tested at alpha_2 / 3.
    given = arms({"a": 0.20, "b": 0.2005, "c": 0.2002, "bad": 0.4}, 5)
    ranking = judge_looks(given, DESIGN, Looks((3, 5), (0.5, 0.5))).ranking
    assert ranking is not None
    sizes = {frozenset((pair.a, pair.b)): pair.family_size for pair in ranking.pairs}
    for names, size in sizes.items():
        assert size == (6 if "bad" in names else 3)


def test_pairs_that_are_not_compared_are_in_no_family() -> None:
    given = arms({"a1": 0.20, "b1": 0.2002, "a2": 0.2001, "b2": 0.4}, 5)
    pairs = frozenset(map(frozenset, (("a1", "b1"), ("a2", "b2"), ("a1", "a2"), ("b1", "b2"))))
    judged = judge_looks(given, replace(DESIGN, compared=pairs), Looks((3, 5), (0.5, 0.5)))
    assert judged.ranking is not None and judged.dropped == {"b2": 1}
    assert {frozenset((pair.a, pair.b)) for pair in judged.ranking.pairs} == pairs
    # Four pairs at the first look, two of them separated there: two are left at the second.
    sizes = {frozenset((pair.a, pair.b)): pair.family_size for pair in judged.ranking.pairs}
    assert {names: size for names, size in sizes.items() if "b2" in names} == dict.fromkeys(
        map(frozenset, (("a2", "b2"), ("b1", "b2"))), 4
    )
    assert sizes[frozenset(("a1", "b1"))] == sizes[frozenset(("a1", "a2"))] == 2
    # b1 and a2 are in no pair: with both of a1's pairs equivalent nothing is left to decide.
    assert judge_looks(given, replace(DESIGN, compared=pairs, margin=0.05), LOOKS).next_draws is None


def test_it_ends_when_what_is_left_is_equivalent() -> None:
    given = arms({"a": 0.20, "b": 0.2001}, 3, sd=0.0001)
    judged = judge_looks(given, replace(DESIGN, margin=0.05), LOOKS)
    assert (judged.next_draws, judged.active, judged.dropped) == (None, (), {})
    assert judged.ranking is not None
    assert judged.ranking.pairs[0].equivalent


def test_null_arms_are_judged_at_the_first_look_only() -> None:
    users = arms({"a": 0.20, "b": 0.2004}, 8)
    null = ArmKL("random-tokens", arms({"n": 0.35}, 3, seed=4)[0].values, True, True)
    none = ArmKL("no-data", np.full((1, 24), 0.4), False, True)
    early = judge_looks([*(ArmKL(a.name, a.values[:3], True, False) for a in users), null, none], DESIGN, LOOKS)
    late = judge_looks([*users, null, none], DESIGN, LOOKS)
    assert early.ranking is not None and late.ranking is not None
    assert early.looks_made < late.looks_made
    assert early.ranking.null_pairs == late.ranking.null_pairs
    assert len(late.ranking.null_pairs) == 5


def test_the_order_in_which_values_came_decides_nothing() -> None:
    given = arms({"a": 0.20, "b": 0.22, "c": 0.21}, 8, sd=0.01)
    there, back = (judge_looks(order, DESIGN, LOOKS) for order in (given, given[::-1]))
    assert there.ranking == back.ranking
    assert there.dropped == back.dropped


@pytest.mark.parametrize(
    ("draws", "shares", "words"),
    [((), (), "ascending"), ((3, 3), (0.5, 0.5), "ascending"), ((0, 3), (0.5, 0.5), "ascending"),
     ((3, 5), (1.0,), "shares"), ((3, 5), (0.5, 0.6), "shares"), ((3, 5), (1.0, 0.0), "shares")],
)  # fmt: skip
def test_looks_that_are_no_plan_are_refused(draws: tuple[int, ...], shares: tuple[float, ...], words: str) -> None:
    with pytest.raises(InputError, match=words):
        Looks(draws, shares)


def test_false_verdicts_stay_within_alpha_over_all_looks() -> None:
    wrong = 0
    for seed in range(300):
        given = arms({"a": 0.2, "b": 0.2, "c": 0.2, "d": 0.2}, 8, seed=seed, sd=0.01)
        ranking = judge_looks(given, DESIGN, LOOKS).ranking
        assert ranking is not None
        wrong += any(pair.verdict != "tied" for pair in ranking.pairs)
        assert len(ranking.pairs) == len(list(combinations(given, 2)))
    # Seeds are fixed: this is a value, not a chance. Of 300 runs 15 may be wrong.
    assert wrong <= 15
