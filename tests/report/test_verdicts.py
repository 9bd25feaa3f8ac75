from __future__ import annotations

from typing import Any

import pytest
from samples import LONG, ranking

from curator.report import _verdicts as verdicts


def pair(verdict: str, diff: float = -0.02, **more: Any) -> dict[str, Any]:
    return {
        "a": "a",
        "b": "b",
        "diff": diff,
        "ci": [diff - 0.01, diff + 0.01],
        "p_holm": 0.01,
        "verdict": verdict,
    } | more


def arms(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "kind": "user"} for name in names]


def test_ranks_leave_open_what_the_verdicts_leave_open() -> None:
    # a and b tied, b and c tied, a better than c: ties are not transitive
    document = {
        "arms": arms("a", "b", "c"),
        "pairs": [
            {"a": "a", "b": "b", "verdict": "tied"},
            {"a": "c", "b": "b", "verdict": "tied"},
            {"a": "c", "b": "a", "verdict": "worse"},
        ],
    }
    assert verdicts.rank_ranges(document) == {"a": "1-2", "b": "1-3", "c": "2-3"}


def test_without_pairs_nothing_is_ranked() -> None:
    assert verdicts.rank_ranges({"arms": arms("a", "b"), "pairs": []}) == {"a": "1-2", "b": "1-2"}


def test_null_arms_have_no_rank_and_take_none() -> None:
    ranks = verdicts.rank_ranges(ranking())
    assert ranks == {"balanced": "1-2", "prose-heavy": "1-2", LONG: "3", "x": "4"}


def test_turning_a_pair_turns_everything_in_it() -> None:
    other = verdicts.turned(pair("better", diff=-0.02))
    assert (other["a"], other["b"], other["verdict"]) == ("b", "a", "worse")
    assert other["diff"] == pytest.approx(0.02)
    assert other["ci"] == pytest.approx([0.01, 0.03])


def test_a_sentence_names_the_lower_arm_first_and_its_advantage_as_positive() -> None:
    for one in (pair("better"), verdicts.turned(pair("better"))):
        assert "".join(verdicts.sentence(one, 3, 3)) == "a is better than b by 0.020 [0.010, 0.030], p(Holm)=0.010"


def test_ties_are_never_worded_as_better() -> None:
    tied = "".join(verdicts.sentence(pair("tied", diff=-0.001), 3, 3))
    assert tied == "a and b are tied: difference -0.001 [-0.011, 0.009], p(Holm)=0.010"
    same = "".join(verdicts.sentence(pair("tied", diff=0.001, equivalent=True), 3, 3))
    assert same.startswith("b and a are equivalent: difference -0.001")


def test_a_real_difference_inside_the_margin_is_called_small() -> None:
    small = pair("better", equivalent=True)
    assert verdicts.label(small) == "better, small"
    assert "".join(verdicts.sentence(small, 3, 3)).endswith(", inside the margin")


def test_an_unknown_verdict_is_a_tie() -> None:
    assert verdicts.label(pair("superb")) == "tied"


def test_relations_group_by_verdict() -> None:
    table = {("a", "b"): pair("better"), ("a", "c"): pair("better", b="c"), ("a", "d"): pair("tied", b="d")}
    assert verdicts.relations("a", ["b", "c", "d", "e"], table) == ["better than b and c", "tied with d"]


def test_arms_that_may_be_best() -> None:
    document = {"arms": arms("a", "b", "c")}
    assert verdicts.may_be_best(document) is None
    document["arms"][0]["may_be_best"] = True
    assert verdicts.may_be_best(document) == "Best: a; the run rules out every other arm."
    document["arms"][1]["may_be_best"] = True
    assert verdicts.may_be_best(document) == "May be the best: a and b (2 of 3 arms)."
    document["arms"][2]["may_be_best"] = True
    assert verdicts.may_be_best(document) == "Any of the 3 arms may be the best."


def test_floors_without_numbers_are_left_out() -> None:
    assert verdicts.floors({"floors": {"used_sd": None}}) == []
    assert verdicts.floors({"floors": {"batch": {"sd": 0.0003, "words": "w"}, "used_sd": 0.001}}) == [
        ("batch", "0.00030", "w"),
        ("used", "0.0010", "joins the standard error of every difference"),
    ]
    of_one = {"sd": 0.0005, "words": "joins the standard errors of arms by gptq"}
    several = verdicts.floors({"floors": {"used, gptq": of_one, "used_sd": 0.001}})
    assert [row[2] for row in several] == [of_one["words"], "the largest: of the arm without data"]


@pytest.mark.parametrize(
    ("settle", "words"),
    [
        (None, ""),
        ({"draws": None, "prompts": None, "both": None}, ""),
        ({"draws": 12, "prompts": 1340, "both": None}, "about 12 draws or 1,340 prompts"),
        ({"draws": None, "prompts": None, "both": [9, 400]}, "about 9 draws on 400 prompts"),
    ],
)
def test_what_would_settle_a_pair_is_a_few_words(settle: dict[str, object] | None, words: str) -> None:
    assert verdicts.settled_by({"settle": settle}) == words
