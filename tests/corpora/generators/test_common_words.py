import re
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from curator._errors import InputError
from curator.corpora.document import Document
from curator.corpora.generators import generate
from curator.corpora.generators.list_wordings import CWE_CALIBRATION, CWE_HELDOUT
from curator.corpora.generators.word_list import WORDS


def cwe(index: int = 0, tokens: int = 1000, heldout: bool = False, **options: object) -> Document:
    return generate("cwe", seed=5, index=index, tokens_hint=tokens, options=options, heldout=heldout)


def read(document: Document) -> tuple[list[str], list[str]]:
    """The listed words, after checking that they are numbered without a gap, and those of the answer."""
    assert document.messages is not None
    user, assistant = (message.content for message in document.messages)
    opening, listed, question = user.split("\n\n")
    wording = next(one for one in CWE_CALIBRATION + CWE_HELDOUT if one.opening == opening)
    items = [re.fullmatch(r"\W*(\d+)\W+([a-z]+)", line) for line in listed.split("\n")]
    assert [int(item[1]) for item in items if item] == list(range(1, len(items) + 1))
    before, _, after = wording.answer.partition("{words}")
    named = re.findall("[a-z]+", assistant.removeprefix(before).removesuffix(after))
    named.remove("and")
    assert wording.ask(len(named)) == question
    return [item[2] for item in items if item], named


def estimated_tokens(text: str) -> float:
    """Tokens of a usual BPE: digits, marks and line breaks alone, a word 1.35, in prose with its gap 1.1."""
    return sum(
        1.0 if not part[-1].isalpha() else 1.35 if part.strip() in WORDS else 1.1
        for part in re.findall(r" ?[a-zA-Z]+|\d|\n+|[^\w\s]", text)
    )


@given(
    index=st.integers(0, 500),
    tokens=st.integers(462, 9000),
    heldout=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_the_answer_is_what_counting_gives(index: int, tokens: int, heldout: bool) -> None:
    listed, named = read(cwe(index, tokens, heldout))
    ranked = Counter(listed).most_common()
    assert {word for word, _ in ranked[:10]} == set(named)
    assert len(named) == 10
    assert {count for _, count in ranked[:10]} == {6 * ranked[10][1]}
    assert sorted(named, key=listed.index) == named
    # A scorer that looks for substrings cannot be satisfied by another word.
    assert not [word for word, _ in ranked[10:] if any(word in one or one in word for one in named)]


@given(common=st.integers(2, 20), ratio=st.integers(2, 20), more=st.sampled_from((0, 1, 500, 20_000)))
@settings(max_examples=40, deadline=None)
def test_the_least_length_that_is_named_works_for_every_sample(common: int, ratio: int, more: int) -> None:
    with pytest.raises(InputError, match=r"^generate cwe: too short .*; ask for \d+ tokens or more$") as caught:
        cwe(tokens=1, common=common, ratio=ratio)
    least = int(re.findall(r"ask for (\d+)", str(caught.value))[0])
    with pytest.raises(InputError):
        cwe(tokens=least - 1, common=common, ratio=ratio)
    for index in range(3):
        listed, named = read(cwe(index, least + more, common=common, ratio=ratio))
        counts = Counter(listed).most_common()
        assert {word for word, _ in counts[:common]} == set(named)
        assert counts[common - 1][1] == ratio * counts[common][1]


def test_five_hundred_tokens_are_enough_by_default() -> None:
    assert read(cwe(tokens=500))[1]


@pytest.mark.parametrize("tokens", [500, 2000, 8000, 32_000, 130_000])
def test_lengths_follow_the_request(tokens: int) -> None:
    for index in range(2):
        assert estimated_tokens(cwe(index, tokens).text) == pytest.approx(tokens, rel=0.1)


def test_common_words_are_spread_flat_and_differently_each_time() -> None:
    bins = [0] * 10
    patterns = set()
    for index in range(60):
        listed, named = read(cwe(index, 1500))
        places = [place for place, word in enumerate(listed) if word in named]
        patterns.add(tuple(places))
        for place in places:
            bins[10 * place // len(listed)] += 1
    assert len(patterns) == 60
    assert chisquare(bins).pvalue > 0.001, bins


def test_long_lists_repeat_words_more_often_when_the_words_run_out() -> None:
    counts = [Counter(read(cwe(tokens=tokens))[0]) for tokens in (1000, 4000, 32_000, 130_000)]
    times = [sorted(count.values())[len(count) // 2] for count in counts]
    assert times[:2] == [2, 3]
    assert all(shorter < longer for shorter, longer in pairwise(times))
    assert all(len(count) <= len(WORDS) for count in counts)


def test_all_wordings_of_the_own_side_are_used() -> None:
    for heldout, wordings in ((False, CWE_CALIBRATION), (True, CWE_HELDOUT)):
        used = Counter(cwe(index, 500, heldout).text.partition("\n\n")[0] for index in range(60))
        assert set(used) == {wording.opening for wording in wordings}
        assert min(used.values()) >= 8
    assert not {one.question for one in CWE_CALIBRATION} & {one.question for one in CWE_HELDOUT}
    assert not {one.item for one in CWE_CALIBRATION} & {one.item for one in CWE_HELDOUT}


def test_samples_are_low_in_continuity_and_named_apart() -> None:
    document = cwe(3, ratio=4)
    assert document.low_continuity and document.language == "en" and document.task == "cwe"
    assert document.id == "generate:cwe/ratio=4/1000t/seed5#3"
    assert document.unit == "generate:cwe:calibration" and cwe(heldout=True).unit == "generate:cwe:heldout"
    assert len({cwe(index).text for index in range(5)} | {cwe(ratio=4).text, cwe(heldout=True).text}) == 7
    assert cwe(3).text == cwe(3).text


def test_words_are_plain_and_distinct() -> None:
    assert len(set(WORDS)) == len(WORDS) > 1400
    assert all(re.fullmatch("[a-z]{3,12}", word) for word in WORDS)
