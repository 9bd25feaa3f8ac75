"""Texts whose language is known: short and long prose, installed translations, and text that has none."""

from __future__ import annotations

import re
from dataclasses import dataclass

from curator.corpora.readers import READERS
from curator.corpora.shelf import find_card
from gate_bench import good_records, good_scripts, good_shapes, junk_strings, real_good
from gate_bench.draw import stream
from gate_bench.installed import package_files
from gate_bench.pieces import by_sentences
from gate_bench.vocabulary import LANGUAGES, half_text

SHORT, LONG = 60, 700
_EACH_SHORT, _EACH_LONG, _EACH_OTHER = 40, 20, 30
_ENTRY = re.compile(r'^msgid "([^"\n]{3,})"\nmsgstr "([^"\n]{3,})"', re.M)
_CODE_SIGN = re.compile(r"[(){}=;\[\]]")
_CODE = ("code:python", "code:c", "code:c++", "code:cython", "code:fortran", "code:21-languages", "code:stubs")


@dataclass(frozen=True, slots=True)
class Told:
    """A text in a known language.

    Attributes:
        text: the text.
        language: BCP 47; ``zxx`` for code, tables and ids.
        part: which part of the bench it is in: ``short``, ``long``, ``translations``, ``other`` or ``none``.
    """

    text: str
    language: str
    part: str


def told_texts(seed: int) -> list[Told]:
    """All texts, in the same order for the same seed."""
    return [*_prose(seed), *_translations(seed), *_other(seed), *_none(seed)]


def _prose(seed: int) -> list[Told]:
    """Of every language of dataset-build: sentences of about 60, and stretches of about 700 characters."""
    out, tags = [], _tags()
    for folder in ("eng", *LANGUAGES):
        draw, parts = stream(seed, "language", folder), by_sentences(half_text(folder, 1))
        # Chinese, Japanese and Korean say twice as much with a character.
        wide = 2 if folder in ("zho", "jpn", "kor") else 1
        short = [text for part in parts if 36 // wide <= len(text := " ".join(part.split())) <= 84 // wide]
        starts = draw.sample(range(len(parts) - 40), min(_EACH_LONG, len(parts) - 40))
        long = [_stretch(parts[start:], LONG // wide) for start in starts]
        out += [Told(text, tags[folder], "short") for text in draw.sample(short, min(_EACH_SHORT, len(short)))]
        out += [Told(text, tags[folder], "long") for text in long]
    return out


def _tags() -> dict[str, str]:
    """The BCP 47 code of each of dataset-build's folders, as the reader that ships has it."""
    found = {"eng": "en"}
    for name in ("dataset-build-languages", "dataset-build-chinese"):
        card = find_card(name)
        found |= {doc.unit.partition(":")[2].split("/")[0]: doc.language for doc in READERS[card.reader](card)}
    return found


def _stretch(parts: list[str], length: int) -> str:
    text = ""
    for part in parts:
        if len(text) >= length:
            break
        text += part
    return text.strip()


def _translations(seed: int) -> list[Told]:
    """Phrases of humanize's catalogues, three to six together: what they say of sizes and times."""
    out = []
    for file in package_files("humanize", "*.po", 9):
        language = file.path.parts[-3].replace("_", "-")
        # Klingon is a joke, and no detector's language.
        if language == "tlh":
            continue
        draw = stream(seed, "translations", file.name)
        found = sorted(
            {told for source, told in _ENTRY.findall(file.text()) if told != source and "%" not in told}
        )
        found += sorted({told.replace("%d", "3") for source, told in _ENTRY.findall(file.text()) if "%d" in told})
        for _ in range(10 if len(found) > 12 else 0):
            out.append(Told(", ".join(draw.sample(found, 6)), language, "translations"))
    return out


def _other(seed: int) -> list[Told]:
    """Languages of which nothing is installed, from phrases of ours; not every detector knows them."""
    languages = ("am", *good_scripts.OTHER_SCRIPTS, *good_scripts.OTHER_LANGUAGES)
    out = []
    for language in languages:
        make = good_scripts.in_language(language)
        texts = [make(stream(seed, "other", language, number), number % 2, 160) for number in range(10)]
        out += [Told(text, language, "other") for text in texts]
    return out


def _is_code(text: str) -> bool:
    """Whether half of the lines are code: comments alone are in English."""
    lines = [line for line in text.splitlines() if line.strip()]
    return 2 * sum(_CODE_SIGN.search(line) is not None for line in lines) >= len(lines)


def _none(seed: int) -> list[Told]:
    """Code, ids, digits and tables of numbers: in no language."""
    out = []
    for pool in real_good.POOLS:
        if pool.kind in _CODE:
            found = [piece.text for piece in real_good.real_good(pool, 1, 2 * _EACH_OTHER, seed)]
            out += [Told(text, "zxx", "none") for text in found if _is_code(text)][:_EACH_OTHER]
    makers = (junk_strings.uuids, junk_strings.hexadecimal, junk_strings.base_64, junk_strings.digits)
    for make in (*makers, good_records.lock_file, good_shapes.chemistry):
        draws = (stream(seed, "none", make.__name__, number) for number in range(_EACH_OTHER))
        out += [Told(make(draw, 1, 300), "zxx", "none") for draw in draws]
    return out
