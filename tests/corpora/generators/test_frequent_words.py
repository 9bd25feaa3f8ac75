from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise

import pytest
from generator_solvers import list_of, wording_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import zeta
from scipy.stats import chisquare

from curator._errors import InputError
from curator.corpora.document import Document
from curator.corpora.generators import generate
from curator.corpora.generators.frequent_words import _raised
from curator.corpora.generators.wordings.frequent_words import WORDINGS
from curator.corpora.generators.words import words


def fwe(index: int = 0, tokens: int = 1000, heldout: bool = False, **options: object) -> Document:
    return generate("fwe", seed=5, index=index, tokens=tokens, options=options, heldout=heldout)


def read(document: Document) -> list[str]:
    """The words of the stream."""
    assert document.messages is not None
    prompt = document.messages[0].content
    return list_of(prompt, wording_of(WORDINGS, prompt))


@given(
    index=st.integers(0, 500),
    tokens=st.integers(1500, 9000),
    alpha=st.floats(1.1, 3.5),
    heldout=st.booleans(),
    vocabulary=st.sampled_from(("words", "coded")),
    language=st.sampled_from(("en", "zh")),
)
@settings(max_examples=80)
def test_no_two_of_the_asked_ranks_tie(
    index: int, tokens: int, alpha: float, heldout: bool, vocabulary: str, language: str
) -> None:
    made = fwe(index, tokens, heldout, alpha=alpha, vocabulary=vocabulary, language=language)
    ranked = Counter(read(made)).most_common()
    assert tuple(word for word, _ in ranked[:3]) == made.gold
    first, second, third, fourth = (count for _, count in ranked[:4])
    assert first > second > third > fourth >= 1
    if vocabulary == "coded":
        assert all(re.fullmatch("[a-z]{6}", word) for word, _ in ranked)
    else:
        assert {word for word, _ in ranked} <= set(words(language))


@given(top=st.integers(2, 10), alpha=st.floats(1.1, 3.5), more=st.integers(0, 300))
@settings(max_examples=15)
def test_the_least_length_that_is_named_works(top: int, alpha: float, more: int) -> None:
    with pytest.raises(InputError, match=r"^generate fwe: 1 tokens are too few .*; ask for \d+ tokens") as caught:
        fwe(tokens=1, top=top, alpha=alpha)
    least = int(re.findall(r"ask for (\d+)", str(caught.value))[0])
    counts = [count for _, count in Counter(read(fwe(more, least + more, top=top, alpha=alpha))).most_common()]
    assert len(set(counts[: top + 1])) == top + 1


@pytest.mark.parametrize("vocabulary", ["words", "coded"])
@pytest.mark.parametrize("alpha", [1.1, 1.5, 2.0, 3.0])
def test_counts_fall_off_as_the_zeta_distribution(alpha: float, vocabulary: str) -> None:
    listed = read(fwe(tokens=30_000, alpha=alpha, vocabulary=vocabulary))
    for rank, (_, count) in enumerate(Counter(listed).most_common(6), start=1):
        assert count == pytest.approx(len(listed) * rank**-alpha / zeta(alpha), abs=1.01)


@given(
    counts=st.lists(st.integers(1, 60), min_size=1, max_size=30).map(lambda one: sorted(one, reverse=True)),
    left=st.integers(0, 200),
)
@settings(max_examples=200)
def test_what_is_left_goes_to_the_rarest(counts: list[int], left: int) -> None:
    raised = _raised(counts, left)
    # The same, one by one: each further occurrence to the rarest word.
    expected = list(counts)
    for _ in range(left):
        expected[expected.index(min(expected))] += 1
    assert sorted(raised, reverse=True) == sorted(expected, reverse=True)
    assert all(one >= other for one, other in pairwise(raised))


def test_words_are_spread_flat_and_differently_each_time() -> None:
    bins = [0] * 10
    patterns = set()
    for index in range(100):
        made = fwe(index, 1200)
        listed = read(made)
        places = [place for place, word in enumerate(listed) if word == made.gold[1]]
        patterns.add(tuple(places))
        for place in places:
            bins[10 * place // len(listed)] += 1
    assert len(patterns) == 100
    assert chisquare(bins).pvalue > 0.001, bins


def test_samples_are_low_in_continuity_and_named_apart() -> None:
    document = fwe(3, alpha=2)
    assert document.low_continuity and document.language == "en" and document.task == "fwe"
    assert document.id == "generate:fwe/alpha=2.0/1000t/seed5#3"
    assert len({fwe(index).text for index in range(5)} | {fwe(alpha=2).text, fwe(heldout=True).text}) == 7
    assert fwe(3, alpha=2) == fwe(3, alpha=2.0)
