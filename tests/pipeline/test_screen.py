"""Which gates a piece meets, what it is changed to, and which sentences its continuity is read from."""

from __future__ import annotations

import dataclasses
import hashlib
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.corpora.document import Document, Message, conversation_text
from curator.pipeline.screen import Screen
from curator.pipeline.steps.leakage import watched
from curator.recipe.schema import Recipe
from curator.scores.scorer import Scorer
from curator.scores.store import ScoreStore
from curator.select.pieces import Piece, cut_pieces


class Recorder:
    """An embedder that remembers its sentences and gives vectors that wander like prose or jump at random."""

    banded = False
    fingerprint = "recorder"

    def __init__(self, wanders: bool) -> None:
        self.asked: list[list[str]] = []
        self._wanders = wanders

    def encode(self, sentences: Sequence[str]) -> Any:
        self.asked.append(list(sentences))
        rng = np.random.default_rng(len(sentences))
        vectors = rng.normal(size=(len(sentences), 32))
        if self._wanders:
            for place in range(1, len(vectors)):
                vectors[place] = 0.8 * vectors[place - 1] + 0.6 * vectors[place]
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    def truncated(self, _sentences: Sequence[str]) -> int:
        return 0


@pytest.fixture
def screen_of(tmp_path: Path) -> Any:
    def make(recorder: Recorder, **more: Any) -> Screen:
        made = Recipe.model_validate(
            {
                "name": "t",
                "size": {"samples": 1, "tokens": 64},
                "target": {"tasks": {"t": 1, "code": 1}},
                "sources": [{"corpus": "x"}],
                **more,
            }
        )
        scorer = Scorer(made.continuity, encoder=recorder, store=ScoreStore(pytest.fail, tmp_path))
        return Screen(made, watched(None, []), scorer)

    return make


def document(text: str, **more: Any) -> Document:
    values = {"task": "t", "language": "en", **more}
    return Document("d", "c", "u", licence="MIT", text=text, **values)


def whole(text: str, **more: Any) -> Piece:
    return Piece("d:0", document(text, **more), 0, len(text))


WORDS = [
    "harbour", "ferry", "island", "kiln", "letter", "garden",
    "winter", "market", "bridge", "teacher", "orchard", "lantern",
]  # fmt: skip


def sentence(number: int) -> str:
    # In no order: neither as a sorted list or a row of years is, nor with words that come again soon.
    first, second = random.Random(number + 400).sample(WORDS, 2)
    end = "\n\n" if number % 10 == 9 else " "
    return f"The {first} was moved nearer to the old {second} in {7000 + number} again." + end


LONG = "".join(map(sentence, range(100))).strip()
UUIDS = "\n".join(f"{number * 2654435761 % 2**32:08x}-1a2b-4c3d-8e4f-{number:012x}" for number in range(1, 40))


def test_prose_that_wanders_is_kept(screen_of: Any) -> None:
    kept = screen_of(Recorder(wanders=True)).judge(whole(LONG))
    assert kept.drop is None
    assert kept.scores["continuity"] > 2.33


def test_prose_that_jumps_is_dropped(screen_of: Any) -> None:
    dropped = screen_of(Recorder(wanders=False)).judge(whole(LONG))
    assert dropped.drop is not None
    assert dropped.drop.reason == "continuity"


@pytest.mark.parametrize("more", [{"language": "zxx"}, {"task": "code"}, {"low_continuity": True}])
def test_code_and_text_without_continuity_on_purpose_are_not_scored(screen_of: Any, more: dict[str, Any]) -> None:
    recorder = Recorder(wanders=False)
    verdict = screen_of(recorder).judge(whole(LONG, **more))
    assert (verdict.drop, "continuity" in verdict.scores, recorder.asked) == (None, False, [])


def test_continuity_can_be_turned_off(screen_of: Any) -> None:
    recorder = Recorder(wanders=False)
    verdict = screen_of(recorder, continuity={"min": False}).judge(whole(LONG))
    assert (verdict.drop, recorder.asked) == (None, [])


def test_what_a_cheap_gate_refuses_is_not_embedded(screen_of: Any) -> None:
    recorder = Recorder(wanders=True)
    verdict = screen_of(recorder).judge(whole("Too short."))
    assert verdict.drop is not None
    assert verdict.drop.reason == "short"
    assert verdict.scores == {"chars": 10}
    assert recorder.asked == []


