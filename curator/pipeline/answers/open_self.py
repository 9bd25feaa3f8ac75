"""From a source of the model's own text to its supply."""

from __future__ import annotations

import dataclasses

from curator.corpora.document import Message
from curator.corpora.generators.budget import rough_count
from curator.engine.interface import Workers
from curator.pipeline.answers.supply import Asking, SelfSupply
from curator.pipeline.answers.verdict import Scoring
from curator.pipeline.open_source import OpenSource, open_source
from curator.recipe.load import LoadedRecipe, SourcePlace
from curator.recipe.source_kinds import GenerateSource, SelfSource
from curator.select.endless import EndlessSupply
from curator.serve.interface import Sampling

SELF_PREFIX = "self:"
"""Before the name of the prompts' own source: their family is the same."""
_LICENCE = "the answers are the model's: what its licence says of them holds too"
# However long answers may be, so much of a sequence is left to a prompt.
_LEAST_PROMPT = 4


def open_self(
    loaded: LoadedRecipe, source: SelfSource, index: int, place: SourcePlace, workers: Workers
) -> list[OpenSource]:
    """Open the prompts; no model is touched.

    Args:
        loaded: the recipe.
        source: the source.
        index: its place in the recipe.
        place: where it stands.
        workers: processes that read large files, or an engine.

    Raises:
        InputError: the prompts cannot be opened, or none is short enough to leave room for an answer.
        DependencyError: a hub, a network or a disk failed.
    """
    recipe, prompts = loaded.recipe, source.prompts
    (opened,) = open_source(loaded, prompts, index, place, workers)
    longest = recipe.size.longest
    room = max(longest - source.max_new, longest // _LEAST_PROMPT)
    if isinstance(opened.supply, EndlessSupply):
        opened.supply.make(0, room, "", _rough_prompt)
    name = f"{SELF_PREFIX}{opened.name}"
    asking = Asking(
        name=name,
        sampling=Sampling(source.max_new, source.temperature, _seed(loaded, source)),
        scoring=Scoring(source.keep, prompts.generate if isinstance(prompts, GenerateSource) else source.task),
        room=room,
    )
    assert not isinstance(opened.supply, SelfSupply)
    return [
        dataclasses.replace(
            opened,
            name=name,
            weight=source.weight,
            supply=SelfSupply(opened.supply, asking),
            chars_per_token=None,
            notes=(*opened.notes, _LICENCE),
        )
    ]


def _rough_prompt(content: str | tuple[Message, ...]) -> int:
    """Tokens of what is asked, roughly: nobody has a tokenizer yet, and another answer will stand there."""
    return rough_count(content if isinstance(content, str) else content[:-1])


def _seed(loaded: LoadedRecipe, source: SelfSource) -> int:
    """Greedy answers hang on no seed, so that they are kept for every one."""
    if not source.temperature:
        return 0
    return loaded.recipe.seed if source.seed is None else source.seed
