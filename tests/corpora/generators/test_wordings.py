from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterable

import pytest
from generator_solvers import TABLES

from curator.corpora.generators import generate
from curator.corpora.generators.wordings.listing import listed, numeral
from curator.corpora.generators.wordings.niah import WORDINGS
from curator.corpora.generators.wordings.remarks import REMARKS
from curator.corpora.generators.wordings.repeated import REPEATED

RUN = 13
SIDES = ("calibration", "heldout")


def fields(wording: object) -> dict[str, str]:
    assert dataclasses.is_dataclass(wording) and not isinstance(wording, type)
    return {
        key: value
        for key, value in dataclasses.asdict(wording).items()
        if key not in ("language", "gap") and value and value != "{word}"
    }


def runs(texts: Iterable[str], language: str) -> set[tuple[str, ...]]:
    """Runs of 13 words, or of 13 Chinese characters."""
    found: set[tuple[str, ...]] = set()
    for text in texts:
        units = re.findall(r"\w+" if language == "en" else r"\w", text.lower())
        found.update(zip(*(units[start:] for start in range(RUN)), strict=False))
    return found


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TABLES)
def test_eight_wordings_are_there_and_half_of_them_held_out(name: str, language: str) -> None:
    sides = [[fields(one) for one in TABLES[name][language, side]] for side in SIDES]
    assert [len(side) for side in sides] == [4, 4]
    # Within a side each differs from the others, and nothing of one side is said on the other.
    for key in ("opening", "question", "answer"):
        assert len({one[key] for side in sides for one in side}) == 8, key
    for key in sides[0][0]:
        assert not {one[key] for one in sides[0]} & {one[key] for one in sides[1]}, key
    script = re.compile("[一-鿿]")
    assert all(
        bool(script.search(text)) == (language == "zh")
        for side in sides
        for one in side
        for text in one.values()
        if len(text) > 30
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_sides_share_no_long_run_of_words(language: str) -> None:
    said = {
        side: [text for table in TABLES.values() for one in table[language, side] for text in fields(one).values()]
        + [" ".join(REMARKS[language, side]), " ".join(REPEATED[language, side] * 2)]
        for side in SIDES
    }
    own, other = (runs(said[side], language) for side in SIDES)
    assert len(own) > 50 and not own & other
    assert not set(REMARKS[language, "calibration"]) & set(REMARKS[language, "heldout"])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", TABLES)
def test_whole_samples_of_the_sides_share_no_long_run_of_words(name: str, language: str) -> None:
    haystacks = ("prose", "essays", "repeat") if name in ("niah", "passkey", "vt") else (None,)
    found = [set(), set()]
    for haystack in haystacks:
        options = {"language": language} | ({"haystack": haystack} if haystack else {})
        for side, index in ((side, index) for side in (0, 1) for index in range(4)):
            made = generate(name, seed=4, index=index, tokens=6000, options=options, heldout=bool(side))
            found[side] |= runs([made.text], language)
    assert min(map(len, found)) > 1000 and not found[0] & found[1]


@pytest.mark.parametrize("name", TABLES)
def test_all_wordings_of_the_own_side_come_in_turn(name: str) -> None:
    for language, side in (("en", "calibration"), ("zh", "heldout")):
        texts = [
            generate(
                name,
                seed=9,
                index=index,
                tokens=2500,
                options={"language": language},
                heldout=side == "heldout",
            ).text
            for index in range(8)
        ]
        used = Counter(
            one["opening"]
            for one in map(fields, TABLES[name][language, side])
            for text in texts
            if one["opening"] in text
        )
        assert sorted(used.values()) == [2, 2, 2, 2]


def test_rows_of_words_and_numbers_are_written_as_each_language_does() -> None:
    assert [listed("en", ["a", "b", "c"][:size]) for size in (1, 2, 3)] == ["a", "a and b", "a, b and c"]
    assert [listed("zh", ["甲", "乙", "丙"][:size]) for size in (1, 2, 3)] == ["甲", "甲和乙", "甲、乙和丙"]
    assert [numeral("en", number) for number in (2, 12, 20, 21)] == ["two", "twelve", "twenty", "21"]
    assert [numeral("zh", number) for number in (2, 10, 11, 12, 19, 20, 21)] == [
        "两",
        "十",
        "十一",
        "十二",
        "十九",
        "二十",
        "21",
    ]


def test_several_keys_are_asked_for_in_the_plural() -> None:
    for side in SIDES:
        for wording in WORDINGS["en", side]:
            one, two = wording.ask_for(["a"], 1), wording.ask_for(["a", "b"], 1)
            assert one == wording.question.format(keys='"a"')
            assert two == wording.plural.format(keys='"a" and "b"')
            assert re.search(r"s |are ", wording.plural)


def test_no_remark_says_how_to_answer() -> None:
    # Some questions want the steps, and a remark may stand before any question.
    told = re.compile(r"\b(?:steps?|short|brief|secret)\b|过程|简短|直接|机密", re.I)
    assert not [text for texts in REMARKS.values() for text in texts if told.search(text)]
