"""Runs of words as hashes, worked out here by hand from the words themselves."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.gates.shingles import jaccard_index, shingles

THAI = "สวัสดีครับวันนี้อากาศดีมากเราไปเดินเล่นที่ทะเลกันเถอะ"


def _runs(words: list[str], size: int) -> int:
    return len({tuple(words[start : start + size]) for start in range(len(words) - size + 1)})


@given(st.lists(st.sampled_from(["tide", "moon", "sea", "a", "is"]), max_size=60))
def test_as_many_as_different_runs_of_five_words(words: list[str]) -> None:
    found = shingles([" ".join(words)])[0]
    assert found.size == _runs(words, 5)
    assert np.all(found[1:] > found[:-1])


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        ("one two three four", 0),
        ("one two three four five", 1),
        # A sign is a token.
        ("one, two three four", 1),
        ("潮水每天涨落两次", 1),
        ("潮水每天涨落两次吧", 2),
        (THAI, len(THAI) - 19),
        # Marks belong to their word: eight words of Hindi.
        ("हिन्दी में लिखा हुआ यह एक छोटा वाक्य", 4),
        # By what it begins with: two runs begin with a word, one with a character.
        ("I say 潮水每天涨落两次", 3),
    ],
)
def test_runs_by_script(text: str, count: int) -> None:
    assert shingles([text])[0].size == count


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("He said 'no' to the man - twice", "He  said ‘no’ to\u00a0the\nman — twice"),
        ("au café de la gare ce soir", "au cafe\u0301 de la gare ce soir"),
        ("one two three\r\nfour five six", "one two three\nfour five six"),
    ],
)
def test_what_does_not_count(one: str, other: str) -> None:
    assert shingles([one])[0].size > 0
    assert np.array_equal(shingles([one])[0], shingles([other])[0])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("if x == Y and z == W", "if x == y and z == w"),
        ("a = b + c + d", "a = b - c - d"),
        ("if x:\n    y = z\n    w = v", "if x:\n  y = z\n  w = v"),
        ("the re-sign clause of all", "the resign clause of them all"),
        ("ab c d e f g", "a bc d e f g"),
    ],
)
def test_what_counts(one: str, other: str) -> None:
    assert not np.array_equal(shingles([one])[0], shingles([other])[0])


BLOCKS = [
    "one two three four five six",
    "  four\n\tfive",
    "\n    if x:",
    "\n\n   ",
    "潮水每天涨落两次吧",
    "\ud800 é",
    "\x1c ",
    THAI,
    "",
]


@settings(max_examples=60)
@given(st.lists(st.lists(st.sampled_from(BLOCKS), max_size=9).map(" ".join), max_size=12))
def test_many_texts_at_once_have_the_shingles_of_each_alone(texts: list[str]) -> None:
    together = shingles(texts)
    assert [one.tolist() for one in together] == [shingles([text])[0].tolist() for text in texts]


def test_texts_of_any_length_are_hashed_together_or_apart() -> None:
    # Longer than a block, and than what is hashed together.
    words = [f"w{number}" for number in range(30_000)]
    texts = [" ".join(words[:3000]), " ".join(words), "", " ".join(words[3000:6000]), " ".join(words[:3000])]
    found = shingles(texts)
    assert [one.size for one in found[::2]] == [2996, 0, 2996]
    blocks = [texts[1][start : start + 65_536].split() for start in range(0, len(texts[1]), 65_536)]
    assert found[1].size == sum(_runs(block, 5) for block in blocks)
    assert np.array_equal(found[0], found[4])
    assert np.isin(found[0], found[1]).all()


def test_jaccard_index_of_words_changed_by_hand() -> None:
    words = [f"w{number}" for number in range(104)]
    changed = [*words[:50], "other", *words[51:]]
    # Of 100 runs five are lost and five are new.
    assert jaccard_index(shingles([" ".join(words)])[0], shingles([" ".join(changed)])[0]) == 95 / 105
    assert jaccard_index(shingles([""])[0], shingles([""])[0]) == 0.0


def test_blocks_lose_only_the_runs_across_their_borders() -> None:
    words = [f"word{number:06d}" for number in range(20_000)]
    found = shingles([" ".join(words)])[0]
    lost = _runs(words, 5) - found.size
    assert 0 <= lost <= 5 * (11 * 20_000 // 65_536)


def test_the_same_in_every_process() -> None:
    text = "a tide is a tide 潮水每天涨落两次"
    code = f"from curator.gates.shingles import shingles; print(shingles([{text!r}])[0].tolist())"
    runs = [
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        for seed in ("1", "2")
    ]
    assert runs[0].stdout == runs[1].stdout
    assert runs[0].stdout.startswith(b"[")


@pytest.mark.parametrize(
    "text", ["\ud800" * 40, "\0" * 40, "\u0301" * 40, "x" * 1_000_000, " " * 1_000_000, "\n " * 500_000]
)
def test_hostile_text_has_few_runs(text: str) -> None:
    assert shingles([text])[0].size <= 1
