"""What `curate sift` prints: every line fits, hostile names act on nothing, numbers are those of the document."""

from __future__ import annotations

import io
import math
from typing import Any

import pytest
from rich.console import Console

from curator.report.score_values import all_values, decimals_of, quantile, taken_words
from curator.report.sift_terminal import print_sift


def near(name: Any, value: float, text: str = "Low tide at nine.") -> dict[str, Any]:
    return {"id": name, "task": "prose", "score": value, "detail": None, "text": text}


def document(**more: Any) -> dict[str, Any]:
    line = {"value": 0.2, "refused": "above", "tasks": [], "kept": [near("k", 0.1)], "dropped": [near("d", 0.9)]}
    score = {
        "name": "random_share",
        "kept": {"n": 3, "values": [0.0, 0.05, 0.1]},
        "dropped": {"n": 1, "values": [0.9]},
        "limits": [line],
    }
    return {
        "name": "rows.jsonl", "rows": 4, "kept": 3, "dropped": 1, "by_reason": {"random_text": 1},
        "by_task": {"prose": {"kept": 3, "dropped": 1}}, "words": {"language": {"en": 3, "und": 1}},
        "scores": [score], "warnings": [], **more,
    }  # fmt: skip


def printed(shown: dict[str, Any], width: int = 80) -> str:
    out = io.StringIO()
    print_sift(shown, Console(file=out, width=width))
    return out.getvalue()


def test_counts_quantiles_and_lines() -> None:
    told = " ".join(printed(document()).split())
    assert "rows.jsonl: 3 of 4 kept (75.0 %)" in told
    assert "random_text 1 25.0" in told
    assert "languages found: en 3, und 1" in told
    assert "random_share 4 0.000 0.000 0.100 0.900 0.900 at most 0.2" in told
    assert "nearest to random_share at most 0.2 kept 0.100 k Low tide at nine. dropped 0.900 d Low tide" in told


def test_a_line_that_refused_nothing_has_no_examples() -> None:
    quiet = document()
    quiet["scores"][0]["limits"][0]["dropped"] = []
    assert "nearest" not in printed(quiet)


def nearest(shown: dict[str, Any]) -> list[list[str]]:
    lines = printed(shown).splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("nearest"))
    return [line.split()[:3] for line in lines[start + 1 :] if line]


@pytest.mark.parametrize(("refused", "sign"), [("above", 1), ("below", -1)])
def test_examples_go_from_those_that_pass_to_those_that_do_not(refused: str, sign: int) -> None:
    mixed = document()
    mixed["scores"][0]["limits"][0] |= {
        "value": 0.0,
        "refused": refused,
        "kept": [near("k", sign * value) for value in (-0.1, -0.2, -0.3)],
        "dropped": [near("d", sign * value) for value in (0.1, 0.2, 0.3)],
    }
    values = [float(value.replace("−", "-")) * sign for _, value, _ in nearest(mixed)]
    assert values == [-0.3, -0.2, -0.1, 0.1, 0.2, 0.3]


def test_a_value_beside_the_line_is_not_rounded_onto_it() -> None:
    close = document()
    close["scores"][0]["limits"][0] |= {"kept": [near("k", 0.2)], "dropped": [near("d", 0.2002)]}
    assert nearest(close) == [["kept", "0.20000", "k"], ["dropped", "0.20020", "d"]]


def test_a_text_without_an_id_is_not_called_none() -> None:
    nameless = document()
    nameless["scores"][0]["limits"][0]["kept"] = [near(None, 0.1)]
    assert "None" not in printed(nameless)


def test_three_of_each_side_at_most() -> None:
    many = document()
    many["scores"][0]["limits"][0]["kept"] = [near(f"k{n}", 0.1) for n in range(10)]
    text = printed(many)
    assert "k2" in text and "k3" not in text


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    wide = document(warnings=["word " * 60])
    wide["scores"][0]["limits"][0]["kept"] = [near("x" * 300, 0.1, "是" * 300), near(5, 0.1, "")]
    wide["by_reason"] = {"r" * 200: 1}
    assert max(Console(width=width).measure(line).maximum for line in printed(wide, width).splitlines()) <= width


def test_hostile_names_act_on_nothing() -> None:
    bad = "\x1b[31m[bold]\u202e\x07"
    hostile = document(
        name=bad, by_reason={bad: 1}, by_task={bad: {"kept": 3, "dropped": 1}, "x": {"kept": 0, "dropped": 0}}
    )
    hostile |= {"words": {"language": {bad: 1}}, "leakage": {bad: 2}, "warnings": [bad]}
    hostile["scores"][0] |= {"name": bad}
    hostile["scores"][0]["limits"][0] |= {"kept": [near(bad, 0.1, bad)], "tasks": [bad]}
    text = printed(hostile)
    assert not {"\x1b", "\x07", "\u202e"} & set(text)
    assert "[bold]" in text


def test_before_and_now() -> None:
    before = {"kept": 4, "by_reason": {"short": 2}, "by_task": {"prose": {"kept": 4, "dropped": 0}}}
    told = " ".join(printed(document(before=before)).split())
    assert "by reason before now % of all random_text 0 1 25.0 short 2 0 0.0" in told
    assert "kept before kept now dropped now kept % prose 4 3 1 75.0" in told


def test_nothing_at_all_is_said_in_a_line() -> None:
    nothing = document(rows=0, kept=0, dropped=0, by_reason={}, by_task={}, words={}, scores=[])
    assert printed(nothing) == "rows.jsonl: 0 of 0 kept\n"


def score(kept: list[Any], dropped: list[Any], n: int | None = None) -> dict[str, Any]:
    return {"kept": {"n": n or len(kept), "values": kept}, "dropped": {"n": len(dropped), "values": dropped}}


def test_of_a_sampled_side_the_other_is_thinned_alike() -> None:
    # Of 1,000 kept texts 100 are at hand: of the 50 dropped ones a tenth counts.
    assert len(all_values(score([0.0] * 100, [1.0] * 50, n=1000))) == 105
    assert len(all_values(score([0.0] * 100, [1.0] * 50))) == 150
    assert all_values(score([math.nan, 1.0, None], [])) == [1.0]


def test_quantiles_are_values_that_occur() -> None:
    ordered = [1.0, 2.0, 3.0, 4.0, 10.0]
    assert [quantile(ordered, share) for share in (0.0, 0.05, 0.5, 0.95, 1.0)] == [1.0, 1.0, 3.0, 10.0, 10.0]
    assert quantile([7.0], 0.05) == 7.0


@pytest.mark.parametrize(
    ("values", "digits"),
    [([1, 200], 0), ([0, 0], 0), ([0.0, 1.0], 3), ([0.25, 0.5], 3), ([2.33, -1.0], 2), ([], 3)],
)
def test_digits_follow_the_kind_of_score(values: list[float], digits: int) -> None:
    assert decimals_of(score(values, [])) == digits


def test_a_band_is_one_range() -> None:
    low = {"value": 0.11, "refused": "below", "tasks": []}
    high = {"value": 0.52, "refused": "above", "tasks": []}
    poem = {"value": 40, "refused": "below", "tasks": ["poem"]}
    assert taken_words([low, high]) == "0.11 to 0.52"
    assert taken_words([low]) == "at least 0.11"
    assert taken_words([low, poem, high]) == "0.11 to 0.52; at least 40 (poem)"
    assert taken_words([]) == ""
