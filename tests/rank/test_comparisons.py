"""Which arms are compared."""

from __future__ import annotations

from curator.rank.arms import Arm
from curator.rank.comparisons import compared_pairs, comparison_words
from curator.recipe.quantize_settings import QuantizeSettings

GPTQ, AWQ, RTN = (QuantizeSettings(method=name) for name in ("gptq", "awq", "rtn"))


def arms(recipes: str, *methods: QuantizeSettings) -> list[Arm]:
    return [
        Arm(f"{name} ({method.method})", "", False, True, method, (), name)
        for method in methods
        for name in recipes
    ]


def test_one_method_compares_all_and_several_leave_crossed_pairs_out() -> None:
    assert len(compared_pairs(arms("abcd", GPTQ))) == 6
    both = arms("abcd", GPTQ, AWQ)
    pairs = compared_pairs(both)
    # Of 28 pairs the 12 crossed ones are left out: 2 x 6 within a method, 4 within a recipe.
    assert len(pairs) == 16
    assert frozenset(("a (gptq)", "b (awq)")) not in pairs
    assert frozenset(("a (gptq)", "a (awq)")) in pairs
    # The arm without data is of no method.
    none = Arm("no-data", "", True, False, RTN, ())
    assert len(compared_pairs([none, *both])) == 16 + 8


def test_the_words_count_the_users_pairs() -> None:
    null = Arm("random-tokens", "", True, True, GPTQ, ())
    assert comparison_words([*arms("ab", GPTQ), null]) == "1 comparison of recipes"
    assert comparison_words(arms("abc", GPTQ)) == "3 comparisons of recipes, adjusted by Holm together"
    assert comparison_words([*arms("a", GPTQ), null]).startswith("no comparison between recipes")
    assert "5 of recipes" not in comparison_words(arms("ab", GPTQ, AWQ))
    assert comparison_words(arms("ab", GPTQ, AWQ)).startswith(
        "4 comparisons, adjusted by Holm together: 2 of recipes within a method, 2 of methods within a recipe"
    )
