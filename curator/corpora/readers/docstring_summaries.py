"""The sentence or two that sum up a documented object, and whether two of them say much the same."""

from __future__ import annotations

import re
from dataclasses import dataclass

from curator._seed import stable_hash
from curator.corpora.readers.docstrings import Described, Kind

BLANK = "____"
_LONGEST = 220
_SHORT = 60
_FEWEST_WORDS = 6
_FEWEST_TELLING = 3
_SENTENCE = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)\s+(?=[A-Z`'\"*])")
# What only points elsewhere, or warns, says nothing of the object itself.
_POINTER = re.compile(
    r"(?i)(see|same|like|as|ditto|alias|helper|internal|todo|deprecated|warning|note|usage|don't|do not|"
    r"overrid\w+|implements?|subclass\w*|this (class|method|function) is|\w+ version of)\b"
)
_MARKUP = re.compile(r"::|>>>|\|\s|[{}<>\\=]|https?:|\b[A-Z]{3,} [A-Z]{3,}\b")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PLAIN = frozenset(
    re.findall(
        r"\w+",
        "the and for this that with from are was has have its into not can will which when what than then "
        "return returns returned given other any all one use used using if true false none object",
    )
)


@dataclass(frozen=True, slots=True)
class Summary:
    """What a documented object is, in a sentence or two.

    Attributes:
        kind: class, function or method.
        module: dotted module name.
        name: full dotted name.
        text: the first sentences of its docstring.
        blanked: ``text`` with the object's own name left out.
        telling: stems of the words of ``blanked`` that tell it from others.
        mentioned: every name and word of ``text``.
        chance: a hash of the name, for choices by chance.
    """

    kind: Kind
    module: str
    name: str
    text: str
    blanked: str
    telling: frozenset[str]
    mentioned: frozenset[str]
    chance: int

    @property
    def parent(self) -> str:
        """The class or module that holds the object."""
        return self.name.rpartition(".")[0]

    @property
    def last(self) -> str:
        """The object's own name."""
        return self.name.rpartition(".")[2]

    @property
    def spells_name(self) -> bool:
        """Whether ``blanked`` still has every part of the name, as "Replaces a header" of ``replace_header``."""
        return set(_stems(" ".join(_PART.findall(self.last)))) <= set(_stems(self.blanked))


def summarise(module: str, item: Described) -> Summary | None:
    """Sum up an object of a module; ``None`` when its docstring does not begin with telling prose."""
    text = _first_sentences(item.text)
    name = f"{module}.{item.name}"
    # A name such as `which` would be blanked out in the midst of any sentence.
    if not text or item.kind == "module" or name.rpartition(".")[2].lower() in _PLAIN:
        return None
    blanked = _blank(text, item.name)
    telling = frozenset(stem for stem in _stems(blanked) if stem not in _PLAIN)
    if len(telling) < _FEWEST_TELLING or blanked.count(BLANK) > 2:
        return None
    mentioned = frozenset(re.findall(r"\w+", text))
    return Summary(item.kind, module, name, text, blanked, telling, mentioned, stable_hash("summary", name))


def alike(one: Summary, other: Summary) -> bool:
    """Whether one could be taken for the other.

    They could when their own names are equal, when one mentions the other, and when over half of the telling
    words of one are the other's too.
    """
    if one.last.lower() == other.last.lower() or one.last in other.mentioned or other.last in one.mentioned:
        return True
    return 2 * len(one.telling & other.telling) > min(len(one.telling), len(other.telling))


def _first_sentences(docstring: str) -> str:
    sentences = _SENTENCE.split(" ".join(docstring.split("\n\n", 1)[0].split()))
    text = sentences[0]
    for sentence in sentences[1:]:
        if len(text) >= _SHORT or len(text) + len(sentence) >= _LONGEST:
            break
        text += f" {sentence}"
    good = (
        text[:1].isupper() and text.endswith(".") and len(text) <= _LONGEST and len(text.split()) >= _FEWEST_WORDS
    )
    return "" if not good or _POINTER.match(text) or _MARKUP.search(text) else text


def _blank(text: str, name: str) -> str:
    *outer, last = name.split(".")
    # Looked for first: to compile a pattern for every name would take longer than all the rest.
    if last.lower() in text.lower():
        text = re.sub(rf"(?i)(?<![\w.]){re.escape(last)}(?!\w)(\(\))?", BLANK, text)
    for part in outer:
        if not part.islower() and part in text:
            text = re.sub(rf"(?<!\w){re.escape(part)}(?!\w)", BLANK, text)
    return text


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in re.findall(r"[A-Za-z]{3,}", text)]


def _stem(word: str) -> str:
    word = word.lower()
    for ending in ("ing", "ed", "es", "e", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word.removesuffix(ending)
    return word
