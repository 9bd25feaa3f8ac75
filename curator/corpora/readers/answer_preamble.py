"""Cutting the polite opening of a text that a language model wrote on request."""

from __future__ import annotations

import re
import unicodedata

# The request asked for 30,000 words in ten parts of 3,000 (2,000 for a few); an opening repeats
# one of these numbers.
_COUNT = re.compile(r"(?<!\d)(?:30|3|2)[., \u00a0\u202f]?000(?!\d)")
_ANSWER = re.compile(r"(of course|sure|certainly|absolutely)\b[.,! ]", re.I)
_HEADING = re.compile(r"(#|\*\*|\d+\.\s)")
_RULE = re.compile(r"[*\-_=]{3,}$")
_LENGTH_NOTE = re.compile(r"[ ]*[(（][^()（）\n]*(?<!\d)(?:30|3|2)[., \u00a0\u202f]?000(?!\d)[^()（）\n]*[)）]")
_MOST = 4
_SHORT = 80


def without_preamble(text: str) -> str:
    """``text`` without the paragraphs at its start that answer the request instead of fulfilling it.

    Such a paragraph is no heading, and opens like an answer ("Of course.") or repeats the number of words
    asked for, in any script's digits. Rules (``***``) after it go too, and so does a sentence of one short
    line between it and a heading ("Here is the text:"). Notes of length in headings
    ("(about 3,000 words)") are cut from the whole text.
    """
    paragraphs = re.split(r"\n\s*\n", text.strip())
    start = 0
    while start < min(_MOST, len(paragraphs) - 1) and _is_preamble(paragraphs, start):
        start += 1
    lines = "\n\n".join(paragraphs[start:]).split("\n")
    return "\n".join(_without_length_note(line) for line in lines)


def _is_preamble(paragraphs: list[str], at: int) -> bool:
    line = paragraphs[at].strip()
    if at and _RULE.match(line):
        return True
    if _HEADING.match(line):
        return False
    if _COUNT.search(_ascii_digits(line)) or (not at and _ANSWER.match(line)):
        return True
    is_short_sentence = len(line) < _SHORT and "\n" not in line and line.endswith((".", ":", "：", "。"))
    return bool(at and is_short_sentence and _HEADING.match(paragraphs[at + 1]))


def _without_length_note(line: str) -> str:
    # A length note stands in a heading, and headings are short.
    return _LENGTH_NOTE.sub("", line) if len(line) < 160 else line


def _ascii_digits(text: str) -> str:
    return "".join(str(unicodedata.decimal(char)) if char.isdecimal() else char for char in text)