def test_random_strings_on_purpose_pass_and_by_accident_do_not(screen_of: Any) -> None:
    screen = screen_of(Recorder(wanders=True))
    assert screen.judge(whole(UUIDS, low_continuity=True)).drop is None
    other = Piece("e:0", document(UUIDS + "\n#"), 0, len(UUIDS) + 2)
    drop = screen.judge(other).drop
    assert drop is not None
    assert drop.reason == "random_text"


def test_a_random_stretch_is_refused_or_cut_out_by_choice(screen_of: Any) -> None:
    text = f"{LONG}\n\n{UUIDS}\n\n{LONG.replace('old', 'new')}"
    gates = {"random_text": {"max_share": 0.5}, "near_duplicates": False, "repetition": False}
    refused = screen_of(Recorder(wanders=True), gates=gates).judge(whole(text))
    assert refused.drop is not None
    assert refused.drop.reason == "random_text"
    cut = screen_of(
        Recorder(wanders=True), gates={**gates, "random_text": {"max_share": 0.5, "stretches": "cut"}}
    ).judge(whole(text))
    assert cut.drop is None
    assert "1a2b-4c3d" not in cut.piece.text
    assert cut.piece.text.startswith(LONG[:200])
    assert cut.piece.text.endswith(LONG[-60:].replace("old", "new"))
    assert cut.scores["random_cut"] == len(text) - len(cut.piece.text)


def test_a_text_of_which_little_is_left_is_refused_not_cut(screen_of: Any) -> None:
    gates = {"random_text": {"stretches": "cut"}}
    verdict = screen_of(Recorder(wanders=True), gates=gates).judge(whole(f"A list of ids.\n\n{UUIDS}"))
    assert verdict.drop is not None
    assert verdict.drop.reason == "random_text"


def test_near_duplicates_are_refused_and_can_be_let_be_for_a_task(screen_of: Any) -> None:
    other = LONG.replace("7050", "9050")
    for gates, reason in (({}, "near_duplicate"), ({"by_task": {"t": {"near_duplicates": False}}}, None)):
        screen = screen_of(Recorder(wanders=True), gates=gates)
        assert screen.judge(whole(LONG)).drop is None
        drop = screen.judge(Piece("e:0", document(other), 0, len(other))).drop
        assert (drop and drop.reason) == reason


def test_personal_data_is_masked_in_a_text_and_in_every_part_of_a_conversation(screen_of: Any) -> None:
    mail = "jane.doe@bluewater-ferries.com"
    screen = screen_of(Recorder(wanders=True), gates={"personal_data": {}})
    text = LONG + f" Write to {mail} today."
    plain = screen.judge(whole(text))
    assert (plain.drop, plain.scores["personal_data"]) == (None, 1)
    assert plain.piece.text == text.replace(mail, "<EMAIL>")
    turns = (
        Message("user", f"Mail {mail} for me."),
        Message("assistant", "Done.", reasoning=f"To {mail}.", tool_calls=({"name": "mail", "to": [mail]},)),
    )
    talk = conversation_text(turns)
    verdict = screen.judge(Piece("t:0", document(talk, messages=turns), 0, len(talk)))
    messages = verdict.piece.document.messages
    assert messages is not None
    assert mail not in repr(verdict.piece)
    assert messages[1].reasoning == "To <EMAIL>."
    assert messages[1].tool_calls == ({"name": "mail", "to": ["<EMAIL>"]},)
    assert verdict.piece.text == conversation_text(messages)


def test_personal_data_refuses_where_the_recipe_says_so(screen_of: Any) -> None:
    gates = {"personal_data": {"action": "refuse", "kinds": ["email"]}}
    screen = screen_of(Recorder(wanders=True), gates=gates)
    drop = screen.judge(whole(LONG + " Write to jane.doe@bluewater-ferries.com.")).drop
    assert drop is not None
    assert (drop.reason, drop.detail) == ("personal_data", "1 email")
    assert "jane" not in drop.detail


def test_texts_of_one_meaning_are_refused_when_asked_for(screen_of: Any) -> None:
    gates = {"semantic_duplicates": {"cosine": 0.99}, "near_duplicates": False}
    screen = screen_of(Recorder(wanders=True), gates=gates)
    assert screen.judge(whole(LONG)).drop is None
    # The recorder's vectors depend on the number of sentences alone.
    other = LONG.replace("moved", "carried")
    drop = screen.judge(Piece("e:0", document(other), 0, len(other))).drop
    assert drop is not None
    assert drop.reason == "semantic_duplicate"


