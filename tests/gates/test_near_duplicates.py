"""Near duplicates against all pairs compared without hashing."""

from __future__ import annotations

import itertools
import random
import subprocess
import sys

import pytest

from curator.gates.near_duplicates import Near, NearDuplicates, bands_and_rows, check_near_duplicate

KINDS = ("English", "Chinese", "Thai", "code")
THAI = [chr(letter) for letter in range(0x0E01, 0x0E2F)]


def _units(kind: str, count: int, draw: random.Random) -> list[str]:
    """Words, characters, or lines."""
    if kind == "Chinese":
        return [chr(draw.randrange(0x4E00, 0x9F00)) for _ in range(count)]
    if kind == "Thai":
        return ["".join(draw.choices(THAI, k=5)) for _ in range(count)]
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=6)) for _ in range(count)]
    return [f"    {word} = 1" if kind == "code" else word for word in words]


def _join(kind: str, units: list[str]) -> str:
    return {"English": " ", "Chinese": "", "Thai": "", "code": "\n"}[kind].join(units)


def _tokens(kind: str, text: str) -> list[str]:
    """Tokens apart from the module: only what `_units` makes."""
    if kind == "code":
        # The first line's indentation has no line end before it.
        lines = [line.removesuffix(" = 1") for line in text.split("\n")]
        lines[0] = lines[0].strip()
        return [token for line in lines for token in (line, "=", "1")]
    return text.split() if kind == "English" else list(text)


def _runs(kind: str, text: str) -> set[tuple[str, ...]]:
    tokens, size = _tokens(kind, text), {"English": 5, "code": 5, "Chinese": 8, "Thai": 20}[kind]
    return {tuple(tokens[start : start + size]) for start in range(len(tokens) - size + 1)}


def _planted(kind: str, draw: random.Random) -> list[str]:
    """Texts, and texts with some of their units replaced, in a random order."""
    texts = []
    for _ in range(25):
        units = _units(kind, 120, draw)
        texts.append(_join(kind, units))
        for changes in (1, 3, 8):
            other = list(units)
            for place in draw.sample(range(len(units)), changes):
                other[place] = _units(kind, 1, draw)[0]
            texts.append(_join(kind, other))
    draw.shuffle(texts)
    return texts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [0.5, 0.8])
def test_as_all_pairs_compared_exactly(kind: str, limit: float) -> None:
    texts = _planted(kind, random.Random(f"{kind} {limit}"))
    runs = [_runs(kind, text) for text in texts]
    seen = NearDuplicates(limit)
    found = [seen.add(str(number), text) for number, text in enumerate(texts)]
    for number, near in enumerate(found):
        exact = [len(runs[number] & other) / len(runs[number] | other) for other in runs[:number]]
        highest = max(exact, default=0.0)
        # With these texts no candidate at the limit is missed; none is told that is none.
        assert (near.owner is not None) == (highest >= limit)
        if highest >= limit:
            assert near.jaccard == pytest.approx(highest)
    linked = {number for number, near in enumerate(found) if near.owner is not None}
    assert 20 < len(linked) < len(texts) - 20


def test_a_chain_is_one_cluster_owned_by_its_first() -> None:
    words = [f"w{number}" for number in range(240)]
    texts = {
        "a": words,
        "b": ["x", *words[20:]],
        "c": ["x", "y", *words[40:]],
        "other": [f"v{n}" for n in range(99)],
    }
    seen = NearDuplicates(0.8)
    owners = {name: seen.add(name, " ".join(text)).owner for name, text in texts.items()}
    assert owners == {"a": None, "b": "a", "c": "a", "other": None}
    assert seen.clusters() == [["a", "b", "c"]]


def test_a_text_between_two_clusters_joins_them_under_the_earlier() -> None:
    words = [f"w{number}" for number in range(240)]
    seen = NearDuplicates(0.8)
    assert seen.add("late part", " ".join(words[40:])).owner is None
    assert seen.add("early part", " ".join(words[:-40])).owner is None
    between = seen.add("between", " ".join(words[20:-20]))
    assert between == Near("late part", pytest.approx(176 / 216))
    assert seen.clusters() == [["late part", "early part", "between"]]


def test_many_texts_at_once_are_like_what_they_are_like_one_by_one() -> None:
    draw = random.Random(3)
    texts = [" ".join(f"{copy % 5}w{n}" for n in range(draw.randrange(30), 60)) for copy in range(30)]
    names = [str(number) for number in range(30)]
    alone, together = NearDuplicates(0.7), NearDuplicates(0.7)
    found = [
        near
        for start, end in itertools.pairwise((0, 1, 8, 30))
        for near in together.add_all(names[start:end], texts[start:end])
    ]
    assert found == [alone.add(name, text) for name, text in zip(names, texts, strict=True)]
    assert together.clusters() == alone.clusters()
    assert len({near.owner for near in found}) > 3


