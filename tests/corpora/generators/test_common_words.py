from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from generator_solvers import asked_of, list_of, wording_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from curator.corpora.document import Document
from curator.corpora.generators import generate
from curator.corpora.generators.wordings.common_words import WORDINGS
from curator.corpora.generators.wordings.list_wording import ListWording
from curator.corpora.generators.words import words


def cwe(index: int = 0, tokens: int = 1000, heldout: bool = False, **options: object) -> Document:
    return generate("cwe", seed=5, index=index, tokens=tokens, options=options, heldout=heldout)


def read(document: Document) -> tuple[str, ListWording, list[str]]:
    """The prompt, its wording and the listed words."""
    assert document.messages is not None
    prompt = document.messages[0].content
    wording = wording_of(WORDINGS, prompt)
    return prompt, wording, list_of(prompt, wording)


@given(
    common=st.integers(2, 20),
    ratio=st.integers(2, 20),
    index=st.integers(0, 500),
    heldout=st.booleans(),
    language=st.sampled_from(("en", "zh")),
)
@settings(max_examples=60)
def test_counts_and_the_question_come_from_the_settings(
    common: int, ratio: int, index: int, heldout: bool, language: str
) -> None:
    made = cwe(index, 6000, heldout, common=common, ratio=ratio, language=language)
    prompt, wording, listed = read(made)
    assert asked_of(prompt.split("\n\n")[-1], wording) == len(made.gold) == common
    counts = Counter(listed)
    asked = {counts.pop(word) for word in made.gold}
    # One count for all that is asked for, so many times that of any other word.
    assert asked == {ratio * max(counts.values())}
    assert sorted(made.gold, key=listed.index) == list(made.gold)
    # A scorer that looks for substrings cannot be satisfied by another word, or by the question.
    beside = [*counts, prompt.split("\n\n")[0], prompt.split("\n\n")[-1], wording.answer]
    assert not [text for text in beside if any(gold in text for gold in made.gold)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_worked_example_is_right_and_new_in_every_sample(language: str) -> None:
    seen = set()
    for index in range(8):
        prompt, wording, _ = read(cwe(index, 3000, language=language))
        example = prompt.split("\n\n")[1]
        before, between, after = wording.example.replace("{answer}", "{items}").split("{items}")
        items, answer = example.removeprefix(before).removesuffix(after).split(between)
        comma = ", " if language == "en" else "，"
        listed = list_of(f"\n\n{wording.gap.join(items.split(comma))}\n\n", wording)
        top = [word for word, count in Counter(listed).items() if count == 2]
        assert answer == wording.reply(top) and len(top) == 2
        seen.add(tuple(listed))
    assert len(seen) == 8


def test_five_hundred_tokens_have_no_example() -> None:
    prompt, wording, listed = read(cwe(tokens=500))
    assert len(prompt.split("\n\n")) == 3 and len(listed) >= 62 and wording.example


def test_common_words_are_spread_flat_and_differently_each_time() -> None:
    bins = [0] * 10
    patterns = set()
    for index in range(60):
        made = cwe(index, 1500)
        listed = read(made)[2]
        places = [place for place, word in enumerate(listed) if word in made.gold]
        patterns.add(tuple(places))
        for place in places:
            bins[10 * place // len(listed)] += 1
    assert len(patterns) == 60
    assert chisquare(bins).pvalue > 0.001, bins


def test_long_lists_repeat_words_more_often_when_the_words_run_out() -> None:
    counts = [Counter(read(cwe(tokens=tokens))[2]) for tokens in (1000, 4000, 32_000, 130_000)]
    times = [sorted(count.values())[len(count) // 2] for count in counts]
    assert times[:2] == [3, 3]
    assert all(shorter < longer for shorter, longer in pairwise(times[1:]))
    assert all(set(count) <= set(words("en")) for count in counts)


def test_samples_are_low_in_continuity_and_named_apart() -> None:
    document = cwe(3, ratio=4)
    assert document.low_continuity and document.language == "en" and document.task == "cwe"
    assert document.id == "generate:cwe/ratio=4/1000t/seed5#3"
    assert document.unit == "generate:cwe:calibration" and cwe(heldout=True).unit == "generate:cwe:heldout"
    assert cwe(3, language="zh").id == "generate:cwe/language=zh/1000t/seed5#3"
    assert cwe(3, language="zh").language == "zh"
