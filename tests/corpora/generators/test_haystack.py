from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from curator.corpora.generators.budget import rough_count
from curator.corpora.generators.contract import Request
from curator.corpora.generators.haystack import (
    STRATA,
    Haystack,
    depth,
    haystack_around,
    haystack_licence,
    line_haystack,
    open_haystack,
)


def request(index: int = 0, heldout: bool = False, **options: object) -> Request:
    return Request(3, index, 4000, {"language": "en", "haystack": "prose", **options}, heldout, rough_count)


def units() -> Iterator[tuple[str, str]]:
    return (("\n" if number % 2 == 0 else " ", text) for number, text in enumerate(("aaaa", "bb", "cccccc", "dd")))


@pytest.mark.parametrize(
    ("deep", "text"),
    [
        (0.0, "X aaaa bb\ncccccc dd"),
        # 14 characters: aaaa ends at 4, bb at 6, cccccc at 12.
        (1.9 / 14, "X aaaa bb\ncccccc dd"),
        (2.1 / 14, "aaaa X bb\ncccccc dd"),
        (5.1 / 14, "aaaa bb X\ncccccc dd"),
        (0.99, "aaaa bb\ncccccc dd X"),
        (1.0, "aaaa bb\ncccccc dd X"),
    ],
)
def test_things_are_hidden_at_the_nearest_boundary(deep: float, text: str) -> None:
    assert Haystack(units(), " ").hide(4, [(deep, "X")]) == text


def test_things_keep_the_order_of_their_depths() -> None:
    assert Haystack(units(), " ").hide(2, [(0.95, "Y"), (0.1, "W"), (0.9, "X")]) == "W aaaa bb X Y"
    assert Haystack(units(), " ").hide(0, [(0.9, "Y"), (0.1, "X")]) == "X Y"
    assert Haystack(units(), " ").hide(3, []) == "aaaa bb\ncccccc"


def test_a_part_of_the_next_sentence_can_follow() -> None:
    def three() -> Iterator[tuple[str, str]]:
        return ((" ", text) for text in ("One two.", "Three four five.", "Six."))

    assert [Haystack(three(), " ").hide(1, [], words) for words in (0, 1, 2, 3)] == [
        "One two.",
        "One two. Three…",
        "One two. Three four…",
        "One two. Three four five.",
    ]
    # What is hidden stays at the boundaries of whole sentences.
    assert Haystack(three(), " ").hide(1, [(1.0, "X")], 1) == "One two. X Three…"
    assert Haystack(iter([("", "一二。"), ("", "三四。")]), "").hide(1, [], 2) == "一二。三四…"


def test_a_size_gives_the_same_whenever_it_is_asked_for() -> None:
    counter = itertools.count()
    hay = line_haystack(lambda: f"line {next(counter)}")
    assert hay.hide(3, [(0.5, "X")]) == "line 0\nline 1\nX\nline 2"
    longer = hay.hide(9, [])
    assert hay.hide(3, []) == "line 0\nline 1\nline 2" and longer.startswith(hay.hide(3, []))


def test_depths_take_every_stratum_once_a_block_and_differ_by_place_side_and_label() -> None:
    for block, place in ((0, 0), (3, 1)):
        depths = [depth(request(index), "x", place) for index in range(block * STRATA, (block + 1) * STRATA)]
        assert sorted(int(STRATA * one) for one in depths) == list(range(STRATA))
        assert depths != sorted(depths)
    assert (
        len(
            {
                depth(request(7), "x", 0),
                depth(request(7), "x", 1),
                depth(request(7, True), "x", 0),
                depth(request(7), "y", 0),
            }
        )
        == 4
    )


@pytest.mark.parametrize(("language", "space"), [("en", " "), ("zh", "")])
@pytest.mark.parametrize("kind", ["prose", "essays", "repeat"])
def test_each_kind_of_haystack_is_text_that_names_can_be_checked_against(
    kind: str, language: str, space: str
) -> None:
    asked = request(haystack=kind, language=language)
    text = open_haystack(asked, 5).hide(40, [])
    assert text == open_haystack(asked, 5).hide(40, [])
    assert (text != open_haystack(asked, 6).hide(40, [])) == (kind != "repeat")
    around = haystack_around(asked)
    for sentence in text.split("\n\n" if kind != "repeat" else "\n")[1:-1]:
        assert any(sentence.lower() in one for one in around)


def test_licences_are_those_of_the_text() -> None:
    expected = {
        ("en", "prose"): "Python-2.0",
        ("zh", "prose"): "BSD-2-Clause",
        ("en", "essays"): "BSD-2-Clause",
        ("en", "repeat"): "CC0-1.0",
        ("zh", "needles"): "CC0-1.0",
    }
    for (language, kind), licence in expected.items():
        assert haystack_licence({"language": language, "haystack": kind}) == licence
