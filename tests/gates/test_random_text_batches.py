"""What is found in a text does not depend on the texts that it is looked at with."""

from __future__ import annotations

import itertools
import random
import uuid

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.corpora.generators.words.english import WORDS
from curator.gates.random_text import find_random_text, find_random_texts
from curator.gates.random_text.hashing import LONGEST
from curator.gates.random_text.model import features, load_model
from curator.gates.random_text.scan import COLUMNS, NARROW, NEIGHBOURS, WIDE, count, read_symbols, scan
from curator.gates.random_text.tables import load_tables

_ALPHABETS = (
    "abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя", "的一是不了在人有我他这中大来上国",
    "0123456789abcdef", "(){}[];=+-_/\n\t ", "かなカナ漢字한글 ", "\u0301\x00\ud800😀 ", "กขคงจฉชซ",
)  # fmt: skip
_PROSE = (
    "The ferry leaves at seven, and whoever comes later waits for the next one on the bench by the office. ",
    "Le bateau part à sept heures ; qui vient plus tard attend le suivant sur le banc devant le guichet. ",
    "渡轮七点开船，晚到的人坐在售票处旁边的长椅上等下一班。",
    "for boat in harbour.boats:\n    if boat.length > longest:\n        longest = boat.length\n",
)


def drawn_texts(number: int, seed: int) -> list[str]:
    """Good text, junk and both in one, of 0 to 4,000 characters."""
    draw = random.Random(seed)
    return ["".join(_part(draw) for _ in range(draw.randrange(6)))[: draw.randrange(4000)] for _ in range(number)]


def _part(draw: random.Random) -> str:
    kind = draw.randrange(5)
    if kind == 0:
        return " ".join("".join(draw.choices(draw.choice(_ALPHABETS), k=draw.randint(1, 12))) for _ in range(40))
    if kind == 1:
        return " ".join(draw.choices(WORDS, k=draw.randrange(150)))
    if kind == 2:
        return "\n".join(str(uuid.UUID(int=draw.getrandbits(128))) for _ in range(draw.randrange(12)))
    return draw.choice(_PROSE) * draw.randrange(12)


def test_any_division_into_batches_finds_the_same() -> None:
    texts = drawn_texts(120, 1)
    alone = [find_random_text(text) for text in texts]
    assert 30 < sum(bool(one.spans) for one in alone) < 110
    draw = random.Random(2)
    for most in (2, 7, 64, len(texts)):
        order = draw.sample(range(len(texts)), len(texts))
        found = []
        rest = [texts[number] for number in order]
        while rest:
            size = draw.randint(1, most)
            found += find_random_texts(rest[:size])
            rest = rest[size:]
        assert found == [alone[number] for number in order]


@settings(max_examples=40)
@given(st.lists(st.text(st.characters(codec=None), max_size=300), max_size=8))
def test_any_texts_are_found_as_alone(texts: list[str]) -> None:
    assert find_random_texts(texts) == [find_random_text(text) for text in texts]


def test_log_odds_are_the_same_to_the_last_bit() -> None:
    tables, model = load_tables(), load_model()
    texts = [text for text in drawn_texts(200, 3) if text]
    for size in (NARROW, WIDE):
        alone = [model.logits(count(read_symbols([text], tables), size), wide=size == WIDE) for text in texts]
        start = 0
        for width in itertools.cycle((1, 2, 3, 5, 8, 13)):
            if start >= len(texts):
                break
            seen = count(read_symbols(texts[start : start + width], tables), size)
            logits = model.logits(seen, wide=size == WIDE)
            for number, (low, high) in enumerate(itertools.pairwise(seen.first.tolist())):
                assert logits[low : high - 1].tobytes() == alone[start + number].tobytes()
            start += width


def test_sums_with_the_weights_are_exact() -> None:
    # Products are whole numbers of 2**-36; roots of shares are below 1, other features below 8.
    model = load_model()
    steps = model.detectors * 2.0**20
    assert np.array_equal(steps, np.rint(steps))
    assert 8 * np.abs(model.detectors).sum(0).max() * 2.0**36 < 2**53


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_columns_that_are_not_carried_along_are_empty(size: int) -> None:
    tables = load_tables()
    for text in filter(None, drawn_texts(40, 4)):
        whole, brief = scan(text, tables, size), count(read_symbols([text], tables), size)
        assert whole.counts.shape[1] == COLUMNS > len(brief.columns)
        assert np.array_equal(whole.counts[:, brief.columns], brief.counts)
        assert whole.counts.sum() == brief.counts.sum()
        assert whole.counts[:, NEIGHBOURS].sum() == len(text) - 1
        assert np.isfinite(features(whole)).all()


def test_texts_of_every_length_are_looked_at_together() -> None:
    junk = " ".join(
        random.Random(5).choices([f"{a}{b}{c}q" for a in "xzqj" for b in "bvkw" for c in "xhgf"], k=90_000)
    )
    texts = [
        "",
        "a",
        _PROSE[0] * 10,
        junk[: 3 * LONGEST],
        "",
        junk[:LONGEST],
        junk[: LONGEST - 1],
        "b\n",
        junk[:100],
    ]
    assert find_random_texts(texts) == [find_random_text(text) for text in texts]
    assert find_random_texts([]) == []
    assert [round(one.share, 1) for one in find_random_texts(texts)] == [0, 0, 0, 1, 0, 1, 1, 0, 1]


def test_a_text_between_junk_stays_good() -> None:
    draw = random.Random(6)
    junk = " ".join("".join(draw.choices("bcdfghjklmnpqrstvwxz", k=7)) for _ in range(60))
    good = _PROSE[0] * 8
    assert [one.share for one in find_random_texts([junk, good, junk])][1] == 0


@pytest.mark.parametrize("size", [NARROW, WIDE])
def test_log_odds_are_rough_below_the_least_only(size: int) -> None:
    tables, model = load_tables(), load_model()
    seen = count(read_symbols([text for text in drawn_texts(30, 4) if text][:15], tables), size)
    exact, rough = (model.logits(seen, wide=size == WIDE, least=least) for least in (-np.inf, -4.0))
    kept = exact >= -4.0
    assert 0 < np.count_nonzero(kept) < len(kept)
    assert rough[kept].tobytes() == exact[kept].tobytes()
    assert (rough[~kept] < -4.0).all()
    assert np.allclose(rough, exact, atol=0.01)
