"""From a recipe's sources to supplies of pieces."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from curator._errors import CurateError, InputError, RecipeError
from curator._seed import stable_hash
from curator.corpora.card import Card
from curator.corpora.document import Document
from curator.corpora.generators import find_generator, generate
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers import READERS
from curator.corpora.readers.jsonl import read_jsonl
from curator.corpora.shelf import available, find_card
from curator.recipe.load import LoadedRecipe
from curator.recipe.schema import CorpusSource, GenerateSource, JsonlSource
from curator.select.supply import EndlessSupply, FiniteSupply, Supply

# Of a text that no card describes: English prose.
_CHARS_PER_TOKEN = 4.0


@dataclass(frozen=True, slots=True)
class OpenSource:
    """A source ready to give pieces.

    Attributes:
        name: what reports call it.
        task: the task its tokens count for.
        weight: its share within the task.
        licence: SPDX expression, or that every document has its own.
        supply: its pieces.
        chars_per_token: rough ratio of its text; ``None`` for a generator, whose supply has no end.
    """

    name: str
    task: str
    weight: float
    licence: str
    supply: Supply
    chars_per_token: float | None = None

    def pool_tokens(self) -> int | None:
        """Rough number of tokens that the source can give; ``None`` when there is no end."""
        if self.chars_per_token is None or not isinstance(self.supply, FiniteSupply):
            return None
        return int(sum(piece.end - piece.start for piece in self.supply.pieces) / self.chars_per_token)


def open_sources(loaded: LoadedRecipe) -> list[OpenSource]:
    """Open every source of a recipe.

    Raises:
        RecipeError: all sources that cannot be opened, each with the recipe's line.
    """
    recipe = loaded.recipe
    opened: list[OpenSource] = []
    problems: list[str] = []
    for index, (source, line) in enumerate(zip(recipe.sources, loaded.lines, strict=True)):
        try:
            opened.append(_open(loaded, source, index))
        except CurateError as error:
            problems.append(f"{loaded.path}:{line}: {error}")
    given = {source.task for source in opened}
    if not problems:
        problems += [
            f"{loaded.path}:1: task {task!r} has a share but no source; add a source with task: {task}"
            for task in recipe.target.tasks
            if task not in given
        ]
    if problems:
        raise RecipeError(problems)
    return opened


def _open(loaded: LoadedRecipe, source: Any, index: int) -> OpenSource:
    if isinstance(source, CorpusSource):
        return _open_corpus(loaded, source)
    if isinstance(source, JsonlSource):
        return _open_jsonl(loaded, source)
    return _open_generator(loaded, source, index)


def _open_corpus(loaded: LoadedRecipe, source: CorpusSource) -> OpenSource:
    card = find_card(source.corpus)
    install = available(card)
    if install:
        raise InputError(f"corpus {card.id}: its text is not installed; {install}")
    task = _known_task(loaded, source.task or card.task, card.id)
    documents = _calibration_side(card, task)
    supply = _finite(loaded, documents, card.chars_per_token)
    return OpenSource(card.id, task, source.weight, card.licence, supply, card.chars_per_token)


def _open_jsonl(loaded: LoadedRecipe, source: JsonlSource) -> OpenSource:
    path = loaded.path.parent / source.jsonl
    documents = read_jsonl(
        path, field=source.text, task=source.task, language=source.language, licence=source.licence
    )
    # Named as the recipe names it: two folders may hold files of one name, two sources two fields of one file.
    field = "" if source.text == "text" else f".{source.text}"
    named = (
        dataclasses.replace(document, id=f"{source.jsonl}#{document.id.rpartition('#')[2]}{field}")
        for document in documents
    )
    supply = _finite(loaded, named, _CHARS_PER_TOKEN)
    return OpenSource(source.jsonl, source.task, source.weight, source.licence, supply, _CHARS_PER_TOKEN)


def _open_generator(loaded: LoadedRecipe, source: GenerateSource, index: int) -> OpenSource:
    recipe = loaded.recipe
    generator = find_generator(source.generate)
    task = _known_task(loaded, source.task or source.generate, source.generate)
    # A source's place in the recipe is part of its seed: two equal entries give different samples.
    seed = stable_hash("generator", recipe.seed, index) % 2**31
    hint = recipe.size.tokens

    def make(number: int) -> Document:
        document = generate(source.generate, seed=seed, index=number, tokens_hint=hint, options=source.options)
        return dataclasses.replace(document, task=task)

    make(0)
    return OpenSource(f"generate:{source.generate}", task, source.weight, generator.licence, EndlessSupply(make))


def _known_task(loaded: LoadedRecipe, task: str, source: str) -> str:
    tasks = loaded.recipe.target.tasks
    if task in tasks:
        return task
    near = difflib.get_close_matches(task, tasks, 1)
    hint = f"did you mean {near[0]}?" if near else f"say which of {', '.join(tasks)} it is for (task: ...)"
    raise InputError(f"{source} has task {task!r}, which is not in target.tasks; {hint}")


def _calibration_side(card: Card, task: str) -> Iterator[Document]:
    for document in READERS[card.reader](card):
        if not (card.heldout and is_heldout(document.unit)):
            yield dataclasses.replace(document, task=task)


def _finite(loaded: LoadedRecipe, documents: Iterator[Document], chars_per_token: float) -> FiniteSupply:
    chars = max(int(loaded.recipe.size.tokens * chars_per_token), 64)
    supply = FiniteSupply(documents, chars, loaded.recipe.seed)
    if not supply.pieces:
        raise InputError("the source is empty")
    return supply
