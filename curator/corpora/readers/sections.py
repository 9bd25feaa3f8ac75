"""Cutting a long text at its headings."""

from __future__ import annotations

import re

_MARKED = re.compile(r"(#{1,6} |\*\*[^*\n]+\*\*:?$|\d{1,2}\.\s+\S)")
_SENTENCE_END = (".", "!", "?", "。", "！", "？", "؟", "।", "…", ",", ";", "”", '"')
_LONGEST_HEADING = 110
_LONGEST = 8
_RULE = re.compile(r"(\*{3,}|-{3,}|_{3,})$")


def sections(text: str, least: int) -> list[str]:
    """Parts of ``text`` that begin at a heading and have ``least`` characters or more.

    A heading is a paragraph of one short line that is marked (``#``, bold, a number) or does not end like a
    sentence. A part runs on over further headings until it is long enough; a short rest joins the last part.
    Where no heading comes, a part ends at the paragraph after eight times ``least``. Rules (``***``) at the
    ends of parts are left out.
    """
    parts: list[list[str]] = [[]]
    length = 0
    for paragraph in re.split(r"\n[ \t]*\n", text):
        if length >= least * _LONGEST or (length >= least and _is_heading(paragraph)):
            parts.append([])
            length = 0
        parts[-1].append(paragraph)
        length += len(paragraph) + 2
    if length < least and len(parts) > 1:
        rest = parts.pop()
        parts[-1] += rest
    return [text for text in map(_joined, parts) if text]


def _joined(paragraphs: list[str]) -> str:
    while paragraphs and _RULE.match(paragraphs[-1].strip()):
        paragraphs = paragraphs[:-1]
    while paragraphs and _RULE.match(paragraphs[0].strip()):
        paragraphs = paragraphs[1:]
    return "\n\n".join(paragraphs).strip()


def _is_heading(paragraph: str) -> bool:
    line = paragraph.strip()
    if "\n" in line or not line or _RULE.match(line) or len(line) > _LONGEST_HEADING:
        return False
    return bool(_MARKED.match(line)) or not line.endswith(_SENTENCE_END)
