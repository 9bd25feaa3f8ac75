from __future__ import annotations

import random
import re
import uuid

import pytest

from curator._errors import InputError
from curator.corpora.generators.names import KINDS, Names, coded_word, draw_uuid
from curator.corpora.generators.words import words


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", [*KINDS, "word", "coded"])
def test_no_name_is_found_in_another(kind: str, language: str) -> None:
    names = Names(random.Random(2), language)
    drawn = [names.draw(kind) for _ in range(500)]
    assert len(set(drawn)) == 500
    # Also not across the border of two names that stand side by side between quotation marks.
    joined = '"' + '" "'.join(drawn) + '"'
    assert all(joined.count(name) == 1 for name in drawn)


@pytest.mark.parametrize(
    ("kind", "language", "shape"),
    [
        ("words", "en", r"[a-z]{3,12}-[a-z]{3,12}"),
        ("words", "zh", "[一-鿿]{4}"),
        ("numbers", "en", r"[1-9]\d{6}"),
        ("uuids", "zh", r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"),
        ("word", "zh", "[一-鿿]{2}"),
        ("coded", "en", "[a-z]{6}"),
    ],
)
def test_names_have_the_shape_of_their_kind(kind: str, language: str, shape: str) -> None:
    names = Names(random.Random(5), language)
    assert all(re.fullmatch(shape, names.draw(kind)) for _ in range(50))


def test_names_are_not_in_the_text_around_nor_in_what_is_guarded() -> None:
    pool = words("en")
    free = set(pool[:200])
    names = Names(random.Random(1), "en", [" ".join(word for word in pool if word not in free)])
    assert {names.draw("word") for _ in range(80)} <= free
    none = Names(random.Random(1), "en", [" ".join(pool)])
    with pytest.raises(InputError, match="no word are left that are not in the text"):
        none.draw("word")
    guard = Names(random.Random(1), "en")
    first = guard.draw("word", guarded=True)
    assert all(first not in guard.draw("words") for _ in range(3000))


def test_uuids_are_version_4_and_come_from_the_generator_given() -> None:
    drawn = [draw_uuid(random.Random(seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    assert {uuid.UUID(one).version for one in drawn} == {4}
    assert coded_word(random.Random(3)) == coded_word(random.Random(3))


@pytest.mark.parametrize(("language", "shape", "least"), [("en", "[a-z]{3,12}", 1300), ("zh", "[一-鿿]{2}", 900)])
def test_words_are_plain_and_none_holds_another(language: str, shape: str, least: int) -> None:
    pool = words(language)
    assert len(set(pool)) == len(pool) > least
    assert all(re.fullmatch(shape, word) for word in pool)
    assert sum(one in other for one in pool for other in pool) == len(pool)
