"""What the detector of random text learns from: good text, junk, and good text spoilt in general ways."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from gate_bench.draw import stream
from gate_bench.labelled import Labelled, family
from gate_bench.spoil import CASED_WAYS, WAYS, is_cased
from gate_bench.spoil_vocabulary import made_vocabularies, stirred_words, two_vocabularies
from gate_bench.train_sources import fold_sources, hide_languages

_NOT_LEARNT = ("embedded:", "small-stretch", "repeated-")
_PROSE = ("prose:", "mathematics", "chinese", "japanese", "korean", "arabic", "hindi", "thai", "hebrew", "readme")
_SPOILT = 4
"""Texts of prose for each one that is spoilt in a given way."""
_STRINGS = 400
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
_UNKNOWN = {"docs:all@": 1500, "prose:": 24}
"""Pieces of a source in a language that the last tables know nothing of; of others `_UNKNOWN_PIECES`."""
_UNKNOWN_PIECES = 8
WITHOUT_SOME = 2
"""Place of the tables without some languages."""
_VOCABULARIES: dict[str, Callable[[Mapping[str, str], int], Iterable[str]]] = {
    "vocabulary": stirred_words,
    "two vocabularies": two_vocabularies,
    "made vocabulary": made_vocabularies,
}
_STIRRED_WORDS = ("spoilt:words", "spoilt:distinct words", "spoilt:vocabulary", "spoilt:two vocabularies")
_MADE_WORDS = ("spoilt:made words", "spoilt:syllables", "spoilt:exchanged letters", "spoilt:made vocabulary")
_MIXED = 720
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
        fold: which half of the sources of the tables it is not from; `WITHOUT_SOME` for tables without its
            language.
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
    out += _unknown(hide_languages(sources)[1])
    out += [Example(text, 0, 0, "numbers", 0) for text in _numbers()]
    out += [Example(one.text, 0, len(one.text), one.kind, place % 2) for place, one in enumerate(junk)]
    out += _placed(good, junk, fold)
    prose = [one for one in good if one.kind.startswith(_PROSE)]
    for name, spoil in WAYS.items():
        spoilt = [one for one in prose[::_SPOILT] if name not in CASED_WAYS or is_cased(one.text)]
        out += [_junk(spoil(stream(name, one.id), one.text), f"spoilt:{name}", fold[one.id]) for one in spoilt]
    for name, make in _VOCABULARIES.items():
        out += [
            _junk(text, f"spoilt:{name}", 1 - place) for place in (0, 1) for text in make(folds[place], 1 - place)
        ]
    draw = stream("strings")
    strings = [_string(draw) for _ in range(_STRINGS)]
    out += [_junk(text, "spoilt:strings", 0) for text in strings]
    return [one for one in out if one.kind not in spared]


def _near(leave_out: str | None) -> tuple[str, ...]:
    """The ways of spoiling text that make much the same as a family of junk."""
    family_name = (leave_out or "").partition(":")[0]
    if family_name == "salad":
        return (*_STIRRED_WORDS, "spoilt:characters")
    if family_name in {"random-letters", "keyboard-mash", "coded-words"}:
        return (*_MADE_WORDS, "spoilt:letters", "spoilt:characters", "spoilt:strings")
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


def _unknown(hidden: Mapping[str, str]) -> list[Example]:
    """Pieces of languages that the last tables know nothing of: what cannot be told is not junk.

    None in scripts without case: a whole script that is not known looks as random letters of it do.
    """
    out: list[Example] = []
    for name, text in hidden.items():
        draw = stream("unknown", name)
        wanted = [count for start, count in _UNKNOWN.items() if name.startswith(start)]
        for _ in range(wanted[0] if wanted else _UNKNOWN_PIECES):
            at = draw.randrange(max(1, len(text) - 1500))
            piece = text[at : at + round(60 * 25 ** draw.random())]
            kind = "declarations" if name.startswith("docs:all@") else name.partition(":")[0]
            out += [Example(piece, 0, 0, f"unknown {kind}", WITHOUT_SOME)] if is_cased(piece) else []
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
        kind = "Chinese and English" if pair[0] in chinese else "two languages"
        out.append(Example(draw.choice(["\n", "\n\n", " "]).join(parts), 0, 0, kind, fold))
    return out


def _numbers() -> list[str]:
    """Short texts of numbers that mean something, one or a few in a line."""
    draw, out = stream("numbers"), []
    for _ in range(_NUMBERS):
        form = draw.choice(_FORMS)
        parts = ["".join(draw.choice(_SIGNS.get(sign, sign)) for sign in form)] * draw.choice([1, 1, 1, 2])
        out.append(draw.choice(["", "", "Tel. ", "No. ", "= "]) + draw.choice([", ", "\n", " - "]).join(parts))
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


def _junk(text: str, kind: str, fold: int) -> Example:
    return Example(text, 0, len(text), kind, fold)


def _string(draw: random.Random) -> str:
    """Characters of an alphabet that is drawn itself, with or without breaks."""
    blocks = draw.sample(_BLOCKS, draw.choice([1, 1, 2, 3]))
    signs = "".join(
        "".join(draw.sample(block, draw.randint(max(2, len(block) // 4), len(block)))) for block in blocks
    )
    gap = draw.choice(["", " ", " ", "\n", ", "])
    parts = ["".join(draw.choices(signs, k=draw.randint(2, 24))) for _ in range(draw.randint(8, 120))]
    return gap.join(parts)
