"""What can be asked about a passage: facts that stand in it word for word."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from curator.corpora.generators.qa.passages import Passage

Kind = Literal["blank", "title", "definition", "two-hop"]
KINDS: tuple[Kind, ...] = ("blank", "title", "definition", "two-hop")
BLANK = "____"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something a passage says, and what to ask so that only it can be meant.

    Attributes:
        kind: how it is asked.
        shown: the words of the passage that the question quotes.
        gold: the answer, a part of the passage or its heading.
        needle: words that must stand in no other passage, for the question to have one answer.
        target: of a two-hop question, what is asked for: ``year`` or ``quoted``.
    """

    kind: Kind
    shown: str
    gold: str
    needle: str
    target: str = ""


_SHORTEST_SHOWN = {"en": 40, "zh": 12}
_LONGEST_SHOWN = {"en": 320, "zh": 120}
_SHORTEST_NEEDLE = {"en": 25, "zh": 8}
_YEAR = {
    "en": re.compile(r"\b(1[0-9]{3}|20[0-2][0-9])\b"),
    "zh": re.compile(r"(?<![0-9])(1[0-9]{3}|20[0-2][0-9])(?=年)"),
}
_QUOTED = {
    "en": re.compile(r"[“\"]([A-Za-z][\w ,'’-]{3,40}?)[,.]?[”\"]"),
    "zh": re.compile(r"“([^《》“”，。、]{2,16})”"),
}
_WORK = re.compile(r"《([^《》“”，。]{2,16})》")
_CAPITAL = r"[A-Z][a-zé]{2,}(?:-[A-Za-zé]{2,})*(?:[’'][a-z]{2,})?"
_NAME = {
    "en": re.compile(rf"(?<=[a-z,;] )({_CAPITAL}(?: (?:(?:of|the|de|von|van|and) )?{_CAPITAL}){{0,3}})\b"),
    "zh": re.compile(r"(?<![\u4e00-\u9fff·])([\u4e00-\u9fff]{1,4}(?:·[\u4e00-\u9fff]{1,5}){1,2})(?=[，。、（的])"),
}
# A year that is surely one: other four digits may count men or miles.
_SURE_YEAR = {
    "en": re.compile(
        r"\b(?:[Ii]n|[Ss]ince|[Uu]ntil|[Bb]etween|[Ff]rom) (1[0-9]{3}|20[0-2][0-9])(?=[,.;)]| (?:and|to|by|the)\b)"
    ),
    "zh": _YEAR["zh"],
}
_NUMBER = {
    "en": re.compile(r"(?<![\w.,-])(\d{1,3}(?:,\d{3})+|\d{2,}(?:\.\d+)?|\d+\.\d+)(?![\w,.-]*\d)(?=[ ,.;%)])"),
    "zh": re.compile(r"(?<![\w.])(\d{2,}(?:\.\d+)?)(?=[个多亿万%米公年月人度])"),
}
# Whoever answers may leave it out.
_ARTICLE = re.compile(r"^(?:The|An?) ")
# A pronoun or a word like "This" names nothing.
_DEFINED = {
    "en": re.compile(
        r"(?P<term>(?!(?:This|That|These|Those|It|He|She|They|There|Here|What|Which|We|You|I|His|Her|Its|Their|One|Another|"
        r"If|When|While|As|In|At|For|But|And|Such|Each|All|Both|Some|First|Second|Finally|However|Today)\b)"
        r"[A-Z][\w '’-]{2,45}?)"
        r" (?:is|are|was|were|refers to|means) (?P<what>(?:an?|the|one of) [^.?!;]{35,240})\.$"
    ),
    "zh": re.compile(
        r"(?P<term>(?!这|那|它|他|她|其|此|该|另|一|于|在|不|也|更|而|但|就|真|最|作为|首先)[^，。、；：？“”《》不仅的两]{2,10}?)"
        r"(?:则|便|也)?(?:是|指的是|被定义为)(?P<what>(?!“)[^。；？“”]{12,100})。$"
    ),
}


def facts(passage: Passage, language: str, kind: Kind) -> list[Fact]:
    """Every fact of ``kind`` in a passage, in the order of the text.

    Whether a needle stands in no other passage is not looked at here.
    """
    return list(_FINDERS[kind](passage, language))


def _blanks(passage: Passage, language: str) -> Iterator[Fact]:
    for sentence in _shown(passage, language):
        for pattern in (_YEAR[language], _NUMBER[language], _QUOTED[language], _NAME[language], _WORK):
            for match in pattern.finditer(sentence):
                before, gold, after = sentence[: match.start(1)], match.group(1), sentence[match.end(1) :]
                rest = max(before, after, key=len)
                # A gold that the rest of the sentence has as well would be no question.
                if len(rest) >= _SHORTEST_NEEDLE[language] and gold.casefold() not in (before + after).casefold():
                    yield Fact("blank", before + BLANK + after, gold, rest.strip())


def _titles(passage: Passage, language: str) -> Iterator[Fact]:
    title = passage.heading
    if len(title) < _SHORTEST_NEEDLE[language] // 2 or (language == "en" and " " not in title):
        return
    for sentence in _shown(passage, language):
        if title.casefold() not in sentence.casefold():
            yield Fact("title", sentence, title, sentence)


def _definitions(passage: Passage, language: str) -> Iterator[Fact]:
    for sentence in passage.sentences:
        match = _DEFINED[language].match(sentence)
        if match and match["term"].casefold() not in match["what"].casefold() and _is_quotable(match["what"]):
            yield Fact("definition", match["what"], _ARTICLE.sub("", match["term"]), match["what"])


def _two_hops(passage: Passage, language: str) -> Iterator[Fact]:
    """A name or quoted term that leads to the passage, and the first year or quotation elsewhere in it."""
    for target, find in (("year", _first_year), ("quoted", _first_quoted)):
        gold = find(passage, language)
        for sentence in passage.sentences if gold else ():
            for found in (*_NAME[language].finditer(sentence), *_QUOTED[language].finditer(sentence)):
                # The sentence that leads to the passage must not be the one that answers.
                if gold.casefold() not in sentence.casefold():
                    yield Fact("two-hop", found.group(1), gold, found.group(1), target)


def _first_year(passage: Passage, language: str) -> str:
    match = _SURE_YEAR[language].search(passage.text)
    # Any digit before it might be read as an earlier year, or be one.
    return match.group(1) if match and not any(char.isdigit() for char in passage.text[: match.start(1)]) else ""


def _first_quoted(passage: Passage, language: str) -> str:
    match = _QUOTED[language].search(passage.text)
    return match.group(1) if match and not any(char in '"“”‘「' for char in passage.text[: match.start()]) else ""


def _shown(passage: Passage, language: str) -> Iterator[str]:
    """The sentences that a question may quote: neither short nor long, and without marks of quotation around."""
    for sentence in passage.sentences:
        whole = not sentence.endswith(("e.g.", "i.e.", "etc."))
        if (
            whole
            and _SHORTEST_SHOWN[language] <= len(sentence) <= _LONGEST_SHOWN[language]
            and _is_quotable(sentence)
        ):
            yield sentence


def _is_quotable(text: str) -> bool:
    return BLANK not in text and not any(char in "`#*[]{}<>「" for char in text)


_FINDERS = {"blank": _blanks, "title": _titles, "definition": _definitions, "two-hop": _two_hops}
