"""The chain of a recipe over the pieces of its sources, each piece judged once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from curator.engine.interface import Actors
from curator.gates.language import UNDETERMINED
from curator.pipeline.steps.chain import Outcome, chain, run_chains, split_chain
from curator.pipeline.steps.continuity import sentences_for
from curator.pipeline.steps.kinds import CODE, is_code
from curator.pipeline.steps.leakage import Watched
from curator.pipeline.steps.step import Scores
from curator.pipeline.verdict import Verdict
from curator.recipe.schema import Recipe
from curator.scores.afar import ScoringAfar
from curator.scores.scorer import Scorer
from curator.scores.sentences import Sentence
from curator.select.pieces import Piece


class Screen:
    """The gates and scores of one recipe.

    Args:
        recipe: gives their settings.
        against: what no piece may share word runs with.
        scorer: for continuity.
        actors: processes that score ahead what is likely to be judged soon; without them nothing is.

    Attributes:
        steps: the chain, in the order in which it is asked.
    """

    def __init__(self, recipe: Recipe, against: Watched, scorer: Scorer, actors: Actors | None = None) -> None:
        self._afar = None if actors is None else ScoringAfar(actors, recipe.continuity, scorer)
        self.steps = chain(recipe, against, scorer)
        self._alone, self._rest = split_chain(self.steps)
        self._known: dict[str, Verdict] = {}
        self._ahead: dict[str, Outcome] = {}

    def expect(self, pieces: Iterable[Piece]) -> None:
        """Measure together, for their speed, pieces that are likely to be judged soon.

        No verdict hangs on it: what depends on the pieces judged before, and what is dear, waits for `judge`.
        Other processes, where there are any, begin with what is dear.
        """
        new = {piece.id: piece for piece in pieces if piece.id not in self._known and piece.id not in self._ahead}
        found = run_chains(self._alone, list(map(Outcome, new.values())))
        self._ahead |= dict(zip(new, found, strict=True))
        if self._afar is not None:
            self._afar.ask(self._embedded(found))

    def _embedded(self, found: Sequence[Outcome]) -> list[list[Sentence]]:
        """The sentences of pieces whose continuity will be asked for, unless they are duplicates."""
        step = next(step for step in self.steps if step.name == "continuity")
        passed = [one.piece for one in found if one.drop is None and step.applies(one.piece.document)]
        return [sentences_for(piece) for piece in passed]

    def judge(self, piece: Piece) -> Verdict:
        """The verdict on a piece; the same whenever it is asked for again."""
        if piece.id not in self._known:
            self.expect([piece])
            (found,) = run_chains(self._rest, [self._ahead.pop(piece.id)])
            language = self._language(piece, found.scores)
            self._known[piece.id] = Verdict(found.piece, found.drop, found.scores, language)
        return self._known[piece.id]

    @staticmethod
    def _language(piece: Piece, scores: Scores) -> str:
        """The document's language; where it is not known but looked at anyway, the one found."""
        document = piece.document
        if document.language != UNDETERMINED or document.low_continuity:
            return document.language
        return CODE if is_code(document) else str(scores.get("language", UNDETERMINED))
