import re
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import zeta
from scipy.stats import chisquare

from curator._errors import InputError
from curator.corpora.document import Document
from curator.corpora.generators import generate
from curator.corpora.generators.list_wordings import FWE_CALIBRATION, FWE_HELDOUT


def fwe(index: int = 0, tokens: int = 1000, heldout: bool = False, **options: object) -> Document:
    return generate("fwe", seed=5, index=index, tokens_hint=tokens, options=options, heldout=heldout)


def read(document: Document) -> tuple[list[str], list[str]]:
    """The words of the stream, and those of the answer in its order."""
    assert document.messages is not None
    user, assistant = (message.content for message in document.messages)
    opening, stream, question = user.split("\n\n")
    wording = next(one for one in FWE_CALIBRATION + FWE_HELDOUT if one.opening == opening)
    words = stream.split(wording.gap)
    named = [word for word in re.findall("[a-z]+", assistant) if word in set(words)]
    assert wording.ask(len(named)) == question
    return words, named


@given(
    index=st.integers(0, 500),
    tokens=st.integers(800, 9000),
    alpha=st.floats(1.1, 3.5),
    heldout=st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_the_answer_is_what_counting_gives(index: int, tokens: int, alpha: float, heldout: bool) -> None:
    words, named = read(fwe(index, tokens, heldout, alpha=alpha))
    ranked = Counter(words).most_common()
    assert [word for word, _ in ranked[:3]] == named
    first, second, third, fourth = (count for _, count in ranked[:4])
    assert first > second > third > fourth >= 1
    assert all(re.fullmatch("[a-z]{6}", word) for word in words)


@given(top=st.integers(2, 10), alpha=st.floats(1.1, 3.5), more=st.integers(0, 300))
@settings(max_examples=40, deadline=None)
def test_the_least_length_that_is_named_works_for_every_sample(top: int, alpha: float, more: int) -> None:
    with pytest.raises(InputError, match=r"^generate fwe: too short .*; ask for \d+ tokens or more$") as caught:
        fwe(tokens=1, top=top, alpha=alpha)
    least = int(re.findall(r"ask for (\d+)", str(caught.value))[0])
    with pytest.raises(InputError):
        fwe(tokens=least - 1, top=top, alpha=alpha)
    words, named = read(fwe(more, least + more, top=top, alpha=alpha))
    ranked = Counter(words).most_common()
    assert [word for word, _ in ranked[:top]] == named
    counts = [count for _, count in ranked[: top + 1]]
    assert len(set(counts)) == top + 1


@pytest.mark.parametrize("alpha", [1.5, 2.0, 3.0])
def test_counts_fall_off_as_the_zeta_distribution(alpha: float) -> None:
    words, _ = read(fwe(tokens=30_000, alpha=alpha))
    for rank, (_, count) in enumerate(Counter(words).most_common(6), start=1):
        assert count == pytest.approx(len(words) * rank**-alpha / zeta(alpha), abs=1.01)


@pytest.mark.parametrize("tokens", [500, 2000, 8000, 32_000, 130_000])
def test_lengths_follow_the_request(tokens: int) -> None:
    for index in range(6):
        document = fwe(index, tokens)
        words, _ = read(document)
        # On average such a word has 3.9 tokens with a space before it, and 4.8 with a line break.
        usual = 4.8 if f"\n{words[1]}\n" in document.text else 3.9
        assert 0.85 * tokens < usual * len(words) + 60 < tokens


def test_words_are_spread_flat_and_differently_each_time() -> None:
    bins = [0] * 10
    patterns = set()
    for index in range(100):
        words, named = read(fwe(index, 1200))
        places = [place for place, word in enumerate(words) if word == named[1]]
        patterns.add(tuple(places))
        for place in places:
            bins[10 * place // len(words)] += 1
    assert len(patterns) == 100
    assert chisquare(bins).pvalue > 0.001, bins


def test_all_wordings_of_the_own_side_are_used() -> None:
    for heldout, wordings in ((False, FWE_CALIBRATION), (True, FWE_HELDOUT)):
        used = Counter(fwe(index, 400, heldout).text.partition("\n\n")[0] for index in range(60))
        assert set(used) == {wording.opening for wording in wordings}
        assert min(used.values()) >= 8
    assert not {one.question for one in FWE_CALIBRATION} & {one.question for one in FWE_HELDOUT}


def test_samples_are_low_in_continuity_and_named_apart() -> None:
    document = fwe(3, alpha=2)
    assert document.low_continuity and document.language == "en" and document.task == "fwe"
    assert document.id == "generate:fwe/alpha=2.0/1000t/seed5#3"
    assert len({fwe(index).text for index in range(5)} | {fwe(alpha=2).text, fwe(heldout=True).text}) == 7
    assert fwe(3).text == fwe(3).text
    assert fwe(3, alpha=2) == fwe(3, alpha=2.0)
