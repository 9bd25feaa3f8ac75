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
_MARKUP = "`#*[]{}<>「|=\\_/"


@dataclass(frozen=True, slots=True)
class Fact:
    """Something a passage says, and what to ask so that only it can be meant.

    Attributes:
        kind: how it is asked.
        shown: the words of the passage that the question quotes.
        gold: the answer, a part of the passage or its heading.
        needle: words that must stand in no other passage, for the question to have one answer.
        target: of a two-hop question, what is asked for: ``year`` or ``quoted``.
        said: the gold as an answer says it, with its article; empty where it is the gold itself.
    """

    kind: Kind
    shown: str
    gold: str
    needle: str
    target: str = ""
    said: str = ""


_SHORTEST_SHOWN = {"en": 40, "zh": 12}
_LONGEST_SHOWN = {"en": 320, "zh": 120}
_SHORTEST_NEEDLE = {"en": 25, "zh": 8}
_YEAR = {
    "en": re.compile(r"\b(1[0-9]{3}|20[0-2][0-9])\b"),
    "zh": re.compile(r"(?<![0-9])(1[0-9]{3}|20[0-2][0-9])(?=年)"),
}
_QUOTED = {
    "en": re.compile(r"[“\"]((?![^”\"]{0,41}[\W_][,.]?[”\"])[A-Za-z](?:[^\W_]|[ ,'’]|-(?! )){3,40}?)[,.]?[”\"]"),
    "zh": re.compile(r"“([^《》“”，。、？！-]{2,16})”"),
}
_WORK = re.compile(r"《([^《》“”，。]{2,16})》")
# Letters of any alphabet: "Đài" and "Baha'i" are whole names, "Gerda's" is Gerda.
_CAPITAL = r"[^\W\d_a-zß-öø-ÿ][^\W\d_]+(?:-[^\W\d_]+|['’](?!s\b)[^\W\d_]+)*"
_NAME = {
    "en": re.compile(
        rf"(?<=[a-zà-ÿ,;] )({_CAPITAL}(?: (?:(?:of|the|de|von|van|and) )?{_CAPITAL}){{0,3}})(?![\w-]|['’](?!s\b))"
    ),
    "zh": re.compile(
        r"(?<![\u4e00-\u9fff·A-Za-z-])((?![如由和以被即])[\u4e00-\u9fff]{1,4}(?:·[^\W\d_A-Za-z是的在等和与及则也以所为]{1,5}){1,2})(?=[，。、（的])"
    ),
}
# Capitals that name nobody.
_NO_NAME = frozenset(
    (  # noqa: SIM905
        "His Her Their Our Its My Your He She They We You It This That These Those There Here Today Now Then "
        "However Thus Moreover Also But And Or If When While Note Yes No Not The An In On At For"
    ).split()
)
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
_OPEN_QUOTE = re.compile(r"[\"“”‘「『]|(?<!\w)['`*_]\w")
# Whoever answers may leave it out.
_ARTICLE = re.compile(r"^(?:The|An?) ")
# Only what says what something is: "The main idea is the difference" says which one.
_DEFINED = {
    "en": re.compile(
        r"(?P<term>\w[\w'’-]*(?: [\w'’-]+){0,5}) (?:is|are|was|were|refers to|means) "
        r"(?P<what>(?:an?|one of|the (?:\w+ )?(?:study|branch|art|science|practice|process|theory|doctrine|belief|"
        r"view|idea|name|ability|period|system|method|set|war|conflict|centre|center|capital)) [^.?!;]{30,240})\.$"
    ),
    "zh": re.compile(
        r"(?P<term>(?!这|那|它|他|她|其|此|该|另|一|于|在|不|也|更|而|但|就|真|最|每|各|所|有|作为|首先)"
        r"[^，。、；：？“”《》不仅的两]{1,9}?[^，。、；：？“”《》不仅的两就都也才还正只便乃既而于可但并总仍将或若该])"
        r"(?:则|便|也|就)?(?:是|指的是|被定义为)(?P<what>(?!“)[^。；？“”]{12,100})(?<!的)。$"
    ),
}
# A pronoun, an ordinal or half a sentence names nothing.
_NO_TERM = frozenset(
    (  # noqa: SIM905
        "that which who whom whose what this these those it he she they there here we you i his her its their "
        "our my your if when while where why how as for but such each all both some every any no not only "
        "even just like unlike most many few one another first second third fourth next last final main key "
        "central core crucial same other former latter ensuing resulting cornerstone heart goal purpose aim "
        "result outcome consequence effect idea point basis reason problem question answer since below above "
        "higher lower formally to then thus therefore hence indeed perhaps from with by on after before "
        "although though because today now up also however finally and believe believes argue argues say says "
        "hold holds claim claims is are was were text example type value year"
    ).split()
)
# What asks for help with a project says nothing worth a question, and an abbreviation ends no sentence.
_BOILERPLATE = re.compile(
    r"(?i)https?:|www\.|github|pull request|contribut|copyright|licen[cs]|sponsor|donat|"
    r"e\.g\.$|i\.e\.$|etc\.$|:\s*\d+\.$"
)


