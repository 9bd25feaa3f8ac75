"""From a recipe to its open sources."""

from __future__ import annotations

from collections.abc import Callable

from curator._errors import CurateError, InputError, RecipeError
from curator.corpora.hub.local_repository import local_folder
from curator.corpora.shelf import find_card
from curator.engine.interface import Workers
from curator.pipeline.answers.open_self import open_self
from curator.pipeline.open_source import OpenSource, known_task, open_source
from curator.recipe.load import LoadedRecipe, SourcePlace
from curator.recipe.source_kinds import CorpusSource, DatasetSource, SelfSource, Source
from curator.select.scan import Rule
from curator.select.supply import FiniteSupply


def open_sources(
    loaded: LoadedRecipe,
    workers: Workers = 1,
    *,
    remote: bool = True,
    tell: Callable[[OpenSource], None] = lambda _source: None,
) -> list[OpenSource]:
    """Open every source of a recipe and read it once.

    Args:
        loaded: the recipe.
        workers: processes that read large files, or an engine.
        remote: also open what a hub must be asked for; otherwise such a source gives nothing.
        tell: called with each source as soon as it is open.

    Raises:
        RecipeError: all sources that cannot be opened, each with the recipe's line.
    """
    recipe = loaded.recipe
    opened: list[OpenSource] = []
    problems: list[str] = []
    for index, (source, place) in enumerate(zip(recipe.sources, loaded.places, strict=True)):
        try:
            unread = None if remote else _unread(loaded, source, place)
            found = [unread] if unread is not None else _open(loaded, source, index, place, workers)
            opened += found
            for one in found:
                tell(one)
        except InputError as error:
            problems.append(f"{place}: {error}")
        except CurateError as error:
            # A hub that cannot be reached is no fault of the recipe: its own class and exit code stay.
            raise type(error)(f"{place}: {error}") from error
    problems += _namesakes(opened)
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


def _open(
    loaded: LoadedRecipe, source: Source, index: int, place: SourcePlace, workers: Workers
) -> list[OpenSource]:
    if isinstance(source, SelfSource):
        return open_self(loaded, source, index, place, workers)
    return open_source(loaded, source, index, place, workers)


def _namesakes(opened: list[OpenSource]) -> list[str]:
    """Two files of one name, seen from two folders: their rows could not be told apart."""
    found: dict[str, str] = {}
    for source in opened:
        for name, content in source.files.items():
            if found.setdefault(name, content) != content:
                return [f"two sources have a file called {name} with other content; name one by its full path"]
    return []


def _nothing() -> FiniteSupply:
    """The supply of a source that nobody has asked for yet."""
    return FiniteSupply((), Rule("", 1, 0, without_heldout=False))


def _unread(loaded: LoadedRecipe, source: Source, place: SourcePlace) -> OpenSource | None:
    """A stand-in for a source that a hub must be asked for; ``None`` for one that is here."""
    if isinstance(source, SelfSource):
        return _unread(loaded, source.prompts, place)
    if isinstance(source, DatasetSource) and local_folder(source.dataset, place.folder) is None:
        task = known_task(loaded, source.task or next(iter(loaded.recipe.target.tasks)), source.dataset)
        return OpenSource(source.dataset, task, source.weight, source.licence, _nothing(), remote=True)
    if isinstance(source, CorpusSource):
        card = find_card(source.corpus, place.folder)
        if card.dataset is not None and local_folder(card.dataset.id, card.folder) is None:
            task = known_task(loaded, source.task or card.task, card.id)
            return OpenSource(card.id, task, source.weight, card.licence, _nothing(), remote=True)
    return None
