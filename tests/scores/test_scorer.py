"""What was scored once is read, not embedded, and is the same to the last bit."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from curator.recipe.schema import Continuity
from curator.scores.scorer import RECENT, Scorer
from curator.scores.sentences import Sentence, sentence_spans
from curator.scores.store import NAME, ScoreStore

TEXT = " ".join(f"W{at * 7919 % 9973:x} is near w{(at + 1) * 7919 % 9973:x} today." for at in range(70))


def refuse(line: str) -> None:
    raise AssertionError(f"told without a reason: {line}")


def scorer(encoder: Any, folder: Path, **settings: Any) -> Scorer:
    return Scorer(Continuity(**settings), refuse, encoder, ScoreStore(refuse, folder))


def test_the_second_scoring_embeds_nothing_and_finds_the_same_bits(encoder: Any, tmp_path: Path) -> None:
    spans = sentence_spans(TEXT)
    first = scorer(encoder, tmp_path).score(spans)
    assert len(encoder.calls) == 1
    second = scorer(encoder, tmp_path).score(spans)
    assert len(encoder.calls) == 1
    assert second == first
    assert repr(second.flat()) == repr(first.flat())
    assert second.vector.tobytes() == first.vector.tobytes()


def test_the_same_sentences_at_another_place_are_known(encoder: Any, tmp_path: Path) -> None:
    spans = sentence_spans(TEXT)
    moved = [Sentence(span.text, span.start + 500, span.end + 500) for span in spans]
    here, there = scorer(encoder, tmp_path).score(spans), scorer(encoder, tmp_path).score(moved)
    assert len(encoder.calls) == 1
    assert [window.start + 500 for window in here.windows] == [window.start for window in there.windows]
    assert here.least == there.least


@pytest.mark.parametrize("change", ["text", "embedder", "windows"])
def test_whatever_a_score_depends_on_is_in_the_key(change: str, encoder: Any, tmp_path: Path) -> None:
    scorer(encoder, tmp_path).score(sentence_spans(TEXT))
    text = TEXT.replace("today.", "to-day.", 1) if change == "text" else TEXT
    if change == "embedder":
        encoder.fingerprint = "words-2"
    settings = {"windows": "all"} if change == "windows" else {}
    scorer(encoder, tmp_path, **settings).score(sentence_spans(text))
    assert len(encoder.calls) == 2


def test_a_damaged_score_is_told_and_computed_again(encoder: Any, tmp_path: Path) -> None:
    spans = sentence_spans(TEXT)
    first = scorer(encoder, tmp_path).score(spans)
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("UPDATE scores SET value = replace(value, '\"sentences\": 70', '\"sentences\": 71')")
    connection.close()
    told: list[str] = []
    again = Scorer(Continuity(), refuse, encoder, ScoreStore(told.append, tmp_path)).score(spans)
    assert again == first
    assert len(encoder.calls) == 2
    assert len(told) == 1
    assert scorer(encoder, tmp_path).score(spans) == first
    assert len(encoder.calls) == 2


def test_no_sentences_have_a_score_too(encoder: Any, tmp_path: Path) -> None:
    for _ in range(2):
        found = scorer(encoder, tmp_path).score([])
        assert (found.sentences, found.least.z, found.least.defined) == (0, 0.0, False)


def test_the_latest_texts_are_scored_once_where_nothing_can_be_kept(encoder: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    told: list[str] = []
    scoring = Scorer(Continuity(), refuse, encoder, ScoreStore(told.append, tmp_path / "file"))
    texts = [sentence_spans(TEXT.replace("today.", f"on day {day}.", 1)) for day in range(RECENT + 1)]
    first = [scoring.score(text) for text in texts[:RECENT]]
    assert [scoring.score(text) for text in texts[:RECENT]] == first
    assert (len(encoder.calls), len(told)) == (RECENT, 1)
    # One more, and the one asked for longest ago is forgotten.
    scoring.score(texts[RECENT])
    scoring.score(texts[1])
    assert len(encoder.calls) == RECENT + 1
    assert scoring.score(texts[0]) == first[0]
    assert len(encoder.calls) == RECENT + 2
