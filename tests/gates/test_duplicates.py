"""Exact duplicates after folding what does not change the meaning, and no further."""

from __future__ import annotations

import pytest

from curator.gates.duplicates import Duplicates, fingerprint

TEXT = "Le garçon de café ferme à dix heures."


@pytest.mark.parametrize(
    "same",
    [
        "Le garc\u0327on de cafe\u0301 ferme a\u0300 dix heures.",
        "Le garçon de  café ferme à\u00a0dix heures.",
        TEXT + "\r\n",
        "\n" + TEXT + "  \n\n",
    ],
    ids=["decomposed", "spaces", "line end", "around"],
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
    ],
)
def test_texts_that_differ_stay_two(one: str, other: str) -> None:
    assert fingerprint(one) != fingerprint(other)


def test_the_first_name_keeps_the_text() -> None:
    gate = Duplicates()
    assert gate.check("one", "cat") is None
    assert gate.check("two", "dog") is None
    drop = gate.check("three", "cat ")
    assert drop is not None
    assert (drop.reason, drop.detail) == ("duplicate", "same text as one")
    assert gate.check("one", "cat") is None
