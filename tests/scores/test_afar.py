"""Scores that other processes find while this one goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from word_encoder import WordEncoder

from curator.recipe.schema import Continuity
from curator.scores import afar
from curator.scores.afar import ScoringAfar
from curator.scores.scorer import Scorer
from curator.scores.sentences import Sentence, sentence_spans
from curator.scores.store import Entry, ScoreStore


def text(number: int) -> list[Sentence]:
    return sentence_spans("".join(f"Sentence {at} of text {number} is about bread. " for at in range(6)))


class Here:
    """Actors in this process, at work when they are waited for; they see tasks that are added, or do not."""

    def __init__(self, looks_again: bool) -> None:
        self.done: list[list[Sequence[Sentence]]] = []
        self._looks_again = looks_again

    def map_by_actors(self, make: Callable[[], Callable[[Any], Any]], tasks: Sequence[Any]) -> Iterator[Any]:
        function = make()
        for task in tasks if self._looks_again else list(tasks):
            self.done.append(task)
            yield function(task)


class Away:
    """Scores with words in place of a model."""

    def __init__(self, settings: Continuity) -> None:
        from curator.scores.store import ScoresInMemory

        self._found = ScoresInMemory()
        self._scorer = Scorer(settings, encoder=WordEncoder(), store=self._found)

    def __call__(self, texts: Sequence[Sequence[Sentence]]) -> list[Entry]:
        for sentences in texts:
            self._scorer.score(sentences)
        return self._found.take()


@pytest.fixture
def scorer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoder: WordEncoder) -> Scorer:
    monkeypatch.setattr(afar, "AwayScorer", Away)
    return Scorer(Continuity(), encoder=encoder, store=ScoreStore(pytest.fail, tmp_path))


@pytest.mark.parametrize("looks_again", [True, False])
def test_nothing_is_waited_for_before_it_is_needed(
    scorer: Scorer, encoder: WordEncoder, looks_again: bool
) -> None:
    actors = Here(looks_again)
    ahead = ScoringAfar(actors, Continuity(), scorer)
    ahead.ask(map(text, range(10)))
    assert actors.done == []
    alone = Scorer(Continuity(), encoder=WordEncoder(), store=afar.ScoresInMemory())
    # Four texts a part: the sixth is in the second.
    assert scorer.score(text(5)) == alone.score(text(5))
    assert [len(part) for part in actors.done] == [4, 4]
    # Asked while the third part is still to be done.
    ahead.ask(map(text, range(8, 13)))
    assert [scorer.score(text(number)) for number in range(13)] == [
        alone.score(text(number)) for number in range(13)
    ]
    asked = [one for part in actors.done for one in part]
    assert asked == [text(number) for number in range(13)]
    # All of it was found elsewhere.
    assert encoder.calls == []


def test_what_is_known_or_was_never_asked_is_not_sent(scorer: Scorer, encoder: WordEncoder) -> None:
    actors = Here(looks_again=True)
    ahead = ScoringAfar(actors, Continuity(), scorer)
    scorer.score(text(1))
    ahead.ask([text(1), text(2), text(2)])
    scorer.score(text(2))
    scorer.score(text(3))
    assert actors.done == [[text(2)]]
    assert len(encoder.calls) == 2
