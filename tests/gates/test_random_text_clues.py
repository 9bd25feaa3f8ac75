"""A clue may be there without a string, never a string without a clue."""

from __future__ import annotations

import random
import re

import pytest

from curator.gates.random_text.clues import Clues
from curator.gates.random_text.shapes import find_all_shapes, find_shapes

_GOOD = "The ferry leaves at seven, and whoever comes later waits. "
_UUID = "abcdefab-cdef-abcd-efab-abcdefabcdef"
_LISTED = " ".join(f"{byte:02x}" for byte in random.Random(1).randbytes(12))
_BROKEN = "Пароход отходит в семь часов.".encode().decode("koi8_r")


def test_runs_are_told_by_their_text_and_place() -> None:
    texts = ["", "see abcdefgh12345678 there", "a_name_without_any_digit", f"я {_UUID}", "abcdefgh1234567"]
    assert list(Clues(texts).runs()) == [(1, 4, 20), (3, 2, 38)]


def test_runs_do_not_go_on_in_the_next_text() -> None:
    assert list(Clues(["x abcdefgh", "12345678 y"]).runs()) == []


@pytest.mark.parametrize("gap", [" ", ", ", " 0x", ", 0x", "-"])
def test_byte_lists_are_at_equal_steps(gap: str) -> None:
    listed = _LISTED.replace(" ", gap)
    # What stands before the first byte is part of a pattern too.
    texts = [_GOOD, f"0x{listed}", "ab cd, ef 01: 02, 03 04, 05 06, 07 08, 09", ""]
    assert Clues(texts).byte_lists() == [1]


def test_even_steps_across_two_texts_are_the_second_ones_too() -> None:
    assert 1 in Clues(["see ab,", f"{_LISTED.replace(' ', ', ')}"]).byte_lists()


@pytest.mark.parametrize(("length", "found"), [(59, []), (60, [1])])
def test_digit_groups_have_sixty_characters(length: int, found: list[int]) -> None:
    digits = ("31 41.59\n" * 10)[:length]
    assert Clues(["1234567890 " * 3, f"see:{digits}: so it is", ""]).digit_groups() == found


def test_signs_of_broken_encodings_are_counted_in_each_text() -> None:
    good = [
        "Statek odpływa o siódmej, a kto się spóźni, czeka na następny.",
        "渡轮七点开船，晚到的人坐在长椅上。",
        _GOOD,
        "é" * 50,
    ]
    assert Clues([*good, _BROKEN, "\ufffd" * 7, "\ufffd" * 9]).broken_encodings() == [4, 6]
    assert Clues([_BROKEN[:6]] * 3).broken_encodings() == []


def test_stray_characters_are_counted_in_each_text() -> None:
    assert Clues(["𐌰" * 11, "𐌰" * 12, "𐌰" * 11]).stray_characters() == [1]


def test_ascii_has_no_clue_of_other_characters() -> None:
    clues = Clues([_GOOD, "\0" * 100])
    assert clues.broken_encodings() == clues.stray_characters() == []


def test_shapes_of_many_texts_are_those_of_each() -> None:
    draw = random.Random(4)
    parts = [_GOOD, _UUID, _LISTED, f"0x{_LISTED.replace(' ', ', 0x')}", _BROKEN, "渡轮七点开船", "\ud800", "ab,"]
    parts += [draw.randbytes(20).hex(), re.sub(" ", "", str([draw.randrange(10) for _ in range(80)])), "\n"]
    texts = ["".join(draw.choices(parts, k=draw.randrange(8))) for _ in range(200)]
    found = find_all_shapes(texts)
    assert found == [find_shapes(text) for text in texts]
    assert 50 < sum(map(bool, found)) < 200
