"""Junk out of the words of sources: in no order, of two sources, and made of the parts of words."""

from __future__ import annotations

import itertools
import math
import random
import re
from collections.abc import Iterator, Mapping, Sequence

from gate_bench.draw import stream
from gate_bench.spoil import fill, is_cased, make_vocabulary

_ENGLISH, _OTHER, _STIRRED = 100, 6, 3
"""Texts of distinct words of English and of another language, and of words as often as they come."""
_LEAST_WORDS = 800
_NO_TEXT = "docs:words"
_NO_LANGUAGE = (_NO_TEXT, "docs:all")
_REGION = 100_000
"""Characters of a source whose words are stirred."""
_NO_SPACES = ("prose:zho", "prose:jpn", "prose:tha")
_PAIRS, _MADE = 300, 600
"""Texts in words of two sources, and in made ones."""
_WORD_AND_GAP = 6
"""Characters of prose for each word that stands in another's place there."""


def stirred_words(sources: Mapping[str, str], fold: int) -> Iterator[str]:
    """Words of a source in no order: each distinct one as likely as any other, or as often as they come."""
    for name, text in sources.items():
        if not name.startswith(("prose:", "docs:")) or name.startswith(_NO_LANGUAGE):
            continue
        draw = stream("vocabulary", name, fold)
        at = draw.randrange(max(1, len(text) - _REGION))
        words = re.findall(
            r"[^\W\d_]{3,}", text.lower() if name.startswith("prose:") else text[at : at + _REGION].lower()
        )
        every = sorted(set(words))
        if len(every) < _LEAST_WORDS or sum(map(len, every)) > 20 * len(every):
            continue
        uniform = (_ENGLISH if name == "prose:eng" else _OTHER) if name.startswith("prose:") else 1
        running = re.findall(r"[^\W\d_]+", text[at : at + _REGION])
        for listed, times in ((every, uniform), (running, _STIRRED)):
            for _ in range(times):
                drawn = draw.choices(listed, k=_size(draw))
                yield draw.choice([" ", " ", ", "]).join(drawn)


def two_vocabularies(sources: Mapping[str, str], fold: int) -> Iterator[str]:
    """Words of two sources in no order; programs are sources too."""
    words = _vocabularies(sources)
    draw = stream("two vocabularies", fold)
    for _ in range(_PAIRS):
        lists = [words[name] for name in draw.sample(sorted(words), 2)]
        yield _joined(draw, [draw.choice(draw.choice(lists)) for _ in range(_size(draw))])


def made_vocabularies(sources: Mapping[str, str], fold: int) -> Iterator[str]:
    """Words made of the parts of a language's words, few or many of them, as a list or in the places of prose."""
    words = _vocabularies(sources)
    cased = sorted(name for name, listed in words.items() if is_cased("".join(listed)))
    prose = [name for name in cased if name.startswith("prose:")]
    draw = stream("made vocabularies", fold)
    for _ in range(_MADE):
        listed = words[draw.choice(cased)]
        made = make_vocabulary(draw, draw.sample(listed, min(len(listed), round(8 * 100 ** draw.random()))))
        often = [1 / (place + 1) for place in range(len(made))] if draw.random() < 0.5 else None
        drawn = draw.choices(made, often, k=_size(draw))
        yield _joined(draw, drawn) if draw.random() < 0.5 else _in_prose(draw, drawn, sources[draw.choice(prose)])


def _vocabularies(sources: Mapping[str, str]) -> dict[str, list[str]]:
    """Distinct words of each source of prose or programs that has enough."""
    named = sorted(name for name in sources if name.startswith(("prose:", "code:")) and name not in _NO_SPACES)
    words = {name: sorted(set(re.findall(r"[^\W\d_]\w+", sources[name]))) for name in named}
    return {name: listed for name, listed in words.items() if len(listed) > _LEAST_WORDS // 2}


def _size(draw: random.Random) -> int:
    return round(10 * math.pow(40, draw.random()))


def _joined(draw: random.Random, words: Sequence[str]) -> str:
    return draw.choice([" ", " ", ", ", "\n"]).join(words)


def _in_prose(draw: random.Random, words: Sequence[str], text: str) -> str:
    """The words one after another in the places of those of a piece of text."""
    size = _WORD_AND_GAP * len(words)
    at = draw.randrange(max(1, len(text) - size))
    following = itertools.cycle(words)
    return fill(text[at : at + size], lambda _: next(following))
