"""Which gates a piece meets, and which sentences its continuity is read from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from curator.corpora.document import Document
from curator.pipeline.screen import Screen
from curator.recipe.schema import Recipe
from curator.select.pieces import Piece, cut_pieces


class Recorder:
    """An embedder that remembers its sentences and gives vectors that wander like prose or jump at random."""

    def __init__(self, wanders: bool) -> None:
        self.asked: list[list[str]] = []
        self._wanders = wanders

    def encode(self, sentences: list[str]) -> Any:
        self.asked.append(sentences)
        rng = np.random.default_rng(len(sentences))
        vectors = rng.normal(size=(len(sentences), 32))
        if self._wanders:
            for place in range(1, len(vectors)):
                vectors[place] = 0.8 * vectors[place - 1] + 0.6 * vectors[place]
        # Something in common, as the sentences of a text have: pair cosines of about 0.3.
        return vectors + 0.65


def recipe(**more: Any) -> Recipe:
    return Recipe.model_validate(
        {
            "name": "t",
            "size": {"samples": 1, "tokens": 64},
            "target": {"tasks": {"t": 1}},
            "sources": [{"corpus": "x"}],
            **more,
        }
    )


def document(text: str, **more: Any) -> Document:
    values = {"language": "en", **more}
    return Document("d", "c", "u", "t", licence="MIT", text=text, **values)


def whole(text: str, **more: Any) -> Piece:
    return Piece("d:0", document(text, **more), 0, len(text))


def sentence(number: int) -> str:
    return f"This is sentence number {number:02d} of a long text." + ("\n\n" if number % 10 == 9 else " ")


LONG = "".join(map(sentence, range(100))).strip()


def test_prose_that_wanders_is_kept_and_prose_that_jumps_is_dropped() -> None:
    kept = Screen(recipe(), [], Recorder(wanders=True)).judge(whole(LONG))  # type: ignore[arg-type]
    assert kept.drop is None
    assert kept.continuity is not None
    assert kept.continuity.z > 2.33
    dropped = Screen(recipe(), [], Recorder(wanders=False)).judge(whole(LONG))  # type: ignore[arg-type]
    assert dropped.drop is not None
    assert dropped.drop.reason == "continuity"


@pytest.mark.parametrize("more", [{"language": "zxx"}, {"low_continuity": True}])
def test_code_and_text_without_continuity_on_purpose_are_not_scored(more: dict[str, Any]) -> None:
    recorder = Recorder(wanders=False)
    verdict = Screen(recipe(), [], recorder).judge(whole(LONG, **more))  # type: ignore[arg-type]
    assert (verdict.drop, verdict.continuity, recorder.asked) == (None, None, [])


def test_continuity_can_be_turned_off() -> None:
    recorder = Recorder(wanders=False)
    verdict = Screen(recipe(continuity={"min": False}), [], recorder).judge(whole(LONG))  # type: ignore[arg-type]
    assert (verdict.drop, recorder.asked) == (None, [])


def test_what_a_cheap_gate_refuses_is_not_embedded() -> None:
    recorder = Recorder(wanders=True)
    screen = Screen(recipe(), [], recorder)  # type: ignore[arg-type]
    verdict = screen.judge(whole("Too short."))
    assert verdict.drop is not None
    assert verdict.drop.reason == "short"
    assert recorder.asked == []


def test_random_strings_on_purpose_pass_and_by_accident_do_not() -> None:
    uuids = "\n".join(f"{number:08x}-1111-4222-8333-{number:012x}" for number in range(40))
    screen = Screen(recipe(), [], Recorder(wanders=True))  # type: ignore[arg-type]
    assert screen.judge(whole(uuids, low_continuity=True)).drop is None
    other = Piece("e:0", document(uuids + " "), 0, len(uuids) + 1)
    drop = screen.judge(other).drop
    assert drop is not None
    assert drop.reason == "random_text"


def test_a_piece_is_judged_once() -> None:
    recorder = Recorder(wanders=True)
    screen = Screen(recipe(), [], recorder)  # type: ignore[arg-type]
    assert screen.judge(whole(LONG)) is screen.judge(whole(LONG))
    assert len(recorder.asked) == 1


def sentences_of(piece: Piece) -> list[int]:
    recorder = Recorder(wanders=True)
    Screen(recipe(), [], recorder).judge(piece)  # type: ignore[arg-type]
    return [int(sentence.split()[4]) for sentence in recorder.asked[0]]


def test_a_short_piece_reads_on_and_at_the_end_of_its_document_back() -> None:
    # Twenty sentences of 44 characters with the space behind, and two more for the paragraphs' ends.
    parts = list(cut_pieces(document(LONG), 900))
    assert [len(part.text) for part in parts[:-1]] == [len(sentence(0)) * 20 + 2] * 4
    first, last = sentences_of(parts[0]), sentences_of(parts[-1])
    assert first == list(range(32))
    assert last == list(range(68, 100))


def test_a_long_piece_is_read_to_its_end() -> None:
    assert sentences_of(whole(LONG)) == list(range(100))
