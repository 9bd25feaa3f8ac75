"""Scoring in other processes, whose scores come home to the store of the command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from curator.engine.interface import Actors
from curator.recipe.schema import Continuity
from curator.scores.scorer import Scorer
from curator.scores.sentences import Sentence
from curator.scores.store import Entry, ScoresInMemory

# Texts that one process scores before the next gets some: enough that a GPU is busy, few enough that all are.
_TOGETHER = 4


class AwayScorer:
    """Scores continuity where it is; made once in a process, since it loads the embedder.

    Args:
        settings: the recipe's.
    """

    def __init__(self, settings: Continuity) -> None:
        self._found = ScoresInMemory()
        self.scorer = Scorer(settings, store=self._found)

    def __call__(self, texts: Sequence[Sequence[Sentence]]) -> list[Entry]:
        """What was found of some texts, each given by its sentences, for `Scorer.learn`."""
        for sentences in texts:
            self.scorer.score(sentences)
        return self._found.take()

    def take(self) -> list[Entry]:
        """All that was found since it was last asked."""
        return self._found.take()


class ScoringAfar:
    """Texts that other processes score, while this one goes on until it is asked for one of them.

    Args:
        actors: the processes, each with a GPU where there are any.
        settings: those of the scorer.
        scorer: waits for what is on its way, and learns what was found.
    """

    def __init__(self, actors: Actors, settings: Continuity, scorer: Scorer) -> None:
        self._actors = actors
        self._make = partial(AwayScorer, settings)
        self._scorer = scorer
        # In the order in which they are done. Those given while others are under way join them where the engine
        # looks again, and wait where it does not.
        self._parts: list[list[Sequence[Sentence]]] = []
        self._back = 0
        self._coming: Iterator[list[Entry]] | None = None
        self._asked: dict[str, int] = {}
        scorer.awaited = self._wait

    def ask(self, texts: Iterable[Sequence[Sentence]]) -> None:
        """Have texts scored, in this order; what is known, or asked for already, is left out."""
        new = {self._scorer.key(sentences): sentences for sentences in texts}
        new = {key: one for key, one in new.items() if key not in self._asked and not self._scorer.knows(key)}
        keys = list(new)
        for at in range(0, len(keys), _TOGETHER):
            part = keys[at : at + _TOGETHER]
            self._asked |= dict.fromkeys(part, len(self._parts))
            self._parts.append([new[key] for key in part])

    def _wait(self, key: str) -> None:
        """Until a text is scored, if it was asked for."""
        while self._asked.get(key, -1) >= self._back:
            self._receive()

    def _receive(self) -> None:
        entries = next(self._coming, None) if self._coming is not None else None
        if entries is None:
            # The parts before are done with.
            self._parts = self._parts[self._back :]
            self._asked = {key: part - self._back for key, part in self._asked.items() if part >= self._back}
            self._back = 0
            self._coming = iter(self._actors.map_by_actors(self._make, self._parts))
            entries = next(self._coming)
        # Not needed any more; the list itself is the engine's as well.
        self._parts[self._back] = []
        self._back += 1
        self._scorer.learn(entries)
