"""The language reference that comes with Python (``pydoc_data.topics``), as prose."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping

from curator._errors import DependencyError
from curator.corpora.card import Card
from curator.corpora.document import Document
from curator.corpora.readers.plain_text import tidy
from curator.corpora.readers.reader_options import card_options

_UNIT = "python-reference"
_UNDERLINE = re.compile(r"[*=\-~^\"#]{3,}\s*$")
_TABLE = re.compile(r"\s*(\+[-=+]{3,}|\|.*\|\s*$|-\[ .* \]-\s*$)")
_FOOTNOTE = re.compile(r"(?<=[\w.,;:)\"”’]) \[\d{1,2}\](?=[\s.,;:)]|$)", re.M)
_BULLET = re.compile(r"(\* |\d+\. )")
_SHORT = 80
_SHORTEST_TOPIC = 200


def read(card: Card) -> Iterator[Document]:
    """One document a topic, in the order of the topic names.

    All of it is one book, so one unit. Topics contain each other (``compound`` holds ``if``): a longer
    paragraph is kept once, in the longest topic that has it, and topics with nothing else left are not given.

    Raises:
        DependencyError: this Python came without ``pydoc_data`` (some distributions split it off).
    """
    card_options(card, {})
    for name, paragraphs in clean_topics().items():
        yield Document(
            id=f"{card.id}/{name}",
            corpus=card.id,
            unit=_UNIT,
            task=card.task,
            language=card.language,
            licence=card.licence,
            text="\n\n".join(paragraphs),
        )


def clean_topics() -> dict[str, list[str]]:
    """Clean every topic: paragraphs by sorted topic name, none of 80 characters or more twice.

    Raises:
        DependencyError: as in `read`.
    """
    topics = _topics()
    seen: set[str] = set()
    kept: dict[str, list[str]] = {}
    for name in sorted(topics, key=lambda name: (-len(topics[name]), name)):
        fresh: list[str] = []
        for part in topic_paragraphs(topics[name]):
            if len(part) < _SHORT or part not in seen:
                fresh.append(part)
                seen.add(part)
        if sum(len(part) for part in fresh if len(part) >= _SHORT) >= _SHORTEST_TOPIC:
            kept[name] = fresh
    return {name: kept[name] for name in sorted(kept)}


def topic_paragraphs(text: str) -> list[str]:
    """Paragraphs of one topic, without what reST left behind.

    Removed: heading underlines, grid tables, ``-[ Footnotes ]-`` rules and footnote marks. Lines of a
    paragraph or list item at the left margin are joined; indented text (code, grammar, descriptions of
    attributes) keeps its lines.
    """
    lines = [line for line in tidy(text).split("\n") if not _is_residue(line)]
    paragraphs = [part.strip("\n") for part in re.split(r"\n\s*\n", "\n".join(lines))]
    return [_FOOTNOTE.sub("", _unwrap(part)) for part in paragraphs if part.strip()]


def _is_residue(line: str) -> bool:
    return bool(_UNDERLINE.match(line) or _TABLE.match(line))


def _unwrap(paragraph: str) -> str:
    lines = paragraph.split("\n")
    margin = 2 if _BULLET.match(lines[0]) else 0
    body = lines[1:]
    indents = {len(line) - len(line.lstrip()) for line in body}
    if lines[0].startswith(" ") or not indents <= {margin} or any(_BULLET.match(line.lstrip()) for line in body):
        return paragraph
    return " ".join(line.strip() for line in lines)


def _topics() -> Mapping[str, str]:
    try:
        topics: Mapping[str, str] = importlib.import_module("pydoc_data.topics").topics
    except ImportError as error:
        raise DependencyError(
            "python-topics: this Python has no pydoc_data; install its full standard library"
        ) from error
    return topics
