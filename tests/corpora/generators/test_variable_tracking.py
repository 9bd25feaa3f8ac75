from __future__ import annotations

import re

import pytest
from generator_solvers import QUOTED, pattern, wording_of

from curator.corpora.generators import generate
from curator.corpora.generators.wordings.variable_tracking import WORDINGS, Wording


def vt(index: int = 0, tokens: int = 3000, **options: object) -> tuple[str, tuple[str, ...]]:
    made = generate("vt", seed=6, index=index, tokens=tokens, options=options)
    assert made.messages is not None
    return made.messages[0].content, made.gold


def statements(text: str, wording: Wording) -> list[tuple[str, str]]:
    """Names, each with its number or the name that it has it from."""
    quoted = QUOTED[wording.language].replace("(", "(?:")
    given = pattern(wording.given, name=quoted, value=r"\d+").finditer(text)
    copied = pattern(wording.copied, name=quoted, other=quoted).finditer(text)
    found = sorted((one.start(), one[1], one[2]) for one in (*given, *copied))
    return [(name[1:-1], source.strip('"“”')) for _, name, source in found]


@pytest.mark.parametrize(("chains", "hops"), [(1, 1), (2, 4), (8, 12)])
def test_chains_and_hops_are_as_many_as_asked(chains: int, hops: int) -> None:
    prompt, gold = vt(tokens=9000, chains=chains, hops=hops)
    wording = wording_of(WORDINGS, prompt)
    _, example, rest = prompt.split("\n\n", 2)
    told = statements(rest, wording)
    assert len(told) == len(dict(told)) == chains * (hops + 1)
    assert len(gold) == hops + 1
    numbers = [source for _, source in told if source.isdigit()]
    assert len(set(numbers)) == chains
    assert not {name for name, _ in statements(example, wording)} & set(dict(told))


def test_chains_are_told_in_between_one_another() -> None:
    mixed = 0
    for index in range(20):
        prompt, gold = vt(index)
        order = [name in gold for name, _ in statements(prompt.split("\n\n", 2)[2], wording_of(WORDINGS, prompt))]
        mixed += len(re.findall("(?:10)", "".join("01"[one] for one in order))) > 1
    assert mixed >= 15


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_worked_example_is_right_and_new_in_every_sample(language: str) -> None:
    seen = set()
    for index in range(8):
        prompt, _ = vt(index, language=language)
        wording = wording_of(WORDINGS, prompt)
        example = prompt.split("\n\n")[1]
        told = statements(example, wording)
        assert [source for _, source in told[1:]] == [name for name, _ in told[:-1]] and told[0][1].isdigit()
        assert wording.reply([name for name, _ in told], told[0][1]) in example
        seen.add(tuple(told))
    assert len(seen) == 8
    assert len(vt(tokens=900)[0].split("\n\n")[1]) != len(example)


def test_no_name_is_said_anywhere_else() -> None:
    for index in range(8):
        prompt, gold = vt(index)
        text = prompt.lower()
        assert all(len(re.findall(rf"(?<!\"){re.escape(name)}", text)) == 0 for name in gold)
