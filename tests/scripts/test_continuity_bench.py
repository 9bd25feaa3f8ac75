"""How the texts that nothing was chosen by are read."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from continuity_bench import unseen


def r_strings(lines: list[str]) -> bytes:
    """An R character vector as its lazy-load files hold it."""
    raw = b"X\n" + b"".join(b"\x00\x04\x00\x09" + struct.pack(">i", len(one)) + one.encode() for one in lines)
    return struct.pack(">I", len(raw)) + zlib.compress(raw)


def sentences(name: str, count: int) -> list[str]:
    return [
        f"The {name} of day {at} was long and of no use to any of the people there in town." for at in range(count)
    ]


def test_novels_are_read_by_chapters_without_their_headings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = ["EMMA", "", *["CHAPTER I", "", *sentences("walk", 70)], *["CHAPTER II", "", *sentences("ball", 60)]]
    short = ["PERSUASION", "", "CHAPTER 1", "", *sentences("ship", 20)]
    file = tmp_path / "novels.rdb"
    file.write_bytes(r_strings(book) + r_strings(short))
    monkeypatch.setattr(unseen, "_NOVELS", file)
    monkeypatch.setattr(unseen, "_DOC", tmp_path)
    found = unseen.unseen()
    # No essays and no handbook here, and a chapter of 20 sentences is too short.
    assert list(found) == ["novels"]
    assert [len(unit.lines) for unit in found["novels"]] == [64, 60 - 1]
    assert [unit.lines[0] for unit in found["novels"]] == [sentences("walk", 2)[1], sentences("ball", 2)[1]]


def test_a_page_gives_its_paragraphs_without_code(tmp_path: Path) -> None:
    page = unseen._Page()
    page.feed("<title>T</title><h1>Head\nline</h1><p>One <b>bold</b> word.<pre>x = 1</pre><p>Two &amp; three.")
    assert page.text() == "Head line\n\nOne bold word.\n\nTwo & three."
