from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from toy_tokenizers import save_tokenizer

from curator._errors import InputError
from curator._seed import stable_hash
from curator.corpora.document import Message
from curator.corpora.generators import GENERATORS, generate
from curator.corpora.generators.budget import _fewest, fit, rough_count
from curator.corpora.generators.contract import Draft, Request, Sample
from curator.corpora.generators.wordings.remarks import REMARKS
from curator.tokens.tokenizer import Tokenizer

Content = str | tuple[Message, ...]
NAMES = ("cwe", "fwe", "kv", "niah", "passkey", "random-words", "uuid", "vt")
TEMPLATE = "{% for m in messages %}<s>{{ m['role'] }}: {{ m['content'] }}</s>{% endfor %}"
# What an ordinary tokenizer would join, so that the toy has tokens of many lengths.
MERGES = [
    ("t", "h"),
    ("th", "e"),
    ("Ġ", "the"),
    ("Ġ", "a"),
    ("i", "n"),
    ("o", "r"),
    ("e", "r"),
    ("Ġ", "o"),
    ("s", "."),
]


def whole(content: Content) -> str:
    return content if isinstance(content, str) else "".join(f"<{one.role}>{one.content}<end>" for one in content)


def word_count(content: Content) -> int:
    """Every word, mark and line break is a token, and Chinese goes by the character."""
    return len(re.findall(r"[a-zA-Z]+|\d|[^\sa-zA-Z\d]|\n", whole(content)))


def uneven_count(content: Content) -> int:
    """Of one to five tokens a word, and some more or fewer for the whole: adding text may take tokens away."""
    words = re.findall(r"[a-z]+|\W|\w", whole(content))
    return sum(1 + stable_hash(word) % 5 for word in words) + stable_hash(len(words)) % 7


@pytest.fixture(scope="module")
def byte_count(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Content], int]:
    folder = save_tokenizer(tmp_path_factory.mktemp("toy"), template=TEMPLATE, merges=MERGES)
    return counter(Tokenizer(folder))


def counter(tokenizer: Tokenizer) -> Callable[[Content], int]:
    return lambda content: len(
        tokenizer.encode(content) if isinstance(content, str) else tokenizer.encode_chat(content)
    )


def used(name: str, tokens: int, counted: Callable[[Content], int], index: int = 0, **options: object) -> float:
    if name == "uuid":
        options = {}
    made = generate(name, seed=2, index=index, tokens=tokens, options=options, count=counted)
    return counted(made.text if made.messages is None else made.messages) / tokens


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", ["rough", "word", "uneven", "bytes"])
def test_the_budget_is_used_and_never_exceeded(
    kind: str, name: str, language: str, byte_count: Callable[[Content], int]
) -> None:
    counts = {"rough": rough_count, "word": word_count, "uneven": uneven_count, "bytes": byte_count}
    for index, tokens in enumerate((2048, 3333, 5000)):
        # A byte has a third of a Chinese character.
        share = used(name, tokens * (4 if kind == "bytes" else 2), counts[kind], index, language=language)
        assert 0.98 <= share <= 1, tokens


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("niah", {"haystack": "needles", "needles": "uuids", "keys": "uuids", "count": 1}),
        ("niah", {"haystack": "essays", "count": 1, "values": 3}),
        ("kv", {"needles": "uuids", "keys": "uuids"}),
        ("passkey", {"needles": "uuids"}),
        ("vt", {"names": "coded", "chains": 1, "hops": 2}),
        ("fwe", {"vocabulary": "coded"}),
        ("uuid", {}),
    ],
    ids=str,
)
def test_long_steps_are_filled_up_in_short_samples(name: str, options: dict[str, object]) -> None:
    for index, tokens in enumerate((700, 712, 755, 800, 907)):
        assert 0.98 <= used(name, tokens, word_count, index, **options) <= 1, tokens


@pytest.mark.parametrize("name", NAMES)
def test_long_samples_work(name: str) -> None:
    assert 0.98 <= used(name, 131_072, rough_count) <= 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["cwe", "fwe", "kv", "niah", "passkey", "vt"])
def test_the_least_length_that_is_named_works_for_every_sample(name: str, language: str) -> None:
    with pytest.raises(InputError, match=r"too few for these options; ask for \d+ tokens or more$") as caught:
        used(name, 1, word_count, language=language)
    least = int(re.findall(r"ask for (\d+)", str(caught.value))[0])
    for index in range(12):
        with pytest.raises(InputError, match=f"ask for {least} tokens or more"):
            used(name, least - 1, word_count, index, language=language)
        assert 0.95 <= used(name, least, word_count, index, language=language) <= 1


def test_a_tokenizer_without_tokens_for_a_text_ends_the_search() -> None:
    for name in NAMES:
        with pytest.raises(InputError, match="this tokenizer has no tokens for it"):
            used(name, 300, lambda _: 3)


