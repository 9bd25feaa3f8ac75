"""A store that is wrong, missing, full or shared never stops a run."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.scores.store import NAME, ScoreStore, content_key

VALUE = {"least": {"z": 0.1 + 0.2, "windows": 4}, "windows": [1e-308, -0.0, 12345678.9]}


def refuse(line: str) -> None:
    raise AssertionError(f"told without a reason: {line}")


def test_what_is_put_comes_back_bit_equal_also_in_another_process(tmp_path: Path) -> None:
    store = ScoreStore(refuse, tmp_path)
    assert store.get("a") is None
    store.put("a", VALUE, b"\x00\xff" * 768)
    store.put("b", {})
    program = (
        "import sys; from pathlib import Path; from curator.scores.store import ScoreStore\n"
        "print(repr(ScoreStore(print, Path(sys.argv[1])).get('a')))"
    )
    other = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)
    assert other.stdout.strip() == repr((VALUE, b"\x00\xff" * 768))
    assert store.get("b") == ({}, b"")


@settings(max_examples=30)
@given(
    st.dictionaries(
        st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.none()
    ),
    st.binary(max_size=40),
)
def test_any_numbers_come_back_bit_equal(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, float], vector: bytes
) -> None:
    store = ScoreStore(refuse, tmp_path_factory.mktemp("store"))
    store.put("k", value, vector)
    assert repr(store.get("k")) == repr((value, vector))
    store.close()


def test_a_nan_is_never_stored(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        ScoreStore(refuse, tmp_path).put("a", {"z": float("nan")})


def test_a_changed_row_is_told_once_and_can_be_put_again(tmp_path: Path) -> None:
    told: list[str] = []
    store = ScoreStore(told.append, tmp_path)
    for key in ("a", "b", "c"):
        store.put(key, VALUE, b"vector")
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("UPDATE scores SET value = replace(value, '12345678.9', '12345678.8') WHERE key = 'a'")
        connection.execute("UPDATE scores SET vector = x'00' WHERE key = 'b'")
    connection.close()
    assert store.get("a") is None
    assert store.get("b") is None
    assert store.get("c") == (VALUE, b"vector")
    assert len(told) == 1
    assert "damaged" in told[0]
    assert str(tmp_path) in told[0]
    store.put("a", VALUE)
    assert store.get("a") == (VALUE, b"")


def test_a_row_moved_to_another_key_is_not_taken(tmp_path: Path) -> None:
    told: list[str] = []
    store = ScoreStore(told.append, tmp_path)
    store.put("a", VALUE)
    with sqlite3.connect(tmp_path / NAME) as connection:
        connection.execute("UPDATE scores SET key = 'b'")
    connection.close()
    assert store.get("b") is None
    assert len(told) == 1


@pytest.mark.parametrize("damage", ["text", "empty", "middle", "header"])
def test_a_broken_file_is_told_once_and_made_anew(tmp_path: Path, damage: str) -> None:
    first = ScoreStore(refuse, tmp_path)
    for number in range(200):
        first.put(f"key {number}", VALUE, b"v" * 1536)
    first.close()
    file = tmp_path / NAME
    data = bytearray(file.read_bytes())
    if damage == "text":
        data = bytearray(b"this is no database " * 100)
    elif damage == "empty":
        data = bytearray()
    elif damage == "middle":
        data[4096 : len(data) // 2] = b"\xaa" * (len(data) // 2 - 4096)
    else:
        data[:100] = b"\x00" * 100
    file.write_bytes(data)
    told: list[str] = []
    store = ScoreStore(told.append, tmp_path)
    for number in range(200):
        found = store.get(f"key {number}")
        assert found is None or found == (VALUE, b"v" * 1536)
        store.put(f"key {number}", VALUE, b"new")
    assert [store.get(f"key {number}") for number in range(200)] == [(VALUE, b"new")] * 200
    assert len(told) == (0 if damage == "empty" else 1)


def test_a_folder_that_cannot_be_made_is_told_once_and_scores_go_on(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    told: list[str] = []
    store = ScoreStore(told.append, tmp_path / "file" / "cache")
    for key in ("a", "b"):
        store.put(key, VALUE)
        assert store.get(key) is None
    assert len(told) == 1
    assert "not kept" in told[0]


def test_a_full_disk_is_told_once_and_scores_go_on(tmp_path: Path) -> None:
    told: list[str] = []
    store = ScoreStore(told.append, tmp_path)
    store.put("a", VALUE)
    # SQLite then says "database or disk is full", as it does on a full disk.
    assert store._connection is not None
    store._connection.execute("PRAGMA max_page_count = 1")
    for number in range(50):
        store.put(f"b{number}", VALUE, b"v" * 4096)
    assert len(told) == 1
    assert "full" in told[0]


def test_the_users_cache_folder_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "cache"))
    ScoreStore(refuse).put("a", VALUE)
    assert (tmp_path / "cache" / NAME).is_file()


def test_several_processes_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from curator.scores.store import ScoreStore\n"
        "store = ScoreStore(print, Path(sys.argv[1]))\n"
        "for number in range(150): store.put(f'{sys.argv[2]}/{number}', {'z': number}, b'v' * 500)"
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", program, tmp_path, str(at)], stdout=subprocess.PIPE)
        for at in range(3)
    ]
    assert [run.communicate()[0] for run in runs] == [b""] * 3
    store = ScoreStore(refuse, tmp_path)
    keys = [f"{at}/{number}" for at in range(3) for number in range(150)]
    assert all(store.get(key) == ({"z": int(key.split("/")[1])}, b"v" * 500) for key in keys)


def test_keys_differ_wherever_parts_differ() -> None:
    keys = {
        content_key(*parts)
        for parts in (["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""], ["\ud800"], ["\udc00"], [])
    }
    assert len(keys) == 7
    assert content_key("a", "b") == content_key("a", "b")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_told_once(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    told: list[str] = []
    store = ScoreStore(told.append, tmp_path)
    store.put("a", VALUE)
    store.put("b", VALUE)
    tmp_path.chmod(0o700)
    assert len(told) == 1
