"""What `curate profile` prints: every line fits, and its numbers are those of the profile."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from curator.report.profile_terminal import print_profile
from curator.report.profile_values import bars, octave, octaves
from tests.report.profile_samples import contest, hostile, one_item, with_outputs


def printed(shown: dict[str, Any], width: int = 80) -> str:
    out = io.StringIO()
    print_profile(shown, Console(file=out, width=width))
    return out.getvalue()


def row(text: str, *cells: str) -> bool:
    return any(line.split() == list(cells) for line in text.splitlines())


def test_the_contests_table() -> None:
    text = printed(contest())
    assert "eval.jsonl: 150 items, 5 tasks" in text
    assert row(text, "mcq", "30", "20.0", "8,130", "0.1", "271", "271", "271")
    assert row(text, "cwe", "30", "20.0", "2,224,920", "25.7", "74,164", "74,164", "74,164")
    assert row(text, "all", "150", "100.0", "8,644,320", "100.0", "271", "71,570", "74,164")
    assert row(text, "niah", "30", "6.0", "±", "0.0", "0.0", "0.0", "0.0", "10.0", "0", "+", "0")
    assert row(text, "fwe", "0", "-", "100.0", "100.0", "100.0", "10.0", "0", "+", "0")


def test_outputs_and_scores() -> None:
    text = printed(with_outputs())
    assert "0.600 [0.423, 0.754]" in text
    assert row(text, "mcq", "110", "100", "+10.0", "110", "100", "+10.0")
    assert "output tokens" in text and "output tokens" not in printed(one_item())


def test_histogram_in_octaves_without_runs_of_nothing() -> None:
    text = printed(contest())
    assert row(text, "257", "to", "512", "30", "██████")
    assert row(text, "513", "to", "65,536", "0")
    assert row(text, "65,537", "to", "131,072", "120", "█" * 24)


def test_octaves() -> None:
    group = {
        "prompt_tokens": {
            "histogram": [{"upto": 0, "count": 1}, {"upto": 4, "count": 1}, {"upto": 32, "count": 1}]
        }
    }
    assert octaves(group, "prompt_tokens") == [0, 4, 8, 16, 32]
    assert bars([0, 4, 8, 16, 32], {0: 1, 4: 1, 32: 1}) == [(0, 0, 1), (4, 4, 1), (8, 16, 0), (32, 32, 1)]
    assert [octave(0, 0), octave(1, 1), octave(2, 2), octave(8, 16)] == ["0", "1", "2", "5 to 16"]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for shown in (contest(), with_outputs(), one_item(), hostile("是" * 40)):
        text = printed(shown, width)
        assert max(Console(width=width).measure(line).maximum for line in text.splitlines()) <= width


def test_eighty_columns_cut_no_number() -> None:
    assert "…" not in printed(with_outputs())


def test_hostile_names_act_on_nothing() -> None:
    text = printed(hostile("\x1b[31m[bold]\u202e\x07"))
    assert not {"\x1b", "\x07", "\u202e"} & set(text)


def test_the_lines_below_say_what_the_columns_are() -> None:
    told = " ".join(printed(contest()).split())
    assert "below z 2.33" in told and "over 20.0 % random" in told and "Jaccard 0.8" in told
    for column in ("scored:", "low %:", "low tok %:", "gold tokens:", "template %:", "dup+near:"):
        assert column in told
