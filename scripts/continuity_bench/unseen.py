"""English texts by which nothing was ever chosen: essays, a handbook and novels, from packages of Debian.

``scripts/bench_continuity`` lays the packages into ``FOLDER`` where it can; what is not there is left out.
"""

from __future__ import annotations

import re
import struct
import tempfile
import zlib
from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path

from continuity_bench.units import Unit
from curator.corpora.readers.sections import sections
from curator.scores.sentences import split_sentences

FOLDER = Path(tempfile.gettempdir()) / "curate-bench-unseen"
_DOC = FOLDER / "usr/share/doc"
_NOVELS = FOLDER / "usr/lib/R/site-library/janeaustenr/data/Rdata.rdb"
_SECTION_CHARS, _CHAPTER_CHARS = 6000, 4000
_LEAST, _MOST = 32, 64
_UNITS, _CHAPTERS = 40, 7
_CHAPTER = re.compile(r"\n(?=chapter\s+\w+)", re.IGNORECASE)
_BLANK = re.compile(r"\n\s*\n")
_BLOCKS = frozenset(
    (
        "p",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "li",
        "dd",
        "dt",
        "blockquote",
        "div",
        "td",
        "tr",
        "table",
        "ul",
        "ol",
        "dl",
    )
)
_HIDDEN = frozenset(("pre", "script", "style", "title", "head", "nav"))
# In R's serialised form: a string of the session's encoding or of ASCII, behind it its length.
_STRING = b"\x00\x04\x00\x09"


def unseen() -> dict[str, list[Unit]]:
    """Forty units of each kind, spread evenly; kinds whose package is not there are left out."""
    found = {
        "essays": _spread(list(pages(_DOC / "anarchism/html", "sec*.html")), _UNITS),
        "handbook": _spread(list(pages(_DOC / "debian-handbook/html/en-US", "sect.*.html")), _UNITS),
        "novels": [unit for novel in _novels() for unit in _spread(novel, _CHAPTERS)],
    }
    return {kind: units for kind, units in found.items() if units}


def _spread(found: Sequence[Unit], count: int) -> list[Unit]:
    long = [Unit(unit.name, unit.lines[:_MOST]) for unit in found if len(unit.lines) >= _LEAST]
    step = max(1.0, len(long) / count)
    return [long[int(number * step)] for number in range(min(count, len(long)))]


def pages(folder: Path, pattern: str) -> Iterator[Unit]:
    """The parts of the pages of a folder, as sentences."""
    for file in sorted(folder.glob(pattern)):
        page = _Page()
        page.feed(file.read_text("utf-8", "replace"))
        for number, part in enumerate(sections(page.text(), _SECTION_CHARS)):
            yield Unit(f"{folder.name}/{file.name}#{number}", tuple(split_sentences(part)))


class _Page(HTMLParser):
    """The paragraphs of a page; what is set as code is left out."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self._hidden += tag in _HIDDEN
        self._parts += ["\n\n"] if tag in _BLOCKS else [" "] if tag == "br" else []

    def handle_endtag(self, tag: str) -> None:
        self._hidden = max(0, self._hidden - (tag in _HIDDEN))
        self._parts += ["\n\n"] if tag in _BLOCKS else []

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._parts.append(data.replace("\n", " ") if data.strip() else " ")

    def text(self) -> str:
        """Paragraphs parted by blank lines."""
        blocks = (" ".join(block.split()) for block in _BLANK.split("".join(self._parts)))
        return "\n\n".join(block for block in blocks if len(block) > 2)


def _novels() -> Iterator[list[Unit]]:
    """Chapters of each of Jane Austen's novels, as an R package holds their lines."""
    data, at = _NOVELS.read_bytes() if _NOVELS.exists() else b"", 0
    while at < len(data):
        # Four bytes of length, a zlib stream.
        unpacker = zlib.decompressobj()
        lines = _strings(unpacker.decompress(data[at + 4 :]))
        at = len(data) - len(unpacker.unused_data)
        chapters = [part for part in _CHAPTER.split("\n".join(lines)) if len(part) > _CHAPTER_CHARS]
        # The first "sentence" is the heading.
        yield [Unit(f"{lines[0]}/{at}", tuple(split_sentences(part)[1:])) for at, part in enumerate(chapters)]


def _strings(raw: bytes) -> list[str]:
    found, at = [], raw.find(_STRING)
    while 0 <= at < len(raw) - 8 and raw[at + 2 : at + 4] == _STRING[2:]:
        (length,) = struct.unpack(">i", raw[at + 4 : at + 8])
        at += 8 + max(length, 0)
        found.append(raw[at - max(length, 0) : at].decode("utf-8", "replace"))
    return found
