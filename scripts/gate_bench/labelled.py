"""The labelled set: texts that a person would call junk or good, by class, in two halves.

Half 0 is to learn on and half 1 to report on. A unit of a source (a package, a file, a generator's words) is in
one half only; files of dataset-build, which are one for a language, are cut in the middle.

A label must be one that a person would give at a glance. So these are left out: mojibake of languages that stay
readable (French, German), tables of numbers without heads, sorted lists of dictionary words, dumps of machine
code, whole RECORD files, catalogues of translations that are mostly empty, unconnected sentences (dataset-build's
``weird.txt``), and short junk that could be text: a class's ``least`` says from how many characters on it can be
told.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from gate_bench import (
    good_chat,
    good_code,
    good_records,
    good_scripts,
    good_shapes,
    good_words,
    junk_repeat,
    junk_scripts,
    junk_strings,
    junk_tokens,
    junk_words,
    real_good,
    real_junk,
)
from gate_bench.draw import LONGEST, SHORTEST, draw_length, stream
from gate_bench.embedded import LEAST as EMBEDDED_LEAST
from gate_bench.embedded import PLACES, SMALL, SMALL_SHARES, Make, embed
from gate_bench.pieces import Piece, without_seen

EACH = 80
"""Texts of a class in a half, where there are as many; junk inside good text has half as many in each place."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """One text with its label.

    Attributes:
        id: unique, and the same for the same seed.
        text: 40 to 4,000 characters.
        is_junk: the label.
        kind: its class, such as ``uuid``, ``embedded:uuid@tail`` or ``code:fortran``.
        origin: file or generator that it is from.
        half: 0 to learn on, 1 to report on, 2 for the blind part.
        ours: whether a generator of ours made it (or put it into shape).
    """

    id: str
    text: str
    is_junk: bool
    kind: str
    origin: str
    half: int
    ours: bool


@dataclass(frozen=True, slots=True)
class Maker:
    """A class that a generator makes.

    Attributes:
        kind: its name.
        make: makes one text of about a length.
        least: characters below which its label could be in doubt.
    """

    kind: str
    make: Make
    least: int = SHORTEST


JUNK = (
    Maker("uuid", junk_strings.uuids),
    Maker("hex", junk_strings.hexadecimal),
    Maker("base64", junk_strings.base_64),
    Maker("base32", junk_strings.base_32),
    Maker("base85", junk_strings.base_85, 60),
    Maker("random-letters", junk_strings.letters),
    Maker("digits", junk_strings.digits, 60),
    Maker("short-codes", junk_strings.short_codes, 60),
    # Forty characters of words may by chance be a phrase; so may a made word be a name.
    Maker("salad:uniform", junk_words.uniform_salad, 120),
    Maker("salad:frequency", junk_words.frequency_salad, 160),
    Maker("salad:foreign", junk_words.foreign_salad, 160),
    Maker("salad:mixed", junk_words.mixed_salad, 120),
    Maker("coded-words", junk_words.coded_words, 80),
    Maker("keyboard-mash", junk_words.keyboard_mash),
    Maker("repeated-lines", junk_repeat.repeated_lines, junk_repeat.LEAST),
    Maker("repeated-words", junk_repeat.repeated_words, junk_repeat.LEAST),
    Maker("tokens:bpe", junk_tokens.byte_pairs, junk_tokens.LEAST),
    Maker("tokens:wordpiece", junk_tokens.word_pieces, junk_tokens.LEAST),
    Maker("mojibake", junk_scripts.mojibake, 60),
    Maker("salad:han", junk_scripts.han_salad),
    Maker("salad:kana-hangul", junk_scripts.kana_hangul_salad),
    Maker("salad:thai-indic-ethiopic", junk_scripts.indic_thai_salad),
)
_EMBEDDED = [
    "uuid",
    "hex",
    "base64",
    "base32",
    "random-letters",
    "digits",
    "short-codes",
    "salad:uniform",
    "salad:frequency",
    "salad:foreign",
    "coded-words",
    "keyboard-mash",
    "repeated-lines",
    "tokens:bpe",
    "mojibake",
    "salad:han",
]
GOOD = (
    Maker("json-guid", good_records.guid_json, 260),
    Maker("git-log", good_records.git_log, 160),
    Maker("lock-file", good_records.lock_file, 320),
    Maker("access-log", good_records.access_log, 100),
    Maker("system-log", good_records.system_log, 60),
    Maker("table", good_shapes.table, 80),
    Maker("poem", good_shapes.poem),
    Maker("posts", good_shapes.posts),
    Maker("replies", good_shapes.replies),
    Maker("chemistry", good_shapes.chemistry),
    Maker("cooking", good_shapes.cooking, 160),
    Maker("steps", good_shapes.steps, 60),
    Maker("amharic", good_scripts.in_language("am")),
    Maker("other-scripts", good_scripts.in_language(*good_scripts.OTHER_SCRIPTS)),
    Maker("other-languages", good_scripts.in_language(*good_scripts.OTHER_LANGUAGES)),
    Maker("index", good_words.index),
    Maker("glossary", good_words.glossary),
    Maker("help-page", good_words.help_page),
    Maker("no-spaces:east", good_words.without_spaces_east),
    Maker("no-spaces:latin", good_words.without_spaces_latin),
    Maker("chinese-english", good_words.mixed_chinese_english),
    Maker("stack-trace", good_code.stack_trace, 120),
    Maker("minified", good_code.minified, 80),
    Maker("difference", good_code.difference, 120),
    Maker("tutorial", good_code.tutorial),
    Maker("links", good_code.linked, 60),
    Maker("latex:sympy", good_code.formulas, 50),
)
_REAL_JUNK: dict[str, Callable[[int, int, int], list[Piece]]] = {
    "real:certificates": real_junk.certificates,
    "real:digests": real_junk.record_digests,
    "real:compiled": real_junk.compiled,
    "real:blobs": real_junk.blobs,
}


def family(kind: str) -> str:
    """The junk that a class is about: ``uuid`` for ``embedded:uuid@tail``; for others the class itself."""
    return kind.removeprefix("embedded:").partition("@")[0]


def build_labelled(seed: int) -> list[Labelled]:
    """The whole set, in an order that depends on nothing but the seed and what is installed."""
    made = [*_junk(seed), *_good(seed)]
    seen: set[str] = set()
    out = []
    for one in made:
        if one.text not in seen and SHORTEST <= len(one.text) <= LONGEST:
            seen.add(one.text)
            out.append(one)
    return out


def junk_makers() -> Iterator[Maker]:
    """Classes of junk that generators make: alone, and inside good text."""
    yield from JUNK
    by_kind = {maker.kind: maker for maker in JUNK}
    for kind in _EMBEDDED:
        inner = by_kind[kind]
        for place in PLACES:
            least = max(EMBEDDED_LEAST, 3 * inner.least)
            yield Maker(f"embedded:{kind}@{place}", embed(inner.make, place, inner.least), least)
    for place in PLACES:
        yield Maker(f"small-stretch@{place}", _any_small(by_kind, place), 3 * SMALL)


def _junk(seed: int) -> Iterator[Labelled]:
    for maker in junk_makers():
        count = EACH // 2 if maker.kind.startswith("embedded:") else EACH
        for half in (0, 1):
            yield from made(maker, True, count, seed, half)
    for name, take in _REAL_JUNK.items():
        for half in (0, 1):
            yield from taken(name, True, half, take(half, EACH, seed))


def _any_small(by_kind: dict[str, Maker], place: str) -> Make:
    """A small stretch of some kind of junk in a long text: to be found, and cut or refused by choice."""

    def made(draw: random.Random, half: int, length: int) -> str:
        # A sentence that comes back for a page is no rubbish yet: repetition is judged by its share.
        inner = by_kind[draw.choice([kind for kind in _EMBEDDED if kind != "repeated-lines"])]
        return embed(inner.make, place, max(SMALL, inner.least), SMALL_SHARES)(draw, half, length)

    return made


def _good(seed: int) -> Iterator[Labelled]:
    for maker in GOOD:
        for half in (0, 1):
            yield from made(maker, False, EACH, seed, half)
    for pool in real_good.POOLS:
        count = 2 * EACH if pool.kind.startswith("prose") else EACH
        learnt, reported = (real_good.real_good(pool, half, count, seed) for half in (0, 1))
        yield from taken(pool.kind, False, 0, learnt)
        yield from taken(pool.kind, False, 1, without_seen(reported, learnt))
    for half in (0, 1):
        for language, name in real_good.ALONE.items():
            yield from taken(name, False, half, real_good.one_language(language, half, EACH, seed))
        for kind in good_chat.CARDS:
            yield from taken(kind, False, half, good_chat.questions(kind, half, EACH, seed), ours=True)
        yield from taken("mathematics", False, half, real_good.mathematics(half, EACH, seed))


def made(maker: Maker, is_junk: bool, count: int, seed: int | str, half: int) -> Iterator[Labelled]:
    """So many texts of a class that a generator makes."""
    for number in range(count):
        draw: random.Random = stream(seed, maker.kind, half, number)
        text = maker.make(draw, half, draw_length(draw, maker.least))[:LONGEST].strip()
        # A few come out shorter than asked for (tokens that decode to little).
        if len(text) >= maker.least:
            yield Labelled(f"{maker.kind}/{half}/{number}", text, is_junk, maker.kind, "made", half, True)


def taken(kind: str, is_junk: bool, half: int, pieces: list[Piece], ours: bool = False) -> Iterator[Labelled]:
    """Labelled texts of pieces."""
    for number, piece in enumerate(pieces):
        yield Labelled(f"{kind}/{half}/{number}", piece.text, is_junk, kind, piece.origin, half, ours)