def test_a_piece_is_judged_once(screen_of: Any) -> None:
    recorder = Recorder(wanders=True)
    screen = screen_of(recorder)
    assert screen.judge(whole(LONG)) is screen.judge(whole(LONG))
    assert len(recorder.asked) == 1


def test_what_is_expected_is_measured_ahead_and_judged_in_the_order_of_asking(screen_of: Any) -> None:
    recorder = Recorder(wanders=True)
    screen, other = screen_of(recorder), screen_of(Recorder(wanders=True))
    first, copy = whole(LONG), Piece("e:0", document(LONG + " "), 0, len(LONG) + 1)
    screen.expect([copy, first, Piece("f:0", document(UUIDS), 0, len(UUIDS)), copy])
    # What is dear, and what remembers, waits.
    assert recorder.asked == []
    assert [screen.judge(one).drop is None for one in (first, copy)] == [True, False]
    assert screen.judge(first) == other.judge(first)
    assert screen.judge(copy) == other.judge(copy)
    screen.expect([first, copy])
    assert len(recorder.asked) == 1


def test_what_is_expected_is_not_measured_again(screen_of: Any) -> None:
    screen = screen_of(Recorder(wanders=True))
    asked: list[str] = []

    def count(pieces: Sequence[Piece]) -> list[Any]:
        asked.extend(one.id for one in pieces)
        return [(one, {"chars": 300}) for one in pieces]

    first = next(place for place, step in enumerate(screen.steps) if step.name == "length")
    screen._alone[first] = dataclasses.replace(screen.steps[first], measure_all=count)
    pieces = [Piece(f"p{n}", document(LONG.replace("old", f"old{n}")), 0, 300) for n in range(3)]
    screen.expect(pieces[:2])
    screen.expect(pieces)
    verdicts = [screen.judge(one) for one in pieces]
    assert asked == ["p0", "p1", "p2"]
    assert [verdict.scores["chars"] for verdict in verdicts] == [300] * 3


def test_what_was_scored_before_is_not_embedded_again(screen_of: Any) -> None:
    first, second = Recorder(wanders=True), Recorder(wanders=False)
    before = screen_of(first).judge(whole(LONG))
    again = screen_of(second, continuity={"min": 3.0}).judge(whole(LONG))
    assert again.scores == before.scores
    assert (len(first.asked), len(second.asked)) == (1, 0)


def sentences_of(screen_of: Any, piece: Piece) -> list[int]:
    recorder = Recorder(wanders=True)
    screen_of(recorder, gates={"repetition": False}).judge(piece)
    return [int(sentence.split()[-2]) - 7000 for sentence in recorder.asked[0]]


def test_a_short_piece_reads_on_and_at_the_end_of_its_document_back(screen_of: Any) -> None:
    parts = list(cut_pieces(document(LONG), 1500))
    first, last = sentences_of(screen_of, parts[0]), sentences_of(screen_of, parts[-1])
    assert first == list(range(32))
    assert last == list(range(68, 100))


def test_a_long_piece_is_read_to_its_end(screen_of: Any) -> None:
    assert sentences_of(screen_of, whole(LONG)) == list(range(100))


def test_code_is_scored_by_its_lines_and_never_refused_for_it(screen_of: Any) -> None:
    lines = [f"def step_{n}(value):\n    total_{n} = value + {n}\n    return total_{n}\n" for n in range(40)]
    in_order = "\n".join(lines)
    shuffled = "\n".join(sorted(in_order.split("\n"), key=lambda line: hash_of(line)))
    gates = {"random_text": False, "repetition": False, "near_duplicates": False}
    screen = screen_of(Recorder(wanders=False), gates=gates)
    good = screen.judge(Piece("a", document(in_order, task="code"), 0, len(in_order)))
    bad = screen.judge(Piece("b", document(shuffled, task="code"), 0, len(shuffled)))
    assert (good.drop, bad.drop) == (None, None)
    assert good.scores["code_continuity"] > 2.33 > bad.scores["code_continuity"]


def hash_of(line: str) -> str:
    return hashlib.sha256(line.encode()).hexdigest()
