"""Where in a text its question is."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A question stands before or behind the passage that it is about; a long passage has questions of its own.
_HEAD, _TAIL = 1_000, 2_000
# A line that goes on in a small letter is one that was wrapped.
_END = re.compile(r"(?<=[.!?:;])[\"')\]]*\s+|(?<=[。！？；：])|\n(?![a-zà-ÿ])\s*")
# With the Arabic, Greek, Armenian and Ethiopic marks.
_ASKS = re.compile(r"[?\uff1f\u061f\u037e\u055e\u1367][\"')\]\u201d\u2019\u300d\u300f]*$")
_ORDERS = re.compile(
    r"(?i)(?:please |now )?(?:name|list|find|compute|calculate|determine|prove|show|evaluate|simplify|solve"
    r"|explain|describe|define|state|identify|compare|give|write|implement|translate|summari[sz]e|predict"
    r"|estimate|convert|suggest|tell)\b"
)


def sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Beginning and end of each sentence or line within a stretch of the text; empty ones are left out."""
    for mark in _END.finditer(text, start, end):
        if text[start : mark.start()].strip():
            yield start, mark.start()
        start = mark.end()
    if text[start:end].strip():
        yield start, end


def asked_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences that ask something; where none does, a last one that orders something; else nothing."""
    edges = [(0, _HEAD), (len(text) - _TAIL, len(text))] if len(text) > _HEAD + _TAIL else [(0, len(text))]
    sentences = [span for start, end in edges for span in sentence_spans(text, start, end)]
    asking = tuple((start, end) for start, end in sentences if _ASKS.search(text[start:end].rstrip()[-8:]))
    if asking or len(sentences) < 2:
        return asking
    start, end = sentences[-1]
    return ((start, end),) if _ORDERS.match(text[start:end].strip()) else ()
