"""Requests at the edges: huge seeds, budgets that hold hardly a sentence, tokenizers of every make."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from toy_tokenizers import save_marked

from curator._errors import InputError
from curator.corpora.document import Document, Message
from curator.corpora.generators import GENERATORS, generate, least_tokens
from curator.corpora.generators.budget import rough_count
from curator.tokens.tokenizer import Tokenizer

Content = str | tuple[Message, ...]
CELLS = [
    (name, {"language": language} if language else {})
    for name, generator in GENERATORS.items()
    for language in generator.choices.get("language", ("",))  # type: ignore[union-attr]
]
# Where words are told by spaces, a line without one is a token; where no bytes stand for what is not in the
# vocabulary, Chinese is.
BLIND = {"words": {"uuid", "zh"}, "metaspace": {"zh"}, "lowercase": {"zh"}, "prepend": {"en"}}


def content(made: Document) -> Content:
    return made.text if made.messages is None else made.messages


def test_no_bit_of_a_seed_is_lost() -> None:
    seeds = [1, 2**32 + 1, 2**63 + 1, 2**64 + 1, 2**200 + 1]
    for name in GENERATORS:
        made = [generate(name, seed=seed, index=0, tokens=900, options={}) for seed in seeds]
        assert len({repr(content(one)) for one in made}) == len(seeds), name
        assert made[-1] == generate(name, seed=seeds[-1], index=0, tokens=900, options={})


@pytest.mark.parametrize("tokens", [16, 24, 33, 47, 64])
def test_a_budget_of_a_few_words_is_met_or_refused_with_the_least_that_works(tokens: int) -> None:
    for name, options in CELLS:
        least = least_tokens(name, tokens=tokens, options=options)
        try:
            made = generate(name, seed=3, index=tokens, tokens=tokens, options=options)
        except InputError as error:
            told = re.search(r"too few for these options; ask for (\d+) tokens or more$", str(error))
            # Problems and passages are of many lengths: this one may be longer than most.
            assert told and tokens < least <= int(told[1]), name
            least = int(told[1])
            made, room = generate(name, seed=3, index=tokens, tokens=least, options=options), least
        else:
            assert least <= tokens, name
            room = tokens
        assert 0 < rough_count(content(made)) <= room, name


@pytest.mark.parametrize("kind", ["metaspace", "prepend", "words", "lowercase"])
def test_budgets_hold_for_tokenizers_of_every_make(kind: str, tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, kind))

    def count(asked: Content) -> int:
        return len(tokenizer.encode(asked) if isinstance(asked, str) else tokenizer.encode_chat(asked))

    for name, options in CELLS:
        # A problem is as long as it is.
        if name == "mcq" or not BLIND[kind].isdisjoint((name, options.get("language"))):
            continue
        least = least_tokens(name, tokens=2500, options=options, count=count)
        tokens = max(2500, least + 500)
        used = count(content(generate(name, seed=5, index=2, tokens=tokens, options=options, count=count)))
        assert 0.98 * tokens <= used <= tokens, name


def test_the_least_length_is_looked_for_once() -> None:
    counted: list[Content] = []

    def count(asked: Content) -> int:
        counted.append(asked)
        return rough_count(asked)

    least = least_tokens("cwe", tokens=512, options={"common": 5}, count=count)
    assert counted
    counted.clear()
    assert least_tokens("cwe", tokens=512, options={"common": 5}, count=count) == least
    assert counted == []
    # Other options are other samples.
    assert least_tokens("cwe", tokens=512, options={"common": 9}, count=count) > least