@pytest.mark.parametrize(
    "texts",
    [
        ["cat", "dog", "cat"],
        ["Low tide.", "High tide.", "是", "否", ""],
        [
            "They will re-sign the lease for the old mill by the river.",
            "They will resign the lease for the old mill by the river.",
        ],
        ["if a:\n    B = 1\nc = 2", "if a:\n    b = 1\n    c = 2"],
        ["\u0301" * 100, "\u0301" * 101, "\ud800" * 100, "\0" * 100, " " * 100],
    ],
)
def test_short_texts_are_left_to_the_exact_gate(texts: list[str]) -> None:
    seen = NearDuplicates(0.8)
    assert {seen.add(str(number), text) for number, text in enumerate(texts)} == {Near(None, 0.0)}


@pytest.mark.parametrize("change", [("y", "Y"), ("\n    ", "\n        "), ("+", "-")])
def test_code_that_differs_throughout_stays_two(change: tuple[str, str]) -> None:
    code = "def f(x):\n" + "".join(f"    y{n} = x + {n}\n" for n in range(30))
    seen = NearDuplicates(0.8)
    seen.add("one", code)
    assert seen.add("two", code.replace(*change)).owner is None


def test_like_texts_of_one_form_are_compared_with_the_likest() -> None:
    # A form filled in hundreds of times; the last is the seventh once more, but for its end.
    form = "This is to say that the ship named {0} came in from {0} on the day {0} with freight of {0} and left."
    texts = [" ".join(form.format(f"{part}{number}") for part in "abc") for number in range(300)]
    seen = NearDuplicates(0.95)
    for number, text in enumerate(texts):
        assert seen.add(str(number), text).owner is None
    near = seen.add("last", texts[7] + " Amen.")
    assert near.owner == "7"
    assert near.jaccard > 0.95


def test_of_a_text_copied_many_times_all_are_told_and_few_kept() -> None:
    words = [f"w{number}" for number in range(240)]
    seen = NearDuplicates(0.8)
    owners = [seen.add(str(copy), " ".join([*words, str(copy)])).owner for copy in range(200)]
    assert owners == [None, *["0"] * 199]
    assert [len(cluster) for cluster in seen.clusters()] == [200]
    assert len(seen._shingles) == 64


def test_the_same_in_every_process() -> None:
    code = (
        "import random; from curator.gates.near_duplicates import NearDuplicates\n"
        "draw, seen = random.Random(1), NearDuplicates(0.5)\n"
        "words = [str(draw.random()) for _ in range(99)]\n"
        "print([seen.add(str(n), ' '.join(words[draw.randrange(40):])) for n in range(20)], seen.clusters())"
    )
    outputs = [
        subprocess.run([sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        for seed in ("1", "2")
    ]
    assert outputs[0].stdout == outputs[1].stdout
    assert b"owner='0'" in outputs[0].stdout


@pytest.mark.parametrize("limit", [0.3, 0.5, 0.7, 0.8, 0.9, 1.0])
def test_bands_find_99_in_100_pairs_at_the_limit_and_no_finer_ones_do(limit: float) -> None:
    bands, rows = bands_and_rows(limit)
    assert bands * rows <= 128
    assert 1 - (1 - limit**rows) ** bands >= 0.99
    coarser = [size for size in range(rows + 1, 129) if 1 - (1 - limit**size) ** (128 // size) >= 0.99]
    assert not coarser


def test_refusal() -> None:
    drop = check_near_duplicate(Near("a.txt:3", 0.923), 0.8)
    assert drop is not None
    assert (drop.reason, drop.detail) == (
        "near_duplicate",
        "92% of the word runs shared with the texts like a.txt:3",
    )
    assert check_near_duplicate(Near("a.txt:3", 0.923), 0.95) is None
    assert check_near_duplicate(Near(None, 0.7), 0.5) is None


def test_the_order_of_the_texts_is_all_that_counts() -> None:
    texts = _planted("English", random.Random(5))[:40]
    results = []
    for _ in range(2):
        seen = NearDuplicates(0.7)
        results.append([seen.add(str(number), text) for number, text in enumerate(texts)])
    assert results[0] == results[1]
    assert any(one.owner for one in itertools.chain(*results))
