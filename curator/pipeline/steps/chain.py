"""The chain of a recipe: cheap steps before dear ones, so that nothing is embedded that a cheap gate refuses."""

from __future__ import annotations

from collections.abc import Sequence

from curator.gates.drop import Drop
from curator.pipeline.steps.continuity import code_continuity_step, continuity_step
from curator.pipeline.steps.duplicates import duplicates_step, near_duplicates_step, semantic_duplicates_step
from curator.pipeline.steps.language import language_step
from curator.pipeline.steps.leakage import Watched, leakage_step
from curator.pipeline.steps.length import length_step, licence_step
from curator.pipeline.steps.personal_data import personal_data_step
from curator.pipeline.steps.random_text import random_text_step
from curator.pipeline.steps.repetition import repetition_step
from curator.pipeline.steps.step import Scores, Step
from curator.recipe.schema import Recipe
from curator.scores.scorer import Scorer
from curator.select.pieces import Piece


def chain(recipe: Recipe, against: Watched, scorer: Scorer) -> list[Step]:
    """The steps of a recipe, in the order in which they are asked.

    Those of the duplicates remember what they have seen: a chain belongs to one run.

    Args:
        recipe: gives the limits.
        against: what texts may not share word runs with.
        scorer: scores continuity.
    """
    gates = recipe.gates
    return [
        # First, so that nothing of what is masked is judged, stored or shown.
        personal_data_step(gates),
        length_step(gates),
        licence_step(gates),
        random_text_step(gates),
        repetition_step(gates),
        language_step(gates),
        leakage_step(gates, against),
        # Behind what refuses a text by itself: a refused text does not stand in the way of a better copy.
        duplicates_step(gates),
        near_duplicates_step(gates),
        continuity_step(recipe.continuity, scorer),
        code_continuity_step(recipe.continuity),
        semantic_duplicates_step(gates, scorer),
    ]


def run_chain(steps: Sequence[Step], piece: Piece) -> tuple[Piece, Scores, Drop | None]:
    """Ask one step after another, up to the first refusal.

    Returns:
        The piece as it is to be used, all scores so far, and the refusal.
    """
    scores: Scores = {}
    for step in steps:
        if not step.applies(piece.document):
            continue
        piece, found = step.measure(piece)
        scores |= found
        drop = step.decide(piece.document, scores)
        if drop is not None:
            return piece, scores, drop
    return piece, scores, None
