"""What the detector of random text learns from: good text, junk, and good text spoilt in general ways."""

from __future__ import annotations

import itertools
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gate_bench.draw import stream
from gate_bench.labelled import Labelled, family
from gate_bench.train_sources import fold_sources

_NOT_LEARNT = ("embedded:", "small-stretch", "repeated-")
_PROSE = ("prose:", "mathematics", "chinese", "japanese", "korean", "arabic", "hindi", "thai", "hebrew", "readme")
_SPOILT = 4
"""Texts of prose for each one that is spoilt in a given way."""
_STRINGS, _ENGLISH, _OTHER, _STIRRED = 400, 100, 6, 3
_LEAST_WORDS = 800
_NUMBERS = 600
_FORMS = (
    "ISBN 978-0-00-000000-0", "+00 00 0000 0000", "(000) 000-0000", "2000-00-00 00:00:00", "00.00.2000",
    "0.00000000000000", "00,000,000.00 EUR", "00.0000 N, 0.0000 E", "0000 0000 0000 0000", "v0.00.0",
    "00:00-00:00", "10.0000/000-0000-0", "000.000.00.000:0000", "0 + 00 = 00", "$000.00",
    "IBAN 00 0000 0000 0000 0000", "00/00 00 %", "00 x 00 x 000 mm",
    "^^^^ 000000Z 00000G00KT 00SM FEW000 00/00 A0000", "Flight ^^ 0000, gate ^00", "^^00 ^^^",
    "^00.0: see also ^00.0 and ^00-^00", "SN 0^00^^000, PN 000-00000-^",
    "id: ~~~~~~~~-~~~~-4~~~-a~~~-~~~~~~~~~~~~",
    '{"id":"~~~~~~~~-~~~~-4~~~-a~~~-~~~~~~~~~~~~"}', "MD5: ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~",
    "commit ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~", "Fixed in ~~~~~~~ and ~~~~~~~.", "5'-&&&&&&&&&&&&&&&&&&-3'",
    ">seq0\n&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&&", "C00H00N0O0, ^aCl, ^^a0, ^aSO4", "CC(=O)Nc0ccc(O)cc0",
    "https://example.org/news?id=0`^0`^0``", "#``` #^^^ @```00 https://t.example/`^0``^0^",
)  # fmt: skip
_SIGNS = {
    "0": "0123456789", "^": "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "~": "0123456789abcdef", "&": "ACGT",
    "`": "abcdefghijklmnopqrstuvwxyz",
}  # fmt: skip
"""What stands for a character of a form."""
_PIECES = {"prose": 40, "code": 6, "messages": 2, "manual": 6, "docs": 6}
"""Pieces of a source in each half, by its kind."""
_MORE = {"docs:en@": 40, "docs:zh@": 40, "docs:all@": 300}
"""More pieces of these: of the users' languages, and of the many that are in one source."""
_NO_TEXT = "docs:words"
_NO_LANGUAGE = (_NO_TEXT, "docs:all")
_REGION = 100_000
"""Characters of a source whose words are stirred."""
_MIXED = 240
"""Texts in two languages in each half."""
_SAME = 60
_BLOCKS = (
    "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "!#$%&()*+,-./:;<=>?@[]^_{|}~",
    "абвгдежзийклмнопрстуфхцчшщъыьэюя", "αβγδεζηθικλμνξοπρστυφχψω",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Example:
    """A text, and which part of it is junk.

    Attributes:
        text: the text.
        start: offset of the junk; the same as ``end`` for none.
        end: offset behind the junk.
        kind: its class, for weights.
        fold: which half of the sources of the tables it is not from.
    """

    text: str
    start: int
    end: int
    kind: str
    fold: int


def make_examples(
    texts: Iterable[Labelled], sources: Mapping[str, str], leave_out: str | None = None, *, strictly: bool = False
) -> list[Example]:
    """Examples of the half to learn on.

    Args:
        texts: labelled texts; those of the other half are not looked at.
        sources: good texts in many languages that the tables are made from.
        leave_out: family of junk, such as ``uuid``, that is not learnt from; ``salad`` for all of them.
        strictly: leave out the general ways of spoiling text too that come near to the family.
    """
    spared = _near(leave_out) if strictly else ()
    learnt = [one for one in texts if one.half == 0 and not one.kind.startswith(_NOT_LEARNT)]
    good = [one for one in learnt if not one.is_junk]
    junk = [one for one in learnt if one.is_junk and not _is_left_out(one.kind, leave_out)]
    folds = [fold_sources(sources, fold) for fold in (0, 1)]
    behind = "\n".join(text for name, text in folds[1].items() if name.startswith(("prose:", "code:")))
    # Statistics of a text itself would make it look better than any new text does.
    fold = {one.id: 0 if one.text[:_SAME] in behind else 1 for one in good}
    out = [Example(one.text, 0, 0, one.kind, fold[one.id]) for one in good]
    out += _further(folds)
    out += [one for place in (0, 1) for one in _mixed(folds[place], 1 - place)]
    out += [Example(text, 0, 0, "numbers", 0) for text in _numbers()]
    out += [Example(one.text, 0, len(one.text), one.kind, place % 2) for place, one in enumerate(junk)]
    out += _placed(good, junk, fold)
    prose = [one for one in good if one.kind.startswith(_PROSE)]
    for name, spoil in _WAYS.items():
        out += [_spoilt(one, name, spoil, fold[one.id]) for one in prose[::_SPOILT]]
    out += [one for place in (0, 1) for one in _vocabulary(folds[place], 1 - place)]
    draw = stream("strings")
    strings = [_string(draw) for _ in range(_STRINGS)]
    out += [Example(text, 0, len(text), "spoilt:strings", 0) for text in strings]
    return [one for one in out if one.kind not in spared]


def _near(leave_out: str | None) -> tuple[str, ...]:
    """The ways of spoiling text that make much the same as a family of junk."""
    family_name = (leave_out or "").partition(":")[0]
    if family_name == "salad":
        return ("spoilt:words", "spoilt:distinct words", "spoilt:vocabulary", "spoilt:characters")
    if family_name in {"random-letters", "keyboard-mash", "coded-words"}:
        return ("spoilt:letters", "spoilt:characters", "spoilt:strings", "spoilt:made words")
    return ("spoilt:strings",)


def _further(folds: Sequence[Mapping[str, str]]) -> list[Example]:
    """Pieces of the sources, each for the tables of the other half."""
    out: list[Example] = []
    for fold, sources in enumerate(folds):
        for name, text in sources.items():
            draw = stream("further", name, fold)
            more = [count for start, count in _MORE.items() if name.startswith(start)]
            wanted = more[0] if more else _PIECES.get(name.partition(":")[0], 1)
            kind = name.partition("@")[0] if name.startswith(("prose:", "docs:")) else "further"
            for _ in range(0 if name.startswith(_NO_TEXT) else wanted):
                at = draw.randrange(max(1, len(text) - 1500))
                out.append(Example(text[at : at + round(12 * 125 ** draw.random())], 0, 0, kind, 1 - fold))
    return out


def _mixed(sources: Mapping[str, str], fold: int) -> list[Example]:
    """Paragraphs or sentences of two languages in turn, such as Chinese and English."""
    draw, out = stream("two languages", fold), []
    chinese = sorted(name for name in sources if name.startswith(("docs:zh@", "prose:zho")))
    english = sorted(name for name in sources if name.startswith(("docs:en@", "prose:eng")))
    every = sorted(name for name in sources if name.startswith("prose:"))
    for _ in range(_MIXED):
        pair = [draw.choice(chinese), draw.choice(english)] if draw.random() < 0.6 else draw.sample(every, 2)
        size, parts = draw.choice([60, 120, 250]), list[str]()
        places = [draw.randrange(max(1, len(sources[name]) - 2000)) for name in pair]
        for number in range(draw.randint(2, 8)):
            text, at = sources[pair[number % 2]], places[number % 2]
            parts.append(text[at : at + draw.randint(size // 2, 2 * size)])
            places[number % 2] += len(parts[-1])
        out.append(Example(draw.choice(["\n", "\n\n", " "]).join(parts), 0, 0, "two languages", fold))
    return out


def _numbers() -> list[str]:
    """Short texts of numbers that mean something, one or a few in a line."""
    draw, out = stream("numbers"), []
    for _ in range(_NUMBERS):
        form = draw.choice(_FORMS)
        parts = ["".join(draw.choice(_SIGNS.get(sign, sign)) for sign in form)] * draw.choice([1, 1, 1, 2])
        out.append(draw.choice(["", "", "Tel. ", "No. ", "= "]) + draw.choice([", ", "\n", " - "]).join(parts))
    return out


def _vocabulary(sources: Mapping[str, str], fold: int) -> list[Example]:
    """Words of a source in no order: each distinct one as likely as any other, or as often as they come."""
    out: list[Example] = []
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
                drawn = draw.choices(listed, k=round(10 * 40 ** draw.random()))
                joined = draw.choice([" ", " ", ", "]).join(drawn)
                out.append(Example(joined, 0, len(joined), "spoilt:vocabulary", fold))
    return out


_REAL = {"base64": ("real:certificates", "real:blobs"), "hex": ("real:digests",)}
"""Found junk that is of a family."""


def _is_left_out(kind: str, leave_out: str | None) -> bool:
    if leave_out is None:
        return False
    return family(kind) == leave_out or kind.startswith(f"{leave_out}:") or kind in _REAL.get(leave_out, ())


def _placed(good: Sequence[Labelled], junk: Sequence[Labelled], fold: Mapping[str, int]) -> list[Example]:
    """Junk between good text, at a line or within one."""
    draw, out = stream("placed"), []
    for one in junk:
        first, second = draw.choice(good), draw.choice(good)
        before, behind = first.text[-600:], second.text[:600]
        joint = draw.choice(["\n", "\n\n", " "])
        start = len(before) + len(joint)
        out.append(
            Example(
                before + joint + one.text + joint + behind, start, start + len(one.text), one.kind, fold[first.id]
            )
        )
    return out


def _spoilt(one: Labelled, name: str, spoil: Callable[[random.Random, str], str], fold: int) -> Example:
    text = spoil(stream(name, one.id), one.text)
    return Example(text, 0, len(text), f"spoilt:{name}", fold)


def _stir_words(draw: random.Random, text: str) -> str:
    words = text.split()
    # A script without spaces has no words to stir here, but characters.
    if len(words) * 15 < len(text):
        return _stir_characters(draw, text)
    draw.shuffle(words)
    return " ".join(words)


def _stir_characters(draw: random.Random, text: str) -> str:
    chars = list(text)
    draw.shuffle(chars)
    return "".join(chars)


def _draw_letters(draw: random.Random, text: str) -> str:
    letters = sorted({char for char in text if char.isalpha()})
    return "".join(draw.choice(letters) if char.isalpha() else char for char in text)


def _draw_words(draw: random.Random, text: str) -> str:
    words = sorted(set(text.split()))
    return (
        " ".join(draw.choices(words, k=len(words))) if len(words) * 15 >= len(text) else _draw_letters(draw, text)
    )


def _make_words(draw: random.Random, text: str) -> str:
    """Words as long as the text's, of letters that follow each other there."""
    after: defaultdict[str, list[str]] = defaultdict(list)
    for first, second in itertools.pairwise(text.lower()):
        if first.isalpha() and second.isalpha():
            after[first].append(second)
    starts = sorted(after)
    words = []
    for word in text.split():
        made = draw.choice(starts) if starts else word
        while len(made) < len(word):
            made += draw.choice(after.get(made[-1]) or starts or [word])
        words.append(made)
    return " ".join(words)


_WAYS: dict[str, Callable[[random.Random, str], str]] = {
    "words": _stir_words,
    "distinct words": _draw_words,
    "characters": _stir_characters,
    "letters": _draw_letters,
    "made words": _make_words,
}


def _string(draw: random.Random) -> str:
    """Characters of an alphabet that is drawn itself, with or without breaks."""
    blocks = draw.sample(_BLOCKS, draw.choice([1, 1, 2, 3]))
    signs = "".join(
        "".join(draw.sample(block, draw.randint(max(2, len(block) // 4), len(block)))) for block in blocks
    )
    gap = draw.choice(["", " ", " ", "\n", ", "])
    parts = ["".join(draw.choices(signs, k=draw.randint(2, 24))) for _ in range(draw.randint(8, 120))]
    return gap.join(parts)
