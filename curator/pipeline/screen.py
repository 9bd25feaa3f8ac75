"""The chain of a recipe over the pieces of its sources, each piece judged once."""

from __future__ import annotations

from curator.gates.language import UNDETERMINED
from curator.pipeline.steps.chain import chain, run_chain
from curator.pipeline.steps.kinds import CODE, is_code
from curator.pipeline.steps.leakage import Watched
from curator.pipeline.steps.step import Scores
from curator.pipeline.verdict import Verdict
from curator.recipe.schema import Recipe
from curator.scores.scorer import Scorer
from curator.select.pieces import Piece


class Screen:
    """The gates and scores of one recipe.

    Args:
        recipe: gives their settings.
        against: what no piece may share word runs with.
        scorer: for continuity.

    Attributes:
        steps: the chain, in the order in which it is asked.
    """

    def __init__(self, recipe: Recipe, against: Watched, scorer: Scorer) -> None:
        self.steps = chain(recipe, against, scorer)
        self._recipe = recipe
        self._known: dict[str, Verdict] = {}

    def judge(self, piece: Piece) -> Verdict:
        """The verdict on a piece; the same whenever it is asked for again."""
        if piece.id not in self._known:
            used, scores, drop = run_chain(self.steps, piece)
            self._known[piece.id] = Verdict(used, drop, scores, self._language(piece, scores))
        return self._known[piece.id]

    def _language(self, piece: Piece, scores: Scores) -> str:
        """The document's language; where it is not known but looked at anyway, the one found."""
        document = piece.document
        if document.language != UNDETERMINED or document.low_continuity:
            return document.language
        return CODE if is_code(document) else str(scores.get("language", UNDETERMINED))
