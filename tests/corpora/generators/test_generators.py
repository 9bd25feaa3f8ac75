import os
import re
import subprocess
import sys
import uuid

import pytest

from curator._errors import InputError
from curator.corpora.document import Document
from curator.corpora.generators import GENERATORS, generate
from curator.corpora.generators.haystack import compounds, prose, words
from curator.corpora.generators.niah import STRATA
from curator.corpora.generators.niah_wordings import CALIBRATION, HELDOUT


def niah(index: int = 0, tokens: int = 500, heldout: bool = False, **options: object) -> Document:
    return generate("niah", seed=7, index=index, tokens_hint=tokens, options=options, heldout=heldout)


def turns(document: Document) -> tuple[str, str]:
    assert document.messages is not None
    user, assistant = document.messages
    return user.content, assistant.content


@pytest.mark.parametrize("heldout", [False, True])
@pytest.mark.parametrize("needles", ["words", "numbers", "uuids"])
@pytest.mark.parametrize("haystack", ["prose", "needles"])
def test_the_answer_can_be_read_off_the_text_in_one_way(heldout: bool, needles: str, haystack: str) -> None:
    for index in range(12):
        document = niah(index, 700, heldout, needles=needles, haystack=haystack, ask=2)
        user, answer = turns(document)
        text, _, question = user.rpartition("\n\n")
        keys = re.findall(r'"([\w-]+)"', question)
        assert len(keys) == len(set(keys)) == 2
        wording = next(one for one in (HELDOUT if heldout else CALIBRATION) if user.startswith(one.opening))
        values = []
        for key in keys:
            assert text.count(key) == 1
            pattern = re.escape(wording.needle).replace(r"\{key\}", f'"{key}"').replace(r"\{value\}", r"([\w-]+)")
            (value,) = re.findall(pattern, text)
            assert text.count(value) == 1
            values.append(value)
        assert [value for value in re.findall(r"[\w-]+", answer) if value in values] == values
        assert document.low_continuity == (needles == "uuids" or haystack == "needles")


def test_depths_are_spread_flat() -> None:
    counts = [0] * 10
    for index in range(2 * STRATA):
        text, _, question = turns(niah(index, 1500))[0].rpartition("\n\n")
        (key,) = re.findall(r'"([\w-]+)"', question)
        counts[min(9, int(10 * text.index(key) / len(text)))] += 1
    # 80 samples, 8 a bin; sentence boundaries move a needle by a bin's edge at most.
    assert min(counts) >= 4 and max(counts) <= 12, counts


def test_lengths_follow_the_hint() -> None:
    for tokens in (300, 2000, 8000):
        for name, ratio in (("niah", 4.0), ("random-words", 4.0), ("uuid", 1.9)):
            made = generate(name, seed=1, index=0, tokens_hint=tokens, options={})
            assert abs(len(made.text) - ratio * tokens) < 500, (name, tokens)


def test_sides_share_neither_wording_nor_haystack() -> None:
    assert not set(CALIBRATION) & set(HELDOUT)
    sides = [{s for c in prose(heldout=h) for p in c for s in p if len(s) > 80} for h in (False, True)]
    assert all(len(side) > 300 for side in sides)
    assert not sides[0] & sides[1]
    assert niah().unit != niah(heldout=True).unit


def test_words_are_plain_and_pairs_of_the_prose_are_known() -> None:
    assert len(words()) > 1000
    assert all(re.fullmatch("[a-z]{4,10}", word) for word in words())
    assert "built-in" in compounds(heldout=False)


def test_uuids_are_version_4_and_distinct() -> None:
    made = generate("uuid", seed=3, index=0, tokens_hint=1000, options={})
    lines = made.text.split("\n")
    assert len(lines) == 51  # 1,900 characters, 37 a line
    assert len(set(lines)) == 51
    assert {uuid.UUID(line).version for line in lines} == {4}
    assert made.low_continuity


def test_random_words_are_of_the_pool() -> None:
    made = generate("random-words", seed=3, index=0, tokens_hint=500, options={})
    assert set(made.text.split(" ")) <= set(words())
    assert made.low_continuity and made.messages is None


