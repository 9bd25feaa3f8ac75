"""Scoring in other processes, whose scores come home to the store of the command."""

from __future__ import annotations

from collections.abc import Sequence
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


def score_afar(actors: Actors, settings: Continuity, scorer: Scorer, texts: Sequence[Sequence[Sentence]]) -> None:
    """Have other processes score texts that will be asked for soon.

    Args:
        actors: the processes, each with a GPU where there are any.
        settings: those of the scorer.
        scorer: learns what they find.
        texts: each by its sentences.
    """
    new = [sentences for sentences in texts if not scorer.knows(sentences)]
    parts = [new[at : at + _TOGETHER] for at in range(0, len(new), _TOGETHER)]
    for entries in actors.map_by_actors(partial(AwayScorer, settings), parts):
        scorer.learn(entries)