def facts(passage: Passage, language: str, kind: Kind) -> list[Fact]:
    """Every fact of ``kind`` in a passage, in the order of the text.

    Whether a needle stands in no other passage is not looked at here.
    """
    return list(_FINDERS[kind](passage, language))


def _blanks(passage: Passage, language: str) -> Iterator[Fact]:
    patterns = (_YEAR[language], _NUMBER[language], _QUOTED[language], _WORK)
    for sentence in _shown(passage, language):
        found = (match for pattern in patterns for match in pattern.finditer(sentence))
        for match in (*found, *_names(sentence, language)):
            before, gold, after = sentence[: match.start(1)], match.group(1), sentence[match.end(1) :]
            rest = max(before, after, key=len)
            # A gold that the rest of the sentence has as well would be no question.
            if len(rest) >= _SHORTEST_NEEDLE[language] and gold.casefold() not in (before + after).casefold():
                yield Fact("blank", before + BLANK + after, gold, rest.strip())


def _names(sentence: str, language: str) -> Iterator[re.Match[str]]:
    """Whole names: none that other capitals stand next to, as a part of it would be no answer."""
    for match in _NAME[language].finditer(sentence):
        before, after = sentence[: match.start()].rpartition(" ")[0].split(" ")[-1], sentence[match.end() :]
        near = (before.lstrip("\"“‘'("), after.lstrip(" ")[:1])
        if language != "en" or not (
            match.group(1) in _NO_NAME or any(part[:1].isupper() for one in near for part in one.split("-"))
        ):
            yield match


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
        if not match or match["term"].casefold() in match["what"].casefold() or not _is_quotable(sentence):
            continue
        article, gold = _ARTICLE.match(match["term"]), _ARTICLE.sub("", match["term"])
        # "The fleet" is one that was spoken of before.
        bare = article is not None and article[0] == "The " and gold.islower() and " " not in gold
        if not bare and _NO_TERM.isdisjoint((gold if article else gold[:1].lower() + gold[1:]).split()):
            said = f"{article[0].lower() if article else ''}{gold}"
            yield Fact("definition", match["what"], gold, match["what"], said=said)


def _two_hops(passage: Passage, language: str) -> Iterator[Fact]:
    """A name or quoted term that leads to the passage, and the first year or quotation elsewhere in it."""
    for target, find in (("year", _first_year), ("quoted", _first_quoted)):
        gold = find(passage, language)
        for sentence in passage.sentences if gold else ():
            for found in (*_names(sentence, language), *_QUOTED[language].finditer(sentence)):
                # The sentence that leads to the passage must not be the one that answers.
                if gold.casefold() not in sentence.casefold():
                    yield Fact("two-hop", found.group(1), gold, found.group(1), target)


def _first_year(passage: Passage, language: str) -> str:
    match = _SURE_YEAR[language].search(passage.text)
    # Any digit before it might be read as an earlier year, or be one.
    return match.group(1) if match and not any(char.isdigit() for char in passage.text[: match.start(1)]) else ""


def _first_quoted(passage: Passage, language: str) -> str:
    match = _QUOTED[language].search(passage.text)
    return match.group(1) if match and not _OPEN_QUOTE.search(passage.text[: match.start()]) else ""


def _shown(passage: Passage, language: str) -> Iterator[str]:
    """The sentences that a question may quote: neither short nor long, and without marks of quotation around."""
    for sentence in passage.sentences:
        if _SHORTEST_SHOWN[language] <= len(sentence) <= _LONGEST_SHOWN[language] and _is_quotable(sentence):
            yield sentence


def _is_quotable(text: str) -> bool:
    return BLANK not in text and not _BOILERPLATE.search(text) and not any(char in _MARKUP for char in text)


_FINDERS = {"blank": _blanks, "title": _titles, "definition": _definitions, "two-hop": _two_hops}
