"""Hashes of words and rows: the same in every process, for every cut of a text, and for nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.gates.leakage.grams import SIZES, cover, grams, stretches, telling
from curator.gates.leakage.words import IDEOGRAPH, SYLLABLE, WORD, split_words


def _row(text: str) -> list[int]:
    row: list[int] = split_words(text).hashes.tolist()
    return row


def test_hashes_do_not_change() -> None:
    # A new process must find what another one stored.
    assert _row("Low tide") == [6298432088806082732, 7194038196238105474]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße — ŒUVRE", "STRASSE œuvre"),
        ("e\u0301cole ﬁn", "école fin"),
        ("snake_case", "snake case"),
        ("(a) salt, (b) oil", "salt oil"),
        ("A. salt 2: oil（ｃ）wax", "salt oil wax"),
        ("it's a boat", "It’s — a boat"),
        ("ＡＢＣ１２", "abc12"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_texts_of_the_same_words(one: str, other: str) -> None:
    assert _row(one) == _row(other)


def test_words_that_differ_have_hashes_that_differ() -> None:
    words = [
        f"{first}{second}{third}"
        for first in "abcdefgh"
        for second in "aeiou01"
        for third in ("", "x", "xy", "yx")
    ]
    assert len(set(_row(" ".join(words)))) == len(words)


def test_kinds_by_script() -> None:
    assert split_words("tide 潮か กา").kinds.tolist() == [WORD, IDEOGRAPH, IDEOGRAPH, SYLLABLE, SYLLABLE]
    # Marks belong to their letters, and Korean and Hindi have spaces.
    assert len(split_words("한국어 हिन्दी cafe\u0301")) == 3


@given(st.text(max_size=60), st.integers(1, 9))
def test_rows_are_those_of_each_place(text: str, size: int) -> None:
    hashes = split_words(text).hashes
    rows = grams(hashes, size).tolist()
    assert rows == [int(grams(hashes[at : at + size], size)[0]) for at in range(len(hashes) - size + 1)]


@given(st.lists(st.sampled_from(["low", "tide", "潮", "é", "\n", "x", "กา"]), max_size=40))
def test_a_span_is_that_of_its_words(parts: list[str]) -> None:
    text = " ".join(parts)
    words = split_words(text)
    for at in range(len(words)):
        start, end = words.span(text, at, at)
        assert _row(text[start:end]) == [words.hashes[at]]


def test_a_long_text_is_cut_without_a_trace() -> None:
    text = " ".join(f"word{number}" for number in range(20_000))
    words = split_words(text)
    assert len(words) == 20_000
    assert len(words.parts) > 1
    for at in (0, 4_000, 9_999, 19_999):
        assert text[slice(*words.span(text, at, at))] == f"word{at}"


def test_telling_rows_have_letters_and_different_words() -> None:
    words = split_words("one two " * 10 + " ".join(f"word{number}" for number in range(13)))
    told = telling(words.hashes, np.minimum(words.letters, 255).astype(np.uint8), SIZES[0])
    expected = [len(set(words.hashes[at : at + 13].tolist())) >= 7 for at in range(len(words) - 12)]
    assert told.tolist() == expected
    assert not told[0]
    assert told[-1]


def test_stretches_and_cover() -> None:
    flags = cover(10, np.array([1, 2, 8]), 3)
    assert flags.tolist() == [False, True, True, True, True, False, False, False, True, True]
    assert list(stretches(flags)) == [(1, 5), (8, 10)]
    assert list(stretches(np.zeros(0, bool))) == []
