from __future__ import annotations

import math

import pytest

from curator.report import format as fmt


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.26512, "0.2651"),
        (0.0265123, "0.02651"),
        (0.00123456, "0.001235"),
        (1.23456, "1.235"),
        (12.3456, "12.346"),
        (0.0, "0.0000"),
        (math.nan, "-"),
        (math.inf, "-"),
        (None, "-"),
        (True, "-"),
        ("0.3", "-"),
    ],
)
def test_kl_has_four_significant_decimals_or_is_a_dash(value: object, shown: str) -> None:
    assert fmt.kl(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ([0.23712, 0.29491], "[0.237, 0.295]"),
        ([0.2651, 0.2659], "[0.2651, 0.2659]"),  # three decimals would leave one digit of width
        ([-0.0312, 0.0041], "[-0.0312, 0.0041]"),
        ([0.2, math.nan], "-"),
        ([0.2, None], "-"),
        ([0.2], "-"),
        (None, "-"),
    ],
)
def test_interval(value: object, shown: str) -> None:
    assert fmt.interval(value) == shown


def test_a_column_has_one_number_of_decimals() -> None:
    assert fmt.decimals_for([0.2651, 1.52, 0.0311, None, math.nan]) == 5
    assert fmt.decimals_for([]) == 4


def test_signs() -> None:
    assert fmt.signed(0.0213, 4) == "+0.0213"
    assert fmt.signed(-0.0213, 4) == "-0.0213"
    assert fmt.signed(-0.00001, 4) == "0.0000"
    assert fmt.signed(math.nan, 4) == "-"


def test_percentages_and_counts() -> None:
    assert fmt.percent(0.7512) == "75.1 %"
    assert fmt.percent(None) == "-"
    assert fmt.percentage(0.7512) == "75.1"
    assert fmt.count(1_048_576) == "1,048,576"


def test_p_values_are_bounded_not_rounded_to_zero() -> None:
    assert fmt.p_value(0.0000012) == "< 0.001"
    assert fmt.p_value(0.0123) == "0.012"
    assert fmt.p_equation(0.0000012) == "p(Holm)<0.001"
    assert fmt.p_equation(0.0123) == "p(Holm)=0.012"


def test_a_spread_is_not_shown_finer_than_it_is_known() -> None:
    assert fmt.spread(0.0012345) == "0.0012"
    assert fmt.spread(5.0) == "5.0"
    assert fmt.spread(0.000312) == "0.00031"


def test_durations() -> None:
    assert [fmt.seconds(value) for value in (4.21, 42, 212, 7500, None)] == [
        "4.2 s",
        "42 s",
        "3 min 32 s",
        "2 h 05 min",
        "-",
    ]


def test_hashes_lose_their_prefix() -> None:
    assert fmt.short_hash("sha256:0123456789abcdef") == "0123456789ab"
    assert fmt.short_hash(None) == "-"


def test_control_and_direction_characters_are_shown_not_obeyed() -> None:
    assert fmt.clean("a\x1b[31mb\x07") == "a␛[31mb␇"
    assert fmt.clean("a\u202eb\u200b") == "a‹U+202E›b‹U+200B›"
    fmt.clean("a\ud800b").encode()


def test_an_excerpt_shows_its_white_space() -> None:
    assert fmt.excerpt("a \n\tb  ") == ("a·\n⇥\tb··", False)
    text, cut = fmt.excerpt("x" * 401)
    assert (len(text), cut) == (400, True)


def test_listing() -> None:
    assert fmt.listing(["a"]) == "a"
    assert fmt.listing(["a", "b", "c"]) == "a, b and c"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3.2e-7, "3.2e-07"),
        (0.0, "0"),
        (-0.0, "0"),
        (1.04e-5, "0.000010"),
        (0.012345, "0.012"),
        (None, "-"),
        (math.nan, "-"),
    ],
)
def test_a_tiny_spread_is_not_shown_as_zero(value: float | None, shown: str) -> None:
    assert fmt.spread(value) == shown
