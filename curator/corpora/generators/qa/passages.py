"""Short titled passages of real prose: what questions over documents are asked about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from curator._errors import InputError
from curator.corpora.document import Document
from curator.corpora.generators.runs import runs
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers import READERS
from curator.corpora.shelf import available, find_card

CARDS = {
    "en": ("python-topics", "package-docs", "dataset-build-prose"),
    "zh": ("dataset-build-chinese",),
}
"""Prose cards by language; those whose text is not installed are passed over."""
_MORE = {"en": "python-qa"}
"""Where further text for the longest samples is: the answers of a card of questions."""
LICENCES = {
    "en": ("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "Python-2.0"),
    "zh": ("BSD-2-Clause",),
}
"""Documents under any other licence are passed over, so that a sample's licence is known beforehand."""
_LONGEST = {"en": 600, "zh": 200}
_SHORTEST = {"en": 120, "zh": 40}
_PROSE = 0.85
_LONGEST_TITLE = 90
# "St. Peter" and "J. S. Bach" go on; what ends in a quotation mark or a bracket does not.
_SENTENCE = {
    "en": re.compile(r"(?:(?<=[.!?])(?<!\b(?:St|Dr|Mr)\.)(?<!\b[A-Z]\.)|(?<=[.!?][\"”)]))\s+(?=[A-Z\"“‘(*`])"),
    "zh": re.compile(r"(?<=[。！？])(?![”’』」）])|(?<=[。！？][”’』」）])"),
}
_ENDS = {"en": (".", "!", "?", '."', ".”", '!"', '?"', "!”", "?”"), "zh": ("。", "！", "？", "。”", "！”", "？”")}
_MARK = re.compile(r"^#{1,6}\s+|\s+#+$")
_NUMBER = re.compile(r"^\d{1,2}(?:\.\d{1,2})?\.?\s+")
_EMPHASIS = re.compile(r"(?<![\w\"'*])(\*{1,3})(?=\w)([^*\n]{1,400})(?<=[\w.:!?)])\1(?![\w\"'*])")
# What is printed above a section, and no line of data, badge or notice.
_HEADING = {
    "en": re.compile(r"[^\W_a-z\d][\w\s'’‘\"“”–—,:&?!.()+/-]*|\"[\w\s]+\"[\w\s'’–—-]*"),
    "zh": re.compile(r"[\w\s“”《》：、，·—（）()-]+？?"),
}
_NOTICE = re.compile(r"(?i)copyright|licen[cs]e|all rights|contribut|\bsee\b")
_LEAST_CHINESE = {"heading": 0.4, "prose": 0.6}
_CODE = re.compile(r"[=_{}<>\[\]\\;/$@]|\w\(|\.\w|^\W*$|^>")
_LIST_ITEM = re.compile(r"\s*([-*+•]|\d{1,2}[.)])\s")
# In Chinese a paragraph is one line.
_BLOCKS = {
    "en": re.compile(r"\n[ \t]*\n|\n(?=#)|(?<=\n)(#[^\n]*)\n|\n(?=[ \t]{0,8}(?:[-*+•]|\d{1,2}[.)])[ \t])"),
    "zh": re.compile(r"\n"),
}


@dataclass(frozen=True, slots=True)
class Passage:
    """Some sentences in a row, from one section of a document.

    Attributes:
        heading: title of the section.
        part: which passage of that section it is, from 1.
        parts: how many there are.
        sentences: its sentences.
        text: the sentences joined.
        unit: what the held-out split did not cut through.
    """

    heading: str
    part: int
    parts: int
    sentences: tuple[str, ...]
    text: str
    unit: str


def has_passages(language: str, *, heldout: bool) -> bool:
    """Whether there is any prose of this language and side here."""
    return bool(_found(language, heldout=heldout))


def passages(language: str, *, heldout: bool) -> tuple[Passage, ...]:
    """Every passage of one side of the held-out split, in the order of the cards; none comes twice.

    Held-out samples read held-out units only (in Chinese: essays), and calibration samples read none of
    these, whatever a card says about itself.

    Raises:
        InputError: there is no prose of this language and side here.
    """
    found = _found(language, heldout=heldout)
    if found:
        return found
    if heldout:
        raise InputError(f"generate qa: no held-out prose in {language!r} is here; ask in another language")
    lines = " or ".join(line for line in (find_card(card).install for card in CARDS[language]) if line)
    raise InputError(f"generate qa: no prose in {language!r} is installed; type: {lines}")


def more_passages(language: str, *, heldout: bool) -> tuple[Passage, ...]:
    """Passages of documentation beside the prose, for samples longer than all of that; reading takes seconds."""
    return _more_sides(language)[not heldout]


def _found(language: str, *, heldout: bool) -> tuple[Passage, ...]:
    return _sides(language)[not heldout]


_Sides = tuple[tuple[Passage, ...], tuple[Passage, ...]]
"""The held-out passages and those for calibration."""


@lru_cache(maxsize=2)
def _sides(language: str) -> _Sides:
    documents = [
        document
        for card in map(find_card, CARDS[language])
        if not available(card)
        for document in READERS[card.reader](card)
        if document.licence in LICENCES[language]
    ]
    return _parted(documents, language, set())


