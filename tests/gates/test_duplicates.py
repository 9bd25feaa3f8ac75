"""Exact duplicates after folding what does not change the meaning, and no further."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.gates.duplicates import Duplicates, check_duplicate, fingerprint

TEXT = "Le garçon de café ferme à dix heures."


@pytest.mark.parametrize(
    "same",
    [
        "Le garc\u0327on de cafe\u0301 ferme a\u0300 dix heures.",
        "Le garçon de  café ferme à\u00a0dix heures.",
        TEXT + "\r\n",
        "\n" + TEXT + "  \n\n",
        "Le garçon\u2009de\u3000café ferme à\u202fdix heures.",
    ],
    ids=["decomposed", "spaces", "line end", "around", "other spaces"],
)
def test_other_spellings_of_the_same_text_are_one(same: str) -> None:
    assert fingerprint(same) == fingerprint(TEXT)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("They will re-sign the lease.", "They will resign the lease."),
        ("if x:\n    a()\nb()", "if x:\n    a()\n    b()"),
        ("Y = 1", "y = 1"),
        ("是", "否"),
        ("a\n\nb", "a\nb"),
        # Ligatures and wide letters are other characters; so are two orders of two marks above.
        ("ﬁn", "fin"),
        ("ＡＢ", "AB"),
        ("a\u0301\u0308", "a\u0308\u0301"),
    ],
)
def test_texts_that_differ_stay_two(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


def folded_by_line(text: str) -> str:
    """As `fingerprint` describes it, a line at a time."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(re.sub(r"(?<=\S)[ \t\u00a0\u3000]+", " ", line).rstrip() for line in lines).strip("\n")


@given(st.text("ab \t\u00a0\u3000\n\r\x0b"), st.text("ab \t\u00a0\u3000\n\r\x0b"))
def test_spaces_are_folded_within_their_line_alone(one: str, other: str) -> None:
    assert fingerprint(one) == fingerprint(folded_by_line(one))
    assert (fingerprint(one) == fingerprint(other)) == (folded_by_line(one) == folded_by_line(other))


def test_the_first_name_keeps_the_text() -> None:
    gate = Duplicates()
    assert gate.owner("one", "cat") is None
    assert gate.owner("two", "dog") is None
    drop = check_duplicate(gate.owner("three", "cat "))
    assert drop is not None
    assert (drop.reason, drop.detail) == ("duplicate", "same text as one")
    assert gate.owner("one", "cat") is None


@pytest.mark.parametrize(
    ("one", "same"),
    [
        ("한국어", "\u1112\u1161\u11ab\u1100\u116e\u11a8\u110b\u1165"),
        ("ガラス", "\u30ab\u3099ラス"),
        ("क़लम", "\u0915\u093cलम"),
        ("a\u0323\u0307", "a\u0307\u0323"),
        ("tiếng Việt", "tie\u0302\u0301ng Vie\u0323\u0302t"),
    ],
)
def test_every_script_has_one_spelling(one: str, same: str) -> None:
    assert fingerprint(one) == fingerprint(same)


@pytest.mark.parametrize("text", ["\ud800", "\0", "", "\u0301\u0323" * 200_000, " " * 500_000, "x " * 250_000])
def test_hostile_text_has_a_fingerprint(text: str) -> None:
    # Sorting 400,000 marks one by one would take minutes.
    assert len(fingerprint(text)) == 64
