"""What the pool keeps of a verdict."""

from __future__ import annotations

import math

from curator.corpora.document import Document, Message
from curator.gates.drop import Drop
from curator.pipeline.pool import EXCERPT, finite, pool_rows
from curator.pipeline.verdict import Verdict
from curator.select.pieces import Piece

TEXT = "Low tide at nine. " * 60


def document(**more: object) -> Document:
    about = {
        "id": "f#1",
        "corpus": "f",
        "unit": "u",
        "task": "prose",
        "language": "und",
        "licence": "mit",
        "text": TEXT,
    }
    return Document(**(about | more))  # type: ignore[arg-type]


def test_a_kept_piece_has_its_own_text_and_the_language_found() -> None:
    piece = Piece("f#1:3", document(), 18, 900)
    (row,) = pool_rows([Verdict(piece, None, {"chars": 882}, "en")], {"f#1:3": 5})
    assert (row.id, row.document, row.keep, row.taken, row.reason) == ("f#1:3", "f#1", True, True, None)
    assert (row.language, row.licence, row.scores) == ("en", "MIT", {"chars": 882})
    assert row.text == TEXT[18 : 18 + EXCERPT]


def test_a_short_piece_does_not_borrow_its_neighbours_text() -> None:
    (row,) = pool_rows([Verdict(Piece("p", document(), 0, 9), None, {}, "und")], {})
    assert row.text == "Low tide "


def test_a_refused_piece_is_not_taken_and_says_why() -> None:
    made = document(messages=(Message("user", "x"),), low_continuity=True)
    verdict = Verdict(Piece("p", made, 0, 5), Drop("short", "5 characters"), {"chars": 5}, "und")
    (row,) = pool_rows([verdict], {"other": 3, "p": 0})
    assert (row.keep, row.taken, row.reason, row.detail) == (False, False, "short", "5 characters")
    assert (row.conversation, row.low_continuity) == (True, True)
    again = row.as_document()
    assert (again.messages, again.low_continuity, again.task, again.text) == ((), True, "prose", "")


def test_half_characters_can_be_written() -> None:
    broken = document(text="a\ud83d b")
    verdict = Verdict(Piece("p", broken, 0, 4), Drop("short", "\udc00"), {}, "und")
    (row,) = pool_rows([verdict], {})
    assert (row.text, row.detail) == ("a\ufffd b", "\ufffd")


def test_scores_without_a_value_are_none() -> None:
    scores = {"a": math.nan, "b": math.inf, "c": -math.inf, "d": 0.0, "e": None, "f": "nan", "g": {"ip": 1}}
    assert finite(scores) == {"a": None, "b": None, "c": None, "d": 0.0, "e": None, "f": "nan", "g": {"ip": 1}}
