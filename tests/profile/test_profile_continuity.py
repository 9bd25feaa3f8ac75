"""Windows of a prompt: how many, which are ruled out, and the error of their mean."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import pytest

from curator.gates.random_text import RandomSpan
from curator.profile.continuity import score_prompt
from curator.profile.sentence_memory import SentenceMemory
from curator.recipe.schema import Continuity
from curator.scores.scorer import Scorer
from curator.scores.sentences import sentence_spans
from curator.scores.store import ScoreStore
from tests.profile.profile_files import FlatEncoder

PROSE = " ".join(
    f"Sentence {(at * 7919) % 9973} tells of {(at * 31) % 997} boats by the quay." for at in range(600)
)


def refuse(line: str) -> None:
    raise AssertionError(line)


def scorer(folder: Path, encoder: Any) -> Scorer:
    return Scorer(Continuity(), refuse, encoder, ScoreStore(refuse, folder))


@pytest.mark.parametrize("windows", [2, 8, 12])
def test_a_long_prompt_has_so_many_windows_and_an_error(tmp_path: Path, windows: int) -> None:
    found = score_prompt(PROSE, (), scorer(tmp_path, FlatEncoder()), windows)
    assert (found.windows, found.ruled) == (windows, 0)
    assert found.mean is not None and found.se is not None and found.se > 0


def test_no_more_sentences_are_embedded_than_the_windows_have(tmp_path: Path) -> None:
    encoder = FlatEncoder()
    score_prompt(PROSE, (), scorer(tmp_path, encoder), 8)
    assert len(encoder.asked) == 8 * 24


def test_mean_and_error_are_those_of_the_windows(tmp_path: Path) -> None:
    asked = scorer(tmp_path, FlatEncoder())
    found = score_prompt(PROSE, (), asked, 19)
    # 600 sentences are covered by 19 windows of 32, whose starts are equally far apart.
    spans = sentence_spans(PROSE)
    starts = [round(number * (len(spans) - 32) / 18) for number in range(19)]
    values = [asked.score(spans[start : start + 24]).flat()["continuity"] for start in starts]
    assert found.mean == pytest.approx(statistics.fmean(map(float, values)), abs=1e-3)
    assert found.se == pytest.approx(statistics.stdev(map(float, values)) / 19**0.5, abs=1e-3)


def test_random_windows_are_low_and_not_embedded(tmp_path: Path) -> None:
    encoder = FlatEncoder()
    found = score_prompt(PROSE, [RandomSpan(0, len(PROSE), "words", 0.9)], scorer(tmp_path, encoder), 8)
    assert (found.mean, found.se, found.windows, found.ruled, found.low) == (None, None, 8, 8, 8)
    assert encoder.asked == []


def test_half_random_prompts_are_half_ruled_out(tmp_path: Path) -> None:
    half = [RandomSpan(0, len(PROSE) // 2, "words", 0.9)]
    found = score_prompt(PROSE, half, scorer(tmp_path, FlatEncoder()), 8)
    assert found.windows == 8
    assert 3 <= found.ruled <= 5


def test_numbered_lists_are_low_and_not_embedded(tmp_path: Path) -> None:
    encoder = FlatEncoder()
    text = "\n".join(f"{at}. the harbour master counted" for at in range(1, 400))
    found = score_prompt(text, (), scorer(tmp_path, encoder), 8)
    assert (found.windows, found.ruled, found.low, found.mean) == (8, 8, 8, None)
    assert encoder.asked == []


@pytest.mark.parametrize("text", ["", "Which one?", "One boat left. Two boats came. Nobody saw them."])
def test_too_little_text_has_no_score(tmp_path: Path, text: str) -> None:
    found = score_prompt(text, (), scorer(tmp_path, FlatEncoder()), 8)
    assert (found.mean, found.se, found.windows, found.low) == (None, None, 0, 0)


def test_a_short_prompt_has_one_window_without_an_error(tmp_path: Path) -> None:
    text = " ".join(
        f"The {name} boat left the quay at noon." for name in ("red", "blue", "green", "white", "black")
    )
    found = score_prompt(text, (), scorer(tmp_path, FlatEncoder()), 8)
    assert found.windows == 1 and found.mean is not None and found.se is None


def test_a_sentence_is_embedded_once() -> None:
    encoder = FlatEncoder()
    memory = SentenceMemory(encoder)
    first = memory.encode(["one boat", "two boats", "one boat"])
    again = memory.encode(["two boats", "three boats"])
    assert encoder.asked == ["one boat", "two boats", "three boats"]
    assert (first[0] == first[2]).all() and (first[1] == again[0]).all()
    assert memory.encode([]).shape[0] == 0
    assert (memory.fingerprint, memory.banded, memory.truncated(["a"])) == ("flat-1", False, 0)