def test_few_tokenisations_are_made() -> None:
    calls = 0

    def count(content: Content) -> int:
        nonlocal calls
        calls += isinstance(content, tuple)
        return word_count(content)

    for name in NAMES:
        used(name, 16_000, count)
    assert calls <= 5 * len(NAMES)


def request(tokens: int) -> Request:
    return Request(1, 0, tokens, {"language": "en"}, False, word_count)


def words(size: int) -> Sample:
    return Sample(messages=(Message("user", "go " * size), Message("assistant", "on")))


def test_material_that_ends_is_told_or_the_sample_is_short() -> None:
    # The marks of both turns have 12 tokens, and the answer has one.
    assert word_count(words(10).content) == 12 + 1 + 10
    with pytest.raises(
        InputError, match="generate x: 500 tokens asked, 23 made: its material ends there; ask for 23"
    ):
        fit("x", request(500), Draft(words, 1, most=10), lambda: 12)
    short = fit("x", request(500), Draft(words, 1, most=10, may_be_short=True), lambda: 12)
    assert short == words(10)
    assert fit("x", request(23), Draft(words, 1, most=10), lambda: 12) == words(10)


def test_a_floor_above_the_own_least_size_holds_for_all() -> None:
    with pytest.raises(InputError, match="ask for 26 tokens or more"):
        fit("x", request(25), Draft(words, 1), lambda: 26)
    # All of 26 tokens are used: 25 would be 96 %.
    assert fit("x", request(26), Draft(words, 1), lambda: 26) == words(13)


def test_a_step_too_long_is_filled_with_remarks() -> None:
    def chunks(size: int) -> Sample:
        return words(100 * size)

    made = fit("x", request(290), Draft(chunks, 1), lambda: 111)
    assert made.messages is not None
    remarks, _, question = made.messages[0].content.partition("\n\n")
    assert question == "go " * 200
    assert remarks.endswith((".", "?")) and 0.98 * 290 <= word_count(made.content) <= 290


def test_few_remarks_are_taken_and_none_where_a_step_can_be_divided() -> None:
    for index in range(20):
        for name, most in (("niah", 0), ("passkey", 0), ("kv", 3)):
            made = generate(name, seed=6, index=index, tokens=600, options={})
            assert made.messages is not None
            said = made.messages[0].content.split("\n\n")[0]
            assert sum(remark in said for remark in REMARKS["en", "calibration"]) <= most


def test_the_fewest_of_a_sum_are_found() -> None:
    costs = [2, 3, 5, 9, 30]
    assert _fewest(costs, 9, 10) == (3,)
    assert sorted(_fewest(costs, 12, 12)) == [1, 3]
    assert _fewest(costs, 4, 4) == (1,)
    assert _fewest(costs, 1, 1) == ()


def test_a_step_is_divided_before_anything_is_said() -> None:
    def chunks(size: int, more: int = 0) -> Sample:
        return words(100 * size + more)

    assert fit("x", request(290), Draft(chunks, 1, finer=chunks), lambda: 111) == words(274)


def test_the_rough_count_knows_both_scripts() -> None:
    assert rough_count("four") == 1
    assert rough_count("fours") == 2
    assert rough_count("四个字。") == 4
    assert rough_count((Message("user", "abcd"), Message("assistant", "四四"))) == 3
    assert rough_count("\ud800") == 1


@cache
def real_tokenizer() -> Tokenizer:
    from curator.models.embedded import SMOLLM2, materialise

    return Tokenizer(Path(materialise(SMOLLM2)))


@pytest.mark.model
@pytest.mark.parametrize("name", sorted(GENERATORS))
def test_a_real_tokenizer_is_met_too(name: str) -> None:
    count = counter(real_tokenizer())
    for index, tokens in enumerate((600, 1024, 4096, 9000)):
        assert (0 if name == "mcq" else 0.98) <= used(name, tokens, count, index) <= 1, tokens


@pytest.mark.parametrize(("name", "options"), [("vt", {"chains": 8, "hops": 12}), ("cwe", {"ratio": 20})])
def test_the_least_that_is_told_is_enough_where_it_leaves_room_for_an_example(name: str, options: dict) -> None:
    def characters(content: Content) -> int:
        return len(whole(content))

    with pytest.raises(InputError, match="ask for") as caught:
        generate(name, seed=5, index=7, tokens=300, options=options, count=characters)
    least = int(re.findall(r"ask for (\d+) tokens", str(caught.value))[0])
    assert least > 2048
    document = generate(name, seed=5, index=7, tokens=least, options=options, count=characters)
    assert document.messages
    assert 0.98 * least <= characters(document.messages) <= least


@pytest.mark.parametrize("index", range(6))
def test_a_count_that_adds_to_every_text_wastes_nothing(index: int) -> None:
    def count(content: Content) -> int:
        return 30 + len(re.findall(r"\w+|[^\w\s]", whole(content)))

    options = {"haystack": "needles", "keys": "uuids"}
    document = generate("niah", seed=5, index=index, tokens=300, options=options, count=count)
    assert document.messages
    assert 294 <= count(document.messages) <= 300
