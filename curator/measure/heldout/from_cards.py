"""Held-out prompts from the cards' held-out units: questions as they are, and stretches of text."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from curator._seed import stable_hash
from curator.corpora.card import Card
from curator.corpora.document import Document, conversation_text
from curator.corpora.languages import primary_subtag
from curator.corpora.shelf import available, load_cards
from curator.gates.random_text import find_random_texts
from curator.measure.heldout.cells import WantedCell
from curator.measure.heldout.generated import CountText, as_prompt
from curator.measure.heldout.prompt import Prompt
from curator.measure.heldout.shipped import MAX_RANDOM, heldout_documents

_ANY_LANGUAGE = ("zxx", "und", "mul")
# A stretch that reaches less far below its length than this is cut no better.
_ENOUGH = 0.99
_LEAST_LEFT = 400
_GAP = "\n\n"


@dataclass(slots=True)
class _Stream:
    """Texts to cut from and questions to ask, each given once, in the order of their hashes."""

    texts: deque[Document]
    questions: deque[Document]


class FromCards:
    """Makes prompts of cards that keep a quarter of their units for them.

    Args:
        count: counts the tokens of a text.
    """

    def __init__(self, count: CountText) -> None:
        self._count = count
        self._streams: dict[tuple[str, str], _Stream] = {}

    def prompts(self, kind: str, cell: WantedCell, lengths: tuple[int, ...]) -> Iterator[Prompt]:
        """Prompts of these lengths, fewer where the text does not suffice."""
        stream = self._stream(kind, primary_subtag(cell.language))
        for length in lengths:
            document = self._question(stream, cell) or self._stretch(stream, length, cell)
            if document is not None:
                yield as_prompt(document, cell)

    def _question(self, stream: _Stream, cell: WantedCell) -> Document | None:
        """The next question of the cell's length; those of other lengths wait for their cells."""
        for document in stream.questions:
            if cell.low <= self._count(conversation_text((document.messages or ())[:-1])) <= cell.high:
                stream.questions.remove(document)
                return document
        return None

    def _stretch(self, stream: _Stream, length: int, cell: WantedCell) -> Document | None:
        """A stretch of ``length`` tokens, of one text or of several one after another."""
        used: list[Document] = []
        tokens = 0
        while stream.texts and tokens < length:
            used.append(stream.texts.popleft())
            # A text's own tokens: joined they are fewer by a few at most, which the cut counts.
            tokens += self._count((_GAP if len(used) > 1 else "") + used[-1].text)
        text = _GAP.join(one.text for one in used)
        cut = self._cut(text, length) if tokens > length else len(text)
        if self._count(text[:cut].strip()) < cell.low:
            # Shorter cells may still use them.
            stream.texts.extendleft(reversed(used))
            return None
        if len(rest := text[cut:].strip()) >= _LEAST_LEFT:
            # The rest is of the last text; it comes again behind all others.
            stream.texts.append(replace(used[-1], id=f"{used[-1].id}+", text=rest))
        licences = list(dict.fromkeys(one.licence for one in used))
        licence = licences[0] if len(licences) == 1 else " AND ".join(f"({one})" for one in licences)
        return replace(used[0], text=text[:cut].strip(), licence=licence)

    def _cut(self, text: str, length: int) -> int:
        """The last end of a word with which the text has no more than ``length`` tokens."""
        low, high = 0, len(text)
        while high - low > 1:
            middle = (low + high) // 2
            tokens = self._count(text[:middle])
            if tokens > length:
                high = middle
            else:
                low = middle
                if tokens >= _ENOUGH * length:
                    break
        space = max(text.rfind(" ", 0, low), text.rfind("\n", 0, low))
        return space if space > 0 else low

    def _stream(self, kind: str, language: str) -> _Stream:
        if (kind, language) not in self._streams:
            fits = [card for card in self._cards if card.task == kind and _speaks(card, language)]
            documents = [document for card in fits for document in heldout_documents(card.id)]
            documents.sort(key=lambda document: stable_hash("heldout", document.id))
            texts = [one for one in documents if not one.messages]
            random = find_random_texts([one.text for one in texts])
            self._streams[kind, language] = _Stream(
                deque(one for one, found in zip(texts, random, strict=True) if found.share <= MAX_RANDOM),
                deque(one for one in documents if one.messages),
            )
        return self._streams[kind, language]

    @cached_property
    def _cards(self) -> list[Card]:
        cards = load_cards().values()
        return [card for card in cards if card.heldout and card.reader and not available(card)]


def _speaks(card: Card, language: str) -> bool:
    return language in _ANY_LANGUAGE or card.language in (language, "zxx")
