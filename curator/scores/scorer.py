"""Continuity of texts, computed once for each text and kept."""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from curator.recipe.schema import Continuity
from curator.scores.continuity import VERSION
from curator.scores.document import DocumentContinuity, SentenceEncoder, score_windows
from curator.scores.embedder import Embedder
from curator.scores.sentences import Sentence
from curator.scores.store import Entry, ScoresInMemory, ScoreStore, content_key

# Steps take texts by batches of so many: continuity and duplicates in meaning ask for each one after the other.
RECENT = 64


class FingerprintedEncoder(SentenceEncoder, Protocol):
    """An embedder whose vectors can be known again."""

    @property
    def fingerprint(self) -> str:
        """What its vectors depend on beside the sentences."""


class Scorer:
    """Scores by one embedder, from the store where the same sentences were scored before.

    Args:
        settings: the recipe's; they name the embedder and the number of windows.
        tell: called with a line when the store is of no use.
        encoder: in place of the embedder that the settings name.
        store: in place of the one in the user's cache folder.

    Attributes:
        awaited: called with the key of a text before it is looked for; who has it scored elsewhere waits for it
            here.
    """

    def __init__(
        self,
        settings: Continuity,
        tell: Callable[[str], None] = lambda _line: None,
        encoder: FingerprintedEncoder | None = None,
        store: ScoreStore | ScoresInMemory | None = None,
    ) -> None:
        self._encoder = Embedder(settings.embedder) if encoder is None else encoder
        self._store = ScoreStore(tell) if store is None else store
        self._windows = settings.windows
        self._recent: OrderedDict[str, DocumentContinuity] = OrderedDict()
        self.awaited: Callable[[str], None] = lambda _key: None

    def score(self, sentences: Sequence[Sentence]) -> DocumentContinuity:
        """Continuity of the sentences of a text; the places of its windows are those of the sentences.

        Raises:
            DependencyError: the embedder cannot be loaded.
        """
        offset, moved = _at_start(sentences)
        key = self._key(moved)
        found = self._recent.pop(key, None) or self._found(key, moved)
        self._recent[key] = found
        if len(self._recent) > RECENT:
            self._recent.popitem(last=False)
        return _moved(found, offset)

    def key(self, sentences: Sequence[Sentence]) -> str:
        """What the score of a text is kept under, wherever the text stands."""
        return self._key(_at_start(sentences)[1])

    def knows(self, key: str) -> bool:
        """Whether the score under a key is there without the embedder."""
        return key in self._recent or self._store.get(key) is not None

    def learn(self, entries: Iterable[Entry]) -> None:
        """Keep what a scorer of the same settings found elsewhere."""
        for entry in entries:
            self._store.put(*entry)

    def _key(self, moved: Sequence[Sentence]) -> str:
        places = (f"{one.start}:{one.end}:{one.text}" for one in moved)
        return content_key(VERSION, self._encoder.fingerprint, str(self._windows), *places)

    def _found(self, key: str, sentences: Sequence[Sentence]) -> DocumentContinuity:
        self.awaited(key)
        stored = self._store.get(key)
        if stored is not None:
            return DocumentContinuity.from_json(*stored)
        found = score_windows(sentences, self._encoder, self._windows)
        self._store.put(key, found.as_json(), found.vector.tobytes())
        return found


def _at_start(sentences: Sequence[Sentence]) -> tuple[int, list[Sentence]]:
    """Where the sentences begin, and the same from place 0: the same text at another place has the same score."""
    offset = sentences[0].start if sentences else 0
    return offset, [dataclasses.replace(one, start=one.start - offset, end=one.end - offset) for one in sentences]


def _moved(found: DocumentContinuity, offset: int) -> DocumentContinuity:
    windows = [dataclasses.replace(one, start=one.start + offset, end=one.end + offset) for one in found.windows]
    return dataclasses.replace(found, windows=tuple(windows))
