"""Plain paragraphs of pages, manuals and dictionaries."""

from __future__ import annotations

import gzip
import html.parser
import re
from collections.abc import Iterator
from pathlib import Path

_BLOCK_TAGS = """
address article aside blockquote body br dd div dl dt figure footer form h1 h2 h3 h4 h5 h6 header hr html li main
nav ol p pre section table td th title tr ul"""
_BLOCKS = frozenset(_BLOCK_TAGS.split())
_UNSEEN = frozenset({"script", "style", "head", "nav", "footer", "svg", "select", "button"})
_SPACES = re.compile(r"[ \t\f\v\xa0]+")
_FONT = re.compile(r"\\f(?:\[[^\]]*\]|\(..|.)")
_ESCAPES = {
    "\\-": "-", "\\(aq": "'", "\\(dq": '"', "\\(lq": '"', "\\(rq": '"', "\\(en": "-", "\\(em": "-", "\\&": "",
    "\\e": "\\", "\\ ": " ", "\\~": " ", "\\%": "", "\\:": "", "\\|": "", "\\^": "", "\\(bu": "*", "\\(co": "(c)",
}  # fmt: skip
_SIZE = re.compile(r"\\s[-+]?\d|\\\*\([A-Z]{2}|\\m\[[^\]]*\]")
_TEXT_MACROS = ".B .I .BR .RB .IR .RI .BI .IB .SM .SB .Nm .Fl .Ar .Pa .Xr .Em .Li .Dv .Fn .Va .Sy .Cm"
_BREAK_MACROS = ".PP .P .LP .TP .IP .HP .Pp .It .sp .br .RS .RE .nf .fi .Bd .Ed .Bl .El .TQ"
_KEPT_MACROS, _BREAKS = frozenset(_TEXT_MACROS.split()), frozenset(_BREAK_MACROS.split())
_HEADINGS = frozenset({".SH", ".SS", ".Sh", ".Ss"})
_DIGITS = {char: at for at, char in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")}


class _Page(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self._open: list[str] = []
        self._unseen = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _UNSEEN:
            self._unseen += 1
        if tag in _BLOCKS:
            self._end()

    def handle_endtag(self, tag: str) -> None:
        if tag in _UNSEEN:
            self._unseen = max(self._unseen - 1, 0)
        if tag in _BLOCKS:
            self._end()

    def handle_data(self, data: str) -> None:
        if not self._unseen:
            self._open.append(data)

    def close(self) -> None:
        super().close()
        self._end()

    def _end(self) -> None:
        told = " ".join("".join(self._open).split())
        self._open.clear()
        if told:
            self.blocks.append(told)


def html_blocks(text: str) -> list[str]:
    """The blocks of a page that a reader sees, each on one line."""
    page = _Page()
    page.feed(text)
    page.close()
    return page.blocks


def roff_blocks(text: str) -> list[str]:
    """Paragraphs of a manual page, without its macros."""
    blocks: list[str] = []
    lines: list[str] = []

    def end() -> None:
        told = " ".join(" ".join(lines).split())
        lines.clear()
        if told:
            blocks.append(told)

    for line in text.splitlines():
        if not line.startswith((".", "'")):
            lines.append(_unescaped(line))
            continue
        macro, _, rest = line.replace("'", ".", 1).partition(" ")
        if macro in _BREAKS or macro in _HEADINGS or not line.strip("."):
            end()
        if macro in _KEPT_MACROS or macro in _HEADINGS:
            lines.append(_unescaped(rest.replace('"', "")))
        if macro in _HEADINGS:
            end()
    end()
    return blocks


def _unescaped(line: str) -> str:
    line = _SIZE.sub("", _FONT.sub("", line))
    for escape, plain in _ESCAPES.items():
        line = line.replace(escape, plain)
    return line


def text_blocks(text: str) -> list[str]:
    """Paragraphs between blank lines, as they are laid out."""
    parts = re.split(r"\n[ \t]*\n+", text.replace("\r\n", "\n"))
    return [told for part in parts if (told := _SPACES.sub(" ", part.strip("\n")).rstrip())]


def dictionary_entries(folder: Path) -> Iterator[str]:
    """The entries of a dictionary in the format of dictd, in their order, each once."""
    for index in sorted(folder.rglob("*.index")):
        with gzip.open(index.with_suffix(".dict.dz")) as opened:
            data = opened.read()
        places = set()
        for line in index.read_text(encoding="utf-8", errors="replace").splitlines():
            name, start, length = line.rsplit("\t", 2)
            if not name.startswith("00-database"):
                places.add((_number(start), _number(length)))
        for first, size in sorted(places):
            yield data[first : first + size].decode("utf-8", "replace").strip()


def _number(digits: str) -> int:
    value = 0
    for digit in digits:
        value = value * 64 + _DIGITS[digit]
    return value


def read_text(path: Path) -> str:
    """A file's text, unpacked where its name says that it is packed; what is no UTF-8 is Latin-1."""
    data = path.read_bytes()
    if path.suffix == ".gz":
        data = gzip.decompress(data)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")
