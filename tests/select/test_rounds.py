"""Large sources are read by parts, in an order of the seed, no further than they are asked for."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from itertools import islice, pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curator.corpora import files
from curator.corpora.files import open_files
from curator.corpora.reading import Reading
from curator.select import rounds, supply
from curator.select.rounds import Rounds
from curator.select.scan import Rule
from curator.select.supply import FiniteSupply

RULE = Rule("t", 10_000, 7, without_heldout=False)


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A source of more than 10 kB is large, its parts have 1 kB, and a round has 8 kB."""
    monkeypatch.setattr(rounds, "SMALL", 10_000)
    monkeypatch.setattr(rounds, "ROUND", 8_000)
    monkeypatch.setattr(rounds, "WHOLE_PART", 2_000)
    monkeypatch.setattr(rounds, "WINDOW_ROWS", 16)
    monkeypatch.setattr(files, "_PART", 1_000)
    yield


def texts(count: int) -> list[str]:
    return [f"text {number} " + "é" * (number % 37) for number in range(count)]


def jsonl(path: Path, values: list[str], end: str = "\n") -> Path:
    lines = (json.dumps({"text": value}, ensure_ascii=False) for value in values)
    path.write_text("".join(line + end for line in lines), encoding="utf-8", newline="")
    return path


def opened(path: Path, **reading: str) -> FiniteSupply:
    corpus = open_files([path.name], path.parent, Reading(**reading), task="t", lazy=True, split_above=10_000)
    return FiniteSupply(corpus.shards, RULE)


def test_a_large_file_is_read_in_parts_and_gives_every_row_once(tmp_path: Path) -> None:
    values = texts(2_000)
    found = opened(jsonl(tmp_path / "a.jsonl", values))
    assert found.size == (tmp_path / "a.jsonl").stat().st_size
    first = list(islice(found.draw(), 20))
    # A round of 8 kB of a file of more than 60 kB.
    assert 8_000 <= found.read < 12_000
    assert not found.ended
    rest = list(found.draw())
    assert found.ended
    assert sorted(piece.text for piece in (*first, *rest[: len(values) - 20])) == sorted(values)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_parts_called_by_their_bytes_say_where_a_row_is(tmp_path: Path, end: str) -> None:
    path = jsonl(tmp_path / "a.jsonl", texts(1_000), end)
    content = path.read_bytes()
    for piece in opened(path).draw():
        name, _, offset = piece.document.id.partition("@")
        assert name == "a.jsonl"
        line = content[int(offset) :].partition(b"\n")[0]
        assert json.loads(line)["text"] == piece.text


def test_lines_of_text_are_in_one_part_each_whatever_ends_them(tmp_path: Path) -> None:
    lines = [value.strip() for value in texts(900)]
    ends = ["\n", "\r\n", "\r"]
    (tmp_path / "a.txt").write_bytes("".join(v + ends[n % 3] for n, v in enumerate(lines)).encode())
    found = [piece.text for piece in opened(tmp_path / "a.txt", unit="line").draw()]
    assert sorted(found) == sorted(lines)


def test_neighbours_do_not_stand_together(tmp_path: Path) -> None:
    found = opened(jsonl(tmp_path / "a.jsonl", texts(3_000)))
    numbers = [int(piece.text.split()[1]) for piece in islice(found.draw(), 150)]
    assert sum(abs(a - b) == 1 for a, b in pairwise(numbers)) < 10
    # The first pieces are from all over the file.
    assert len({number // 300 for number in numbers}) >= 6


def test_the_order_is_of_the_seed_alone_and_can_begin_anywhere(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a.jsonl", texts(1_500))
    once = [piece.id for piece in opened(path).draw()]
    assert [piece.id for piece in opened(path).draw()] == once
    stopped = opened(path)
    list(islice(stopped.draw(), 700))
    assert [piece.id for piece in islice(stopped.draw(), 200)] == once[700:900]


def test_rounds_that_memory_let_go_are_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = jsonl(tmp_path / "a.jsonl", texts(1_000))
    once = [piece.id for piece in opened(path).draw()]
    monkeypatch.setattr(supply, "_HELD", 1)
    found = opened(path)
    assert [piece.id for piece in found.draw()] == once
    # All were looked at and none was taken.
    assert [piece.id for piece in found.draw()] == once


def test_what_is_compressed_is_read_from_its_start_as_far_as_it_is_asked_for(tmp_path: Path) -> None:
    lines = "".join(json.dumps({"text": f"text {number} {hash_of(number)}"}) + "\n" for number in range(1_000))
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    found = opened(tmp_path / "a.jsonl.gz")
    assert found.from_start == 1
    first = list(islice(found.draw(), 100))
    numbers = {int(piece.text.split()[1]) for piece in first}
    # Windows of 16, 32 and 64 rows.
    assert numbers <= set(range(16 + 32 + 64))
    assert len(first) + sum(1 for _ in found.draw()) >= 1_000
    assert found.found.documents == 1_000


def hash_of(number: int) -> str:
    return f"{number * 2654435761 % 2**64:016x}{number * 40503 % 2**61:016x}"


def test_row_groups_are_parts(tmp_path: Path) -> None:
    table = pa.table({"text": [f"text {number} {hash_of(number)}" for number in range(1_200)]})
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=50, compression="none")
    found = opened(tmp_path / "a.parquet")
    first = [int(piece.text.split()[1]) for piece in islice(found.draw(), 100)]
    # Eight parts at least, of row groups of 50.
    assert len({number // 50 for number in first}) >= 5
    assert found.found.documents < 1_200
    ids = {piece.document.id for piece in found.draw()}
    assert "a.parquet#1200" in ids
    assert found.found.documents == 1_200


def test_a_small_source_is_one_round_in_the_order_of_its_pieces_alone(tmp_path: Path) -> None:
    path = jsonl(tmp_path / "a.jsonl", texts(100))
    corpus = open_files(["a.jsonl"], tmp_path, Reading(), task="t", lazy=True, split_above=10_000)
    assert len(Rounds(corpus.shards, 7).parts(0)) == 1
    assert {piece.document.id for piece in opened(path).draw()} == {f"a.jsonl#{n}" for n in range(1, 101)}
