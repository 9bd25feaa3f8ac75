"""From a generator named in a recipe to a source without end."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any

from curator._errors import InputError
from curator._seed import stable_hash
from curator.corpora.document import Document
from curator.corpora.generators import find_generator, generate, least_tokens
from curator.gates.language import UNDETERMINED
from curator.recipe.load import LoadedRecipe
from curator.recipe.source_kinds import GenerateSource
from curator.select.cells import NO_LANGUAGE
from curator.select.endless import Count, EndlessSupply

_LANGUAGE = "language"
_KEYS = "size.tokens and the upto of target.lengths set it"


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
        InputError: no such generator or option.
    """
    seed = stable_hash("generator", loaded.recipe.seed, index) % 2**31
    choice = find_generator(source.generate).choices.get(_LANGUAGE)
    free = isinstance(choice, tuple) and _LANGUAGE not in source.options

    def options(language: str) -> Mapping[str, Any]:
        own = {_LANGUAGE: language} if free and isinstance(choice, tuple) and language in choice else {}
        return {**source.options, **own}

    def make(number: int, tokens: int, language: str, count: Count | None) -> Document:
        try:
            document = generate(
                source.generate, seed=seed, index=number, tokens=tokens, options=options(language), count=count
            )
        except InputError as error:
            raise InputError(f"{error} ({_KEYS})") from error
        return dataclasses.replace(document, task=task)

    @cache
    def least(tokens: int, language: str, count: Count | None) -> int:
        return least_tokens(source.generate, tokens=tokens, options=options(language), count=count)

    # Only to see what it is like: whether sequences are long enough for one is told where tokens are counted.
    first = make(0, least(1, "", None), "", None)
    if first.language == UNDETERMINED:
        languages = frozenset({NO_LANGUAGE})
    elif free and isinstance(choice, tuple):
        languages = frozenset(choice)
    else:
        languages = frozenset({first.language})
    return EndlessSupply(make, least), languages, first.licence
