"""Junk of other scripts: text decoded with the wrong codec, and characters of East Asian scripts stirred."""

from __future__ import annotations

import random
from functools import cache

from gate_bench.draw import clip
from gate_bench.vocabulary import half_text

# Languages whose text is mostly outside ASCII: a wrong codec leaves nothing to read. Where few letters change
# (French, German), a person still reads on, and the label would be in doubt.
_LANGUAGES = (
    ("ara", "rus", "zho", "ell", "hin", "tha", "srp"),
    ("heb", "ukr", "jpn", "kor", "bul", "ben"),
    ("jpn", "kor", "rus", "ukr", "zho", "ell"),
)
_HANGUL, _KANA = (0xAC00, 0xD7A4), (0x3041, 0x3097)


def mojibake(draw: random.Random, half: int, length: int) -> str:
    """UTF-8 decoded as Latin-1, cp1252, GBK, KOI8-R or MacRoman, once or twice, or with losses."""
    text = half_text(draw.choice(_LANGUAGES[half]), half)
    start = draw.randrange(len(text) - length)
    plain = " ".join(text[start : start + length].split())
    codec = draw.choice(["latin-1", "cp1252", "cp1252", "gbk", "koi8-r", "mac-roman", "cp437", "ascii"])
    if codec == "ascii":
        # As a reader does that replaces what it cannot decode.
        return clip(plain.encode().decode("ascii", errors="replace"), length)
    broken = _wrong(plain, codec)
    if draw.random() < 0.25:
        broken = _wrong(broken, "cp1252")
    return clip(" ".join(broken.split()), length)


def _wrong(text: str, codec: str) -> str:
    return text.encode().decode(codec, errors="replace")


@cache
def _han(half: int) -> tuple[str, ...]:
    return tuple(sorted({char for char in half_text("zho", half) if "\u4e00" <= char <= "\u9fff"}))


def han_salad(draw: random.Random, half: int, length: int) -> str:
    """Chinese characters in no order: those of common text, or any of the block; some with punctuation."""
    common = draw.random() < 0.6
    out = "".join(
        draw.choice(_han(half)) if common else chr(draw.randrange(0x4E00, 0x9FA6)) for _ in range(length)
    )
    return clip(_punctuated(out, draw, "，。、"), length)


def kana_hangul_salad(draw: random.Random, half: int, length: int) -> str:
    """Hangul syllables or kana in no order, in made words or none."""
    low, high = draw.choice([_HANGUL, _KANA])
    out = "".join(chr(draw.randrange(low, high)) for _ in range(length))
    return clip(_punctuated(out, draw, "  ." if low == _HANGUL[0] else "、。"), length)


def indic_thai_salad(draw: random.Random, half: int, length: int) -> str:
    """Letters of Thai, Devanagari, Bengali or Ethiopic in no order."""
    low, high = draw.choice(
        [(0x0E01, 0x0E2F), (0x0905, 0x093A), (0x0985, 0x09B3), (0x1208, 0x1340), (0x10D0, 0x10F1)]
    )
    out = "".join(chr(draw.randrange(low, high)) for _ in range(length))
    return clip(_punctuated(out, draw, "   "), length)


def _punctuated(text: str, draw: random.Random, signs: str) -> str:
    if draw.random() < 0.4:
        return text
    at, parts = 0, []
    while at < len(text):
        size = draw.randint(2, 12)
        parts.append(text[at : at + size])
        at += size
    return "".join(part + draw.choice(signs) for part in parts)