@lru_cache(maxsize=2)
def _more_sides(language: str) -> _Sides:
    if language not in _MORE:
        return (), ()
    card = find_card(_MORE[language])
    seen = {passage.text for side in _sides(language) for passage in side}
    conversations = ((one, one.messages) for one in READERS[card.reader](card))
    answers = [replace(one, text=messages[-1].content) for one, messages in conversations if messages]
    heldout, calibration = _parted(answers, language, seen)
    prose_heldout, prose_calibration = _sides(language)
    return _apart(heldout, prose_calibration, language), _apart(calibration, prose_heldout, language)


def _parted(documents: Sequence[Document], language: str, seen: set[str]) -> _Sides:
    # What sources copy from each other stays held out, if any of them is; sentences that they share, too.
    heldout, calibration = (
        tuple(passage for one in documents for passage in _passages(one, language, seen, heldout=side))
        for side in (True, False)
    )
    return heldout, _apart(calibration, heldout, language)


def _apart(found: Sequence[Passage], others: Sequence[Passage], language: str) -> tuple[Passage, ...]:
    """The passages that share no run of words with the others."""
    taboo = {run for passage in others for run in runs(passage.text, language)}
    return tuple(passage for passage in found if taboo.isdisjoint(runs(passage.text, language)))


def _passages(document: Document, language: str, seen: set[str], *, heldout: bool) -> Iterator[Passage]:
    for heading, paragraphs in sections(document, language):
        # One unit is all the Chinese prose there is: its essays, which have nothing in common, are told apart.
        unit = f"{document.unit}/{heading}" if language == "zh" else document.unit
        fresh = [text for text in paragraphs if text not in seen] if is_heldout(unit) == heldout else []
        seen.update(fresh)
        groups = _groups([one for text in fresh for one in _split(text, language)], language)
        for part, group in enumerate(groups, start=1):
            yield Passage(heading, part, len(groups), group, _gap(language).join(group), unit)


def sections(document: Document, language: str) -> Iterator[tuple[str, list[str]]]:
    """Headings of a document, each with the running paragraphs below it.

    What comes before the first heading is called after the document, and left out in Chinese, where the
    document's name says nothing.
    """
    heading = "" if language == "zh" else _name(document)
    paragraphs: list[str] = []
    # A marked heading may stand right above its text, and a list right below.
    for block in _BLOCKS[language].split(f"\n{document.text}"):
        line = _EMPHASIS.sub(r"\2", (block or "").strip())
        title = _heading(line, language)
        if title is not None:
            if paragraphs and heading:
                yield heading, paragraphs
            heading, paragraphs = title, []
        elif _is_prose(line, language):
            paragraphs.append(" ".join(line.split()))
    if paragraphs and heading:
        yield heading, paragraphs


def _name(document: Document) -> str:
    """The package, or the topic or file, that a document is about."""
    if document.unit.startswith("package:"):
        return document.unit.removeprefix("package:")
    return document.id.rpartition("/")[2].partition("#")[0].replace("_", " ")


def _heading(line: str, language: str) -> str | None:
    """The title that a line is, without marks and number; empty where what is below it is not wanted."""
    marked = bool(_MARK.match(line))
    title = _NUMBER.sub("", _MARK.sub("", line)).removesuffix(":").strip()
    if "\n" in line or (not marked and (_LIST_ITEM.match(line) or line.endswith((":", "：", ",", ";")))):
        return None
    # A question names a subject first where it is a heading: else somebody asks it.
    ends = tuple(end for end in _ENDS[language] if end != "？" or "：" not in title)
    if not marked and title.endswith(ends):
        return None
    good = (
        3 <= len(title) <= _LONGEST_TITLE
        and _HEADING[language].fullmatch(title)
        and not _CODE.search(title)
        and not _NOTICE.search(title)
        and "： " not in title
        and (language != "zh" or _chinese(title) >= _LEAST_CHINESE["heading"] * len(title))
    )
    return title if good else "" if marked else None


def _is_prose(text: str, language: str) -> bool:
    if _LIST_ITEM.match(text) or not text.endswith(_ENDS[language]) or text.startswith((">", "`", "#")):
        return False
    if language == "zh" and _chinese(text) < _LEAST_CHINESE["prose"] * len(text):
        return False
    letters = sum(char.isalpha() or char in " ，。、" for char in text)
    return len(text) >= _SHORTEST[language] and letters >= _PROSE * len(text)


def _chinese(text: str) -> int:
    return sum("\u4e00" <= char <= "\u9fff" for char in text)


def _split(text: str, language: str) -> list[str]:
    found = (one.strip() for one in _SENTENCE[language].split(text))
    # What is far longer than a passage is no sentence.
    return [one for one in found if 0 < len(one) <= 2 * _LONGEST[language]]


def _groups(sentences: list[str], language: str) -> list[tuple[str, ...]]:
    """Sentences in runs of about equal length, none longer than a passage may be where sentences allow it."""
    total = sum(map(len, sentences))
    count = max(1, round(total / _LONGEST[language] + 0.5))
    groups: list[list[str]] = [[] for _ in range(count)]
    passed = 0
    for sentence in sentences:
        groups[min(count - 1, passed * count // max(1, total))].append(sentence)
        passed += len(sentence)
    return [tuple(group) for group in groups if group]


def _gap(language: str) -> str:
    return "" if language == "zh" else " "
