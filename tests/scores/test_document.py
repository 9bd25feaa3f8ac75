from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest

from curator.scores.continuity import continuity
from curator.scores.document import DocumentContinuity, score_code, score_windows
from curator.scores.sentences import sentence_spans, split_sentences


def chained(count: int) -> str:
    """Sentences each of which shares words with the one before; in no alphabetical order."""
    words = [f"{at * 7919 % 9973:x}w" for at in range(count + 2)]
    return " ".join(f"W{words[at]} {words[at]} meets {words[at + 1]} near {words[at + 2]}." for at in range(count))


def unconnected(count: int, seed: int = 0) -> str:
    rng = random.Random(seed)
    return " ".join(f"Noise{rng.getrandbits(30)} hits thing{rng.getrandbits(30)}." for _ in range(count))


def test_a_short_text_is_one_window_and_says_how_short_it_is(encoder: Any) -> None:
    found = score_windows("Only one sentence here.", encoder)
    assert (found.sentences, found.least.sentences, found.least.defined) == (1, 1, False)
    assert found.flat() == {
        "continuity": 0.0,
        "continuity_order": 0.0,
        "continuity_note": "too short to score",
        "sentences": 1,
        "continuity_windows": 1,
        "truncated": 0,
    }
    assert score_windows("", encoder).windows[0].end == 0


def test_windows_have_their_place_in_the_text_and_their_own_score(encoder: Any) -> None:
    text = "  " + chained(70)
    spans = sentence_spans(text)
    found = score_windows(text, encoder)
    assert len(spans) == found.sentences == 70
    # Three windows of 32 over 70 sentences begin at 0, 19 and 38.
    assert [window.start for window in found.windows] == [spans[at].start for at in (0, 19, 38)]
    assert [window.end for window in found.windows] == [spans[at].end for at in (31, 50, 69)]
    lines = [span.text for span in spans[19:51]]
    assert found.windows[1].score == continuity(encoder.encode(lines), lines, banded=False)
    assert found.least.z == min(window.score.z for window in found.windows)
    assert found.least.windows == 3


@pytest.mark.parametrize("place", ["head", "middle", "tail"])
def test_one_bad_stretch_is_the_documents_score_and_is_found(place: str, encoder: Any) -> None:
    parts = {"head": (0, 96), "middle": (48, 48), "tail": (96, 0)}[place]
    text = " ".join(part for part in (chained(parts[0]), unconnected(48), chained(parts[1])) if part)
    bad = text.index("Noise")
    found = score_windows(text, encoder, "all")
    clean = score_windows(chained(144), encoder, "all")
    assert found.least.z < 3 < clean.least.z
    worst = min(found.windows, key=lambda window: window.score.z)
    assert worst.start < bad + len(unconnected(48))
    assert worst.end > bad


def test_each_sentence_is_embedded_once_and_none_outside_the_windows(encoder: Any) -> None:
    found = score_windows(chained(1000), encoder)
    assert [len(call) for call in encoder.calls] == [4 * 32]
    assert found.sentences == 1000
    assert len(found.windows) == 4
    encoder.calls.clear()
    score_windows(chained(70), encoder)
    assert encoder.calls == [split_sentences(chained(70))]


def test_sentences_of_which_the_end_is_not_read_are_counted(encoder: Any) -> None:
    long = "All of this " + "goes on and " * 12 + "ends."
    found = score_windows(f"{chained(10)} {long} {chained(10)} {long}", encoder)
    assert found.truncated == 2
    assert found.flat()["truncated"] == 2


def test_the_vector_is_the_unit_mean_of_the_sentences(encoder: Any) -> None:
    mean = encoder.encode(split_sentences(chained(9))).mean(axis=0)
    found = score_windows(chained(9), encoder)
    assert found.vector == pytest.approx(mean / np.linalg.norm(mean), abs=1e-6)
    assert not score_windows("", encoder).vector.any()


def test_stored_as_json_it_comes_back_the_same(encoder: Any) -> None:
    found = score_windows(chained(70) + unconnected(40), encoder)
    back = DocumentContinuity.from_json(json.loads(json.dumps(found.as_json())), found.vector.tobytes())
    assert back == found
    assert back.vector.tobytes() == found.vector.tobytes()


def test_code_is_scored_by_its_lines_without_a_model() -> None:
    functions = [
        f"def read_rows_{name}(path_{name}):\n    rows_{name} = []\n    with open(path_{name}) as handle_{name}:\n"
        f"        for line in handle_{name}:\n            rows_{name}.append(line)\n    return rows_{name}\n"
        for name in ("north", "south", "east", "west", "harbour", "kiln", "garden", "ledger")
    ]
    code = "\n".join(functions)
    lines = [line for line in code.split("\n") if line]
    shuffled = [score_code("\n".join(random.Random(seed).sample(lines, len(lines)))).least.z for seed in range(20)]
    found = score_code(code)
    assert found.sentences == 48
    assert found.least.z > max(shuffled)
    assert abs(sum(shuffled) / 20) < 1.5
    assert code[found.windows[-1].start : found.windows[-1].end].endswith("return rows_ledger")
    assert "continuity_mean" not in found.flat()
