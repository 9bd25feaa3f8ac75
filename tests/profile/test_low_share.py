"""The share of a prompt's tokens without continuity: by hand, and as a built set counts it."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.gates.random_text import RandomSpan
from curator.pipeline.low_continuity import LowShares
from curator.profile.low_share import Window, low_share
from curator.profile.measure_item import measure_items
from curator.profile.read_items import RawItem
from curator.recipe.schema import Continuity
from curator.scores.continuity import AUTO_MIN, check_continuity
from curator.scores.scorer import Scorer
from curator.scores.sentences import sentence_spans
from curator.scores.store import ScoreStore
from curator.tokens.pack import Segment
from curator.tokens.tokenizer import Tokenizer
from tests.profile.profile_files import FlatEncoder
from tests.toy_tokenizers import save_marked

# Words of four characters and a space: the word number n stands at 5 n.
WORDS = " ".join(["boat"] * 100)


def span(first: int, words: int) -> RandomSpan:
    return RandomSpan(5 * first, 5 * (first + words) - 1, "words", 0.9)


@pytest.mark.parametrize(
    ("random", "windows", "share"),
    [
        ([], [], 0.0),
        ([span(0, 30)], [], 0.3),
        ([span(0, 100)], [Window(0, 499, True)], 1.0),
        # One of two windows looked at is low: half of what is not random.
        ([], [Window(0, 50, True), Window(100, 150, False)], 0.5),
        ([span(50, 50)], [Window(0, 50, True), Window(100, 150, False)], 0.75),
        # Of a low window that is random all over nothing is counted twice.
        ([span(0, 20)], [Window(0, 99, True), Window(100, 499, False)], 0.2),
    ],
)
def test_by_hand(tmp_path: Path, random: list[RandomSpan], windows: list[Window], share: float) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path / "model", "words"))
    assert low_share(WORDS, random, windows, tokenizer) == pytest.approx(share, abs=0.006)


IDS = " ".join(f"{at * 7_919_777_777_777:08x}-2fa1-11d2-883f-0016d3cca{at:03x}"[-36:] for at in range(200, 260))
ASKED = "Which of these identifiers is listed more than once below, and where does it stand for the first time? "
LIST = "\n".join(f"{at}. the harbour master counted the boats" for at in range(1, 33))


@pytest.mark.parametrize(
    "text", [ASKED + IDS, ASKED + ASKED + IDS[:600] + ASKED, ASKED + "\n" + LIST, ASKED, LIST[:400]]
)
def test_as_a_built_set_counts(tmp_path: Path, text: str) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path / "model", "bytes"))
    scorer = Scorer(Continuity(), print, FlatEncoder(), ScoreStore(print, tmp_path))

    def low_windows(segment: Segment) -> list[tuple[int, int]]:
        windows = scorer.score(sentence_spans(segment.text)).windows
        return [
            (one.start, one.end) for one in windows if check_continuity(one.score.flat(), AUTO_MIN) is not None
        ]

    built = LowShares(low_windows, tokenizer)(Segment("p", "p", "a", "en", "", "", [], text, 0))
    (found,) = measure_items([RawItem(1, "a", text, (), "none")], tokenizer, scorer, 8)
    assert found.low_share == pytest.approx(built, abs=0.03)
