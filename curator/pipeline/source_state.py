"""What a recipe's sources hold now, as far as it lies on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from curator._files import json_sha256
from curator.corpora.card import Card
from curator.corpora.file_patterns import find_files
from curator.corpora.fingerprint import content_id
from curator.corpora.hub.local_repository import local_folder, open_local
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.shelf import find_card
from curator.pipeline.open_source import source_patterns
from curator.recipe.load import LoadedRecipe, SourcePlace
from curator.recipe.source_kinds import CorpusSource, DatasetSource, FilesSource, SelfSource, Source


def sources_sha256(loaded: LoadedRecipe) -> str:
    """Hash of the recipe's local files, cards and local data sets by their content, whatever their times say; see
    `content_id`.

    What a hub or an installed package holds is fixed by its revision or version, and is not asked for.

    Raises:
        InputError: a file or card is missing.
    """
    pairs = zip(loaded.recipe.sources, loaded.places, strict=True)
    return json_sha256([_state(source, place) for source, place in pairs])


def _state(source: Source, place: SourcePlace) -> Any:
    if isinstance(source, SelfSource):
        return _state(source.prompts, place)
    if isinstance(source, FilesSource):
        return _files(source_patterns(source), place.folder)
    if isinstance(source, DatasetSource):
        return _dataset(DatasetPlace(id=source.dataset), place.folder)
    if isinstance(source, CorpusSource):
        return _card(find_card(source.corpus, place.folder))
    return None


def _card(card: Card) -> Any:
    held: Any = None
    if card.files is not None:
        held = _files(card.files, card.folder)
    elif card.dataset is not None:
        held = _dataset(card.dataset, card.folder)
    return [card.model_dump(mode="json"), held]


def _files(patterns: list[str], folder: Path) -> dict[str, str]:
    return {file.name: content_id(file.path) for file in find_files(patterns, folder)}


def _dataset(place: DatasetPlace, folder: Path) -> dict[str, str]:
    """Every file of a local data set; nothing for one of the hub."""
    here = local_folder(place.id, folder)
    if here is None:
        return {}
    repository = open_local(place, here)
    return {file.path: repository.revision(file) for file in repository.files}
