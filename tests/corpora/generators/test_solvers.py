"""Every generator: the answer is found in the prompt alone, in one way, whatever the options."""

from __future__ import annotations

import itertools

import pytest
from generator_solvers import solve
from scipy.stats import chisquare

from curator.corpora.document import Document
from curator.corpora.generators import GENERATORS, generate

CASES = [
    *(
        ("niah", {"needles": needles, "keys": keys, "haystack": haystack, **shape})
        for needles, keys, haystack, shape in [
            ("words", "words", "prose", {}),
            ("words", "words", "prose", {"count": 1}),
            ("words", "words", "prose", {"count": 40, "ask": 7}),
            ("numbers", "words", "prose", {"ask": 4}),
            ("words", "words", "prose", {"values": 4, "ask": 2}),
            ("uuids", "words", "repeat", {"count": 2}),
            ("words", "numbers", "essays", {"count": 2, "values": 8}),
            ("numbers", "words", "needles", {"ask": 2}),
            ("words", "words", "needles", {"values": 2}),
            ("uuids", "uuids", "needles", {}),
            ("numbers", "uuids", "repeat", {"ask": 3}),
        ]
    ),
    *(("vt", options) for options in ({}, {"chains": 1}, {"chains": 8, "hops": 12}, {"names": "coded"})),
    *(("vt", {"haystack": haystack}) for haystack in ("repeat", "essays")),
    *(("cwe", options) for options in ({}, {"common": 2}, {"common": 20}, {"common": 3, "ratio": 2})),
    *(
        ("fwe", {"vocabulary": vocabulary, **options})
        for vocabulary in ("words", "coded")
        for options in ({}, {"top": 10, "alpha": 1.1}, {"alpha": 3.5, "top": 2})
    ),
    *(("passkey", {"needles": needles}) for needles in ("words", "numbers", "uuids")),
    *(("passkey", {"haystack": haystack}) for haystack in ("repeat", "essays")),
    *(
        ("kv", {"needles": needles, "keys": keys, "ask": ask})
        for needles, keys, ask in (("words", "words", 1), ("numbers", "numbers", 3), ("uuids", "uuids", 10))
    ),
]


def turns(document: Document) -> tuple[str, str]:
    assert document.messages is not None
    user, assistant = document.messages
    assert (user.role, assistant.role) == ("user", "assistant")
    return user.content, assistant.content


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_the_prompt_alone_gives_the_gold(name: str, options: dict[str, object], language: str) -> None:
    for index, heldout in itertools.product(range(8), (False, True)):
        # From about the least length to one with everything.
        tokens = 5000 + 900 * index
        made = generate(
            name, seed=3, index=index, tokens=tokens, options={**options, "language": language}, heldout=heldout
        )
        prompt, answer = turns(made)
        assert made.language == language
        assert solve(name, prompt) == made.gold
        # The answer turn tells all of it in the order of the gold, and is a sentence.
        places = [answer.index(gold) for gold in made.gold]
        assert places == sorted(places)
        assert answer.endswith("." if language == "en" else "。") and len(answer) > sum(map(len, made.gold)) + 5


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["niah", "passkey", "kv", "vt"])
def test_nothing_else_in_the_prompt_has_the_gold_in_it(name: str, language: str) -> None:
    times = {"niah": 1, "passkey": 2, "kv": 1}
    for index in range(20):
        made = generate(name, seed=8, index=index, tokens=3000, options={"language": language})
        prompt, _ = turns(made)
        for gold in made.gold:
            # A name of a chain is said once when it gets its number, and once more when it is copied.
            assert prompt.lower().count(gold) == times.get(name, 1 if gold == made.gold[-1] else 2)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("niah", {}),
        ("niah", {"haystack": "needles", "ask": 2, "values": 2}),
        ("niah", {"haystack": "repeat", "language": "zh", "ask": 2}),
        ("passkey", {}),
        ("passkey", {"haystack": "repeat"}),
        ("kv", {}),
        ("kv", {"ask": 3, "needles": "uuids"}),
        ("vt", {"haystack": "repeat"}),
        ("vt", {}),
    ],
    ids=str,
)
def test_what_is_asked_for_stands_anywhere(name: str, options: dict[str, object]) -> None:
    bins = [0] * 10
    for index in range(200):
        made = generate(name, seed=5, index=index, tokens=4000, options=options)
        prompt, _ = turns(made)
        start = prompt.index("\n\n") + 2
        text = prompt[start : prompt.rindex("\n\n")]
        for gold in made.gold:
            bins[min(9, 10 * text.index(gold) // len(text))] += 1
    assert chisquare(bins).pvalue > 0.001, bins


@pytest.mark.parametrize("name", sorted({name for name, _ in CASES}))
def test_a_sample_needs_none_before_it_and_differs_from_all(name: str) -> None:
    made = [generate(name, seed=5, index=index, tokens=2500, options={}) for index in (4, 0, 4, 1)]
    assert made[0] == made[2]
    assert len({one.text for one in made}) == len({one.id for one in made}) == 3


def test_every_generator_with_an_answer_is_covered() -> None:
    own = {name for name, one in GENERATORS.items() if "language" in one.choices} - {"random-words", "qa", "mcq"}
    assert own == {name for name, _ in CASES}
    for name in own:
        options = {(key, value) for one, given in CASES if one == name for key, value in given.items()}
        for key, choices in GENERATORS[name].choices.items():
            if isinstance(choices, tuple) and key != "language":
                default = {(key, GENERATORS[name].defaults[key])}
                assert {(key, choice) for choice in choices} <= options | default, (name, key)
