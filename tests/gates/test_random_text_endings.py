"""Endings of words on end, and how they go together in languages."""

from __future__ import annotations

import random

import numpy as np
import pytest

from curator.gates.random_text.hashing import ENDING_BITS, ending_places, find_endings, find_words
from curator.gates.random_text.scan import ORDER, scan
from curator.gates.random_text.symbols import code_points, letters
from curator.gates.random_text.tables import load_tables

PROSE = {
    "English": "The ferry leaves the harbour at seven in the morning and comes back with the mail when the tide "
    "has turned, so that nobody who lives on the island has to wait for the letters of the day before",
    "German": "Die alten Häuser am kleinen Hafen gehören den Leuten, die im Sommer mit ihren Kindern auf die "
    "Insel kommen und im Winter wieder in der großen Stadt wohnen, in der sie arbeiten",
    "Russian": "Старые дома у маленькой гавани принадлежат людям, которые летом приезжают на остров со своими "
    "детьми и зимой снова живут в большом городе, где они работают",
}


def endings(text: str) -> np.ndarray:
    small = letters()[code_points(text)]
    return find_endings(small, find_words(small))


def order(text: str) -> float:
    return float(scan(text, load_tables(), len(text)).counts[:, ORDER].sum())


def test_endings_are_the_last_letters_whatever_the_case() -> None:
    two, three = endings("Walking TALKING sing ng a")
    assert len(set(two[:4].tolist())) == 1
    # "ng" has no third letter; of "a" the gap is the second.
    assert three[0] == three[1] == three[2] != three[3]
    assert two[4] not in two[:4]


def test_a_word_at_the_start_ends_as_one_in_the_middle() -> None:
    assert endings("at sea").tolist() == endings("go at sea")[:, 1:].tolist()


def test_places_depend_on_the_order_of_two_words_and_lie_in_the_table() -> None:
    first, second = endings("walking boats")[:, :1], endings("walking boats")[:, 1:]
    places, turned = ending_places(first, second), ending_places(second, first)
    assert places.shape == (3, 1)
    assert places.max() < 1 << ENDING_BITS
    assert (places != turned).all()


@pytest.mark.parametrize("language", PROSE)
def test_endings_go_together_in_text_and_not_in_stirred_text(language: str) -> None:
    text = PROSE[language].replace(",", "")
    words = text.split()
    draw = random.Random(1)
    stirred = [order(" ".join(draw.sample(words, len(words)))) for _ in range(20)]
    assert order(text) > max(stirred)


def test_only_words_with_a_space_between_are_looked_at() -> None:
    assert order("the boats\nof the\nharbour") == order("the boats") + order("of the")
    assert order("the,boats,of,the,harbour") == 0
