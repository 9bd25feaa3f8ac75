"""From a generator named in a recipe to a source without end."""

from __future__ import annotations

import dataclasses

from curator._seed import stable_hash
from curator.corpora.document import Document
from curator.corpora.generators import find_generator, generate
from curator.gates.language import UNDETERMINED
from curator.recipe.load import LoadedRecipe
from curator.recipe.source_kinds import GenerateSource
from curator.select.cells import NO_LANGUAGE
from curator.select.endless import Count, EndlessSupply

_LANGUAGE = "language"


def open_generator(
    loaded: LoadedRecipe, source: GenerateSource, index: int, task: str
) -> tuple[EndlessSupply, frozenset[str], str]:
    """Its samples, the languages that they can be in, and their licence.

    Args:
        loaded: the recipe.
        source: the source.
        index: its place in the recipe, part of its seed: two equal entries give different samples.
        task: the task that its samples count for.

    Raises:
        InputError: no such generator or option, or none of its samples is as short as the recipe's sequences.
    """
    seed = stable_hash("generator", loaded.recipe.seed, index) % 2**31
    choice = find_generator(source.generate).choices.get(_LANGUAGE)
    free = isinstance(choice, tuple) and _LANGUAGE not in source.options

    def make(number: int, tokens: int, language: str, count: Count | None) -> Document:
        own = {_LANGUAGE: language} if free and isinstance(choice, tuple) and language in choice else {}
        document = generate(
            source.generate, seed=seed, index=number, tokens=tokens, options={**source.options, **own}, count=count
        )
        return dataclasses.replace(document, task=task)

    first = make(0, loaded.recipe.size.longest, "", None)
    if first.language == UNDETERMINED:
        languages = frozenset({NO_LANGUAGE})
    elif free and isinstance(choice, tuple):
        languages = frozenset(choice)
    else:
        languages = frozenset({first.language})
    return EndlessSupply(make), languages, first.licence
