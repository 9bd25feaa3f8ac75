"""The chain of a recipe: cheap steps before dear ones, so that nothing is embedded that a cheap gate refuses."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from curator.gates.drop import Drop
from curator.pipeline.steps.added import added_steps
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
from curator.scores.scorer import RECENT, Scorer
from curator.select.pieces import Piece

BATCH = RECENT
"""Pieces that go through a chain together, as many as a scorer remembers: a step that is asked about many in a row
has its tables in the processor's caches, and fills the arrays that it computes with."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How far a piece has come in a chain.

    Attributes:
        piece: as it is to be used from here on.
        scores: all that was measured so far.
        drop: the refusal, after which no step is asked.
    """

    piece: Piece
    scores: Scores = field(default_factory=dict)
    drop: Drop | None = None


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
        *added_steps(gates),
        language_step(gates),
        leakage_step(gates, against),
        # Behind what refuses a text by itself: a refused text does not stand in the way of a better copy.
        duplicates_step(gates),
        near_duplicates_step(gates),
        continuity_step(recipe.continuity, scorer),
        code_continuity_step(recipe.continuity),
        semantic_duplicates_step(gates, scorer),
    ]


def split_chain(steps: Sequence[Step]) -> tuple[list[Step], list[Step]]:
    """The steps before the first that remembers, and the others.

    The former look at one text alone and embed nothing: they may be asked ahead of time, or in another process.
    """
    first = next((place for place, step in enumerate(steps) if step.remembers), len(steps))
    return list(steps[:first]), list(steps[first:])


def split_rest(rest: Sequence[Step]) -> tuple[list[Step], list[Step], list[Step]]:
    """The steps behind the first part of a chain, for many machines: what follows what.

    Returns:
        Those that remember, but only of texts that share a key (see `Step.keys`); those after them that look at
        one text alone, and may embed; and the others, which must see all texts.
    """
    apart = list(itertools.takewhile(lambda step: step.keys is not None, rest))
    alone = list(itertools.takewhile(lambda step: not step.remembers, rest[len(apart) :]))
    return apart, alone, list(rest[len(apart) + len(alone) :])


def run_chains(steps: Sequence[Step], outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Ask one step after another about all pieces that no step has refused yet.

    Every step sees the pieces in their order, so that the outcomes are the same however many pieces are given at
    once.

    Args:
        steps: a chain, or a part of one.
        outcomes: where each piece stands before the first of the steps.
    """
    found = list(outcomes)
    for step in steps:
        places = [at for at, one in enumerate(found) if one.drop is None and step.applies(one.piece.document)]
        if not places:
            continue
        measured = step.measure_all([found[at].piece for at in places])
        for at, (piece, values) in zip(places, measured, strict=True):
            scores = found[at].scores | values
            found[at] = Outcome(piece, scores, step.decide(piece.document, scores))
    return found