def test_samples_differ_by_index_seed_and_option() -> None:
    texts = {generate("niah", seed=s, index=i, tokens_hint=400, options={}).text for s in (1, 2) for i in (0, 1)}
    assert len(texts) == 4
    assert niah(needles="numbers").id != niah().id


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("nia", {}, "did you mean 'niah'"),
        ("zzzz", {}, "choose one of: cwe, fwe, niah, random-words, uuid"),
        (
            "niah",
            {"needle": "words"},
            "unknown option 'needle'; allowed: needles, keys, haystack, count, ask",
        ),
        ("niah", {"needles": "poems"}, "cannot be 'poems'; allowed: words, numbers, uuids"),
        ("niah", {"count": 0}, "cannot be 0; allowed: 1 to 40"),
        ("niah", {"count": True}, "cannot be True"),
        ("niah", {"count": [1]}, "cannot be"),
        ("niah", {"count": 4.0}, "cannot be 4.0"),
        ("niah", {"count": "4"}, "cannot be '4'"),
        ("niah", {"needles": ["words"]}, "cannot be"),
        ("niah", {"ask": 5}, "ask=5 of count=4"),
        ("uuid", {"lines": 3}, "unknown option 'lines'; allowed: none"),
        ("cwe", {"common": 1}, "cannot be 1; allowed: 2 to 20"),
        ("cwe", {"comon": 3}, "unknown option 'comon'; allowed: common, ratio"),
        ("fwe", {"alpha": 1}, "cannot be 1; allowed: 1.1 to 3.5"),
        ("fwe", {"alpha": 3.6}, "cannot be 3.6; allowed: 1.1 to 3.5"),
        ("fwe", {"alpha": float("nan")}, "cannot be nan"),
        ("fwe", {"alpha": "2.0"}, "cannot be '2.0'"),
        ("fwe", {"alpha": True}, "cannot be True"),
        ("fwe", {"alpha": [2.0]}, "cannot be"),
        ("fwe", {"top": 11}, "cannot be 11; allowed: 2 to 10"),
    ],
)
def test_wrong_requests_name_what_is_allowed(name: str, options: dict[str, object], told: str) -> None:
    with pytest.raises(InputError, match=re.escape(told)):
        generate(name, seed=1, index=0, tokens_hint=500, options=options)


def test_impossible_lengths_name_the_limit() -> None:
    with pytest.raises(InputError, match=r"ask for \d+ tokens or more") as caught:
        niah(tokens=20)
    least = int(re.findall(r"ask for (\d+)", str(caught.value))[0])
    assert niah(tokens=least + 20).text
    with pytest.raises(InputError, match=r"ask for [\d,]+ tokens or fewer"):
        niah(tokens=10_000_000)
    with pytest.raises(InputError, match="tokens must be 1"):
        generate("uuid", seed=1, index=0, tokens_hint=0, options={})


def test_prompts_are_english_and_bare_words_have_no_language() -> None:
    made = {name: generate(name, seed=1, index=0, tokens_hint=600, options={}).language for name in GENERATORS}
    assert made == {"cwe": "en", "fwe": "en", "niah": "en", "random-words": "und", "uuid": "und"}


def test_registry_is_told() -> None:
    assert {name: generator.low_continuity for name, generator in GENERATORS.items()} == {
        "cwe": "always",
        "fwe": "always",
        "niah": "options",
        "random-words": "always",
        "uuid": "always",
    }


SCRIPT = """
import hashlib
from curator.corpora.generators import generate
from curator.corpora.readers import READERS
from curator.corpora.shelf import find_card
digest = hashlib.sha256()
for name in ("niah", "uuid", "random-words", "cwe", "fwe"):
    for heldout in (False, True):
        for index in (5, 0):
            made = generate(name, seed=1, index=index, tokens_hint=600, options={}, heldout=heldout)
            digest.update(repr(made).encode())
for name in ("python-topics", "package-docs"):
    card = find_card(name)
    for document in READERS[card.reader](card):
        digest.update(repr(document).encode())
print(digest.hexdigest())
"""


def test_the_same_bytes_under_every_hash_seed() -> None:
    outputs = set()
    for hash_seed in ("0", "1", "424242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
