"""Cuts random stretches out of a text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from curator.gates.random_text.found import RandomSpan, joined

_LINE_END = re.compile(r"[ \t]*\r?\n")
_PARAGRAPH_END = re.compile(r"[ \t]*\r?\n[ \t]*\r?\n")


def cut_random_text(text: str, spans: Sequence[RandomSpan], least: int) -> str:
    """The text without its long random stretches.

    What remains is joined as it was apart: by an empty line where the stretch was a paragraph of its own, by a
    line break where it was lines, else by a space.

    Args:
        text: the text.
        spans: what was found in it.
        least: characters of the shortest stretch that is cut.
    """
    kept: list[str] = []
    place = 0
    for start, end in joined(text, list(spans)):
        if end - start < least:
            continue
        start, end = _outwards(text, start, end)
        before, gap = _split_end(text[place:start])
        kept += [before, gap]
        place = end
    if not kept:
        return text
    kept.append(text[place:])
    return _join(kept)


def _outwards(text: str, start: int, end: int) -> tuple[int, int]:
    """Grow a stretch over the marks that cling to it, such as quotes: a word is cut as a whole."""
    while start > 0 and not text[start - 1].isspace():
        start -= 1
    while end < len(text) and not text[end].isspace():
        end += 1
    return start, end


def _split_end(part: str) -> tuple[str, str]:
    bare = part.rstrip()
    return bare, part[len(bare) :]


def _join(parts: list[str]) -> str:
    """Join kept text, gap, kept text, gap, ..., kept text."""
    out = parts[0]
    for gap, text in zip(parts[1::2], parts[2::2], strict=True):
        bare = text.lstrip()
        spaces = gap + text[: len(text) - len(bare)]
        if out and bare:
            indent = spaces[spaces.rfind("\n") + 1 :]
            out += f"\n\n{indent}" if _is_paragraph(gap, text) else f"\n{indent}" if "\n" in spaces else " "
        out += bare
    return out.rstrip()


def _is_paragraph(gap: str, text: str) -> bool:
    return _PARAGRAPH_END.search(gap) is not None or _PARAGRAPH_END.match(text) is not None
