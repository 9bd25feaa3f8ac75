import os
import re
import subprocess
import sys
import uuid

import pytest

from curator._errors import InputError
from curator.corpora.document import Document
from curator.corpora.generators import GENERATORS, generate
from curator.corpora.generators.words import words


def niah(index: int = 0, tokens: int = 500, heldout: bool = False, **options: object) -> Document:
    return generate("niah", seed=7, index=index, tokens=tokens, options=options, heldout=heldout)


def test_uuids_are_version_4_and_distinct() -> None:
    made = generate("uuid", seed=3, index=0, tokens=1000, options={})
    *lines, last = made.text.split("\n")
    # Four characters a token: 27 lines of 37 and the beginning of another are 993 to 1,000 tokens.
    assert 3920 <= len(made.text) <= 4000 and len(lines) > 100 and len(last) <= 36
    assert len(set(lines)) == len(lines)
    assert {uuid.UUID(line).version for line in lines} == {4}
    assert made.low_continuity and made.gold == ()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_random_words_are_of_the_pool(language: str) -> None:
    made = generate("random-words", seed=3, index=0, tokens=500, options={"language": language})
    drawn = made.text.split(" ") if language == "en" else re.findall("..", made.text)
    assert set(drawn) <= set(words(language)) and len(set(drawn)) > 100
    assert made.low_continuity and made.messages is None


def test_samples_differ_by_index_seed_and_option() -> None:
    texts = {generate("niah", seed=s, index=i, tokens=400, options={}).text for s in (1, 2) for i in (0, 1)}
    assert len(texts) == 4
    assert niah(needles="numbers").id != niah().id


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("nia", {}, "did you mean 'niah'"),
        ("zzzz", {}, "choose one of: cwe, fwe, kv, mcq, niah, passkey, qa, random-words, uuid, vt"),
        (
            "niah",
            {"needle": "words"},
            "unknown option 'needle'; allowed: needles, keys, count, ask, values, haystack, language",
        ),
        ("niah", {"needles": "poems"}, "cannot be 'poems'; allowed: words, numbers, uuids"),
        ("niah", {"count": 0}, "cannot be 0; allowed: 1 to 40"),
        ("niah", {"count": True}, "cannot be True"),
        ("niah", {"count": [1]}, "cannot be"),
        ("niah", {"count": 4.0}, "cannot be 4.0"),
        ("niah", {"count": "4"}, "cannot be '4'"),
        ("niah", {"needles": ["words"]}, "cannot be"),
        ("niah", {"ask": 5}, "ask=5 of count=4"),
        ("niah", {"values": 9}, "cannot be 9; allowed: 1 to 8"),
        ("niah", {"language": "de"}, "cannot be 'de'; allowed: en, zh"),
        ("vt", {"hops": 0}, "cannot be 0; allowed: 1 to 12"),
        ("kv", {"keys": "poems"}, "cannot be 'poems'; allowed: words, numbers, uuids"),
        ("passkey", {"haystack": "needles"}, "cannot be 'needles'; allowed: prose, essays, repeat"),
        ("uuid", {"language": "en"}, "unknown option 'language'; allowed: none"),
        ("uuid", {"lines": 3}, "unknown option 'lines'; allowed: none"),
        ("cwe", {"common": 1}, "cannot be 1; allowed: 2 to 20"),
        ("cwe", {"comon": 3}, "unknown option 'comon'; allowed: common, ratio, language"),
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
        generate(name, seed=1, index=0, tokens=500, options=options)


def test_impossible_lengths_name_the_limit() -> None:
    with pytest.raises(InputError, match=r"ask for \d+ tokens or more") as caught:
        niah(tokens=20)
    least = int(re.findall(r"ask for (\d+)", str(caught.value))[0])
    assert niah(tokens=least).text
    with pytest.raises(InputError, match="tokens must be 1"):
        generate("uuid", seed=1, index=0, tokens=0, options={})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_prompts_have_their_language_and_bare_words_have_none(language: str) -> None:
    for name, generator in GENERATORS.items():
        options = {"language": language} if "language" in generator.choices else {}
        made = generate(name, seed=1, index=0, tokens=2000, options=options)
        assert made.language == ("und" if name in ("uuid", "random-words") else language)
        assert made.task == name and made.corpus == f"generate:{name}"
        assert made.low_continuity == generator.is_low({**generator.defaults, **options})


def test_continuity_is_told_by_name_or_by_option() -> None:
    assert {name: generator.low_continuity for name, generator in GENERATORS.items()} == {
        "cwe": "always",
        "fwe": "always",
        "kv": "always",
        "mcq": GENERATORS["mcq"].low_continuity,
        "niah": "options",
        "passkey": "options",
        "qa": GENERATORS["qa"].low_continuity,
        "random-words": "always",
        "uuid": "always",
        "vt": "options",
    }
    for name, options in [
        ("niah", {"needles": "uuids"}),
        ("niah", {"keys": "uuids"}),
        ("niah", {"haystack": "needles"}),
        ("niah", {"haystack": "repeat"}),
        ("vt", {"haystack": "repeat"}),
        ("vt", {"names": "coded"}),
        ("passkey", {"needles": "uuids"}),
    ]:
        generator = GENERATORS[name]
        assert generator.is_low({**generator.defaults, **options}) and not generator.is_low(generator.defaults)


SCRIPT = """
import hashlib
from curator.corpora.generators import GENERATORS, generate
from curator.corpora.readers import READERS
from curator.corpora.shelf import find_card
digest = hashlib.sha256()
for name in GENERATORS:
    for heldout in (False, True):
        for index in (5, 0):
            made = generate(name, seed=1, index=index, tokens=1200, options={}, heldout=heldout)
            digest.update(repr(made).encode())
for name in ("python-topics", "package-docs"):
    card = find_card(name)
    for document in READERS[card.reader](card):
        digest.update(repr(document).encode())
print(digest.hexdigest())
"""


def test_the_same_bytes_under_every_hash_seed() -> None:
    outputs = set()
    for hash_seed in ("0", "424242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
