from __future__ import annotations

import math

import pytest

from curator.scores.lexical import is_english, lexical_cosines, terms, tfidf


def test_words_count_whole_and_by_their_beginning() -> None:
    assert terms("The ferries of 1936, the Ferry") == ["the", "ferries", "ferri-", "of", "1936", "the", "ferry"]


def test_unspaced_scripts_count_by_characters_and_pairs() -> None:
    assert terms("渡轮 late") == ["渡", "轮", "渡轮", "late"]


def test_weights_are_those_of_the_formula_and_single_terms_are_left_out() -> None:
    vectors = tfidf([["pier", "pier", "tea"], ["pier"], ["oven"], []])
    # "pier" alone is in two of four sentences.
    assert vectors[:, 0].tolist() == pytest.approx([(1 + math.log(2)) * math.log(2), math.log(2), 0, 0])
    assert vectors.shape == (4, 1)


def test_sentences_with_no_word_in_common_have_cosine_zero() -> None:
    alike = lexical_cosines(["The pump broke.", "A new pump came.", "Bread was short.", "..."])
    assert alike[0, 1] == pytest.approx(1)
    assert alike[0, 2] == alike[3, 0] == alike[3, 3] == 0


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("The captain says that he could do it with his eyes shut, but nobody has asked him to.", True),
        ("Run the command as root and wait for it to finish.", True),
        ("Der Kapitän sagt, dass er es mit geschlossenen Augen könnte, aber niemand hat ihn gebeten.", False),
        ("El capitán dice que podría hacerlo con los ojos cerrados, pero nadie se lo ha pedido.", False),
        ("船长说他闭着眼睛也能做到，但没有人要求他这样做。", False),
        ("8f2c-11aa 99d0 zzxq wvut", False),
        ("Het schip was te laat, en de kapitein is van de wal gevallen.", False),
        ("", False),
    ],
)
def test_english_is_told_by_its_common_words(text: str, english: bool) -> None:
    assert is_english([text]) is english


def test_english_is_told_beside_four_times_as_much_junk_but_not_beside_chinese() -> None:
    english = ["The captain says that he could do it with his eyes shut."]
    junk = ["9f8a7b 66c1d2e 0a0b0c 1234abc", "zxqw vbnm plok", "ab12 cd34", "/usr/x/y9"]
    assert is_english(english + junk)
    assert not is_english(junk)
    assert not is_english(english + junk * 3)
    assert not is_english([*english, "船长说他闭着眼睛也能做到，但没有人要求他这样做，所以他每天都很小心。"])
