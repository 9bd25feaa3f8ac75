"""Good text that other classes are made from: sentences, and hosts that junk is put into."""

from __future__ import annotations

import random
from functools import cache

from gate_bench.pieces import by_sentences
from gate_bench.vocabulary import half_text, languages, program_texts

_ENGLISH = "eng"


@cache
def sentences(half: int, language: str = _ENGLISH) -> tuple[str, ...]:
    """The half's sentences of a language, of 12 to 400 characters."""
    found = (" ".join(part.split()) for part in by_sentences(half_text(language, half)))
    return tuple(dict.fromkeys(part for part in found if 12 <= len(part) <= 400))


def host(draw: random.Random, half: int, length: int) -> str:
    """Good text of about ``length`` characters, cut at ends of sentences or lines: prose or code."""
    kind = draw.random()
    if kind < 0.25:
        parts = draw.choice(program_texts(half)).splitlines()
        joint = "\n"
    else:
        language = _ENGLISH if kind < 0.65 else draw.choice(languages(half))
        parts = list(sentences(half, language))
        joint = "" if language in ("zho", "jpn") else " "
    at = draw.randrange(max(1, len(parts) - length // 30))
    taken: list[str] = []
    while at < len(parts) and sum(map(len, taken)) + len(taken) < length:
        taken.append(parts[at])
        at += 1
    return joint.join(taken).strip()[: length + 120]
