"""From one source of a recipe to a supply of pieces."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field

from curator._errors import InputError, did_you_mean
from curator.corpora.corpus import Corpus
from curator.corpora.files import open_files
from curator.corpora.hub.open_dataset import open_dataset
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.open_card import open_card
from curator.corpora.reading import Reading
from curator.corpora.rows.byte_source import LocalFile
from curator.corpora.rows.file_shard import FileShard
from curator.corpora.shelf import find_card
from curator.engine.interface import Workers
from curator.pipeline.answers.supply import SelfSupply
from curator.pipeline.open_generator import open_generator
from curator.pipeline.use import Use, told_of_reading, unusable
from curator.recipe.load import LoadedRecipe, SourcePlace
from curator.recipe.source_kinds import (
    CorpusSource,
    DatasetSource,
    FilesSource,
    GenerateSource,
)
from curator.select.cells import Cells
from curator.select.endless import EndlessSupply
from curator.select.scan import Scan
from curator.select.supply import FiniteSupply

Given = CorpusSource | FilesSource | DatasetSource | GenerateSource


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
        revision: commit or version; empty when every document carries its own.
        files: SHA-256 of its local files, by their names; empty for other kinds.
        notes: what the user should know.
        remote: a hub must be asked for it, and was not.
        languages: those of its texts, ``zxx`` for texts without one; ``None`` where every text has its own.
    """

    name: str
    task: str
    weight: float
    licence: str
    supply: FiniteSupply | EndlessSupply | SelfSupply
    chars_per_token: float | None = None
    revision: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    remote: bool = False
    languages: frozenset[str] | None = None

    def can_give(self, language: str, cells: Cells) -> bool:
        """Whether some of its texts may be in one of the target's languages."""
        if self.languages is None or not language:
            return True
        return language in {cells.named(self.task, own) for own in self.languages}

    @property
    def is_empty(self) -> bool:
        """Whether it was read to its end and has no text for its task."""
        supply = self.supply
        return isinstance(supply, FiniteSupply) and not self.remote and supply.ended and not supply.found.chars

    @property
    def scanned(self) -> Scan | None:
        """What was found in all that was read so far; ``None`` for what has no end."""
        return self.supply.found if isinstance(self.supply, FiniteSupply) else None

    @property
    def read(self) -> int:
        """Bytes that were read so far, roughly."""
        return self.supply.read if isinstance(self.supply, FiniteSupply) else 0

    @property
    def size(self) -> int:
        """Bytes of the whole source; 0 where they are not known."""
        return self.supply.size if isinstance(self.supply, FiniteSupply) else 0

    def pool_tokens(self) -> int | None:
        """Rough number of tokens that the source can give, by what was read of it; ``None`` without an end."""
        if self.chars_per_token is None or not isinstance(self.supply, FiniteSupply):
            return None
        supply = self.supply
        part = 1.0 if supply.ended or not supply.read else supply.read / supply.size
        return int(supply.found.chars / part / self.chars_per_token)


def open_source(
    loaded: LoadedRecipe, source: Given, index: int, place: SourcePlace, workers: Workers
) -> list[OpenSource]:
    """Open one source and read it once; it becomes several where its rows say their tasks themselves.

    The model's own text is opened by `open_self`.

    Args:
        loaded: the recipe.
        source: the source.
        index: its place in the recipe.
        place: where it stands.
        workers: processes that read large files, or an engine.

    Raises:
        InputError: it cannot be opened, or gives nothing.
        DependencyError: a hub, a network or a disk failed.
    """
    recipe = loaded.recipe
    if isinstance(source, GenerateSource):
        task = known_task(loaded, source.task or source.generate, source.generate)
        endless, languages, licence = open_generator(loaded, source, index, task)
        name = f"generate:{source.generate}"
        return [OpenSource(name, task, source.weight, licence, endless, languages=languages)]
    if isinstance(source, CorpusSource):
        card = find_card(source.corpus, place.folder)
        task = known_task(loaded, source.task or card.task, card.id)
        corpus = open_card(card, recipe.seed)
        language = None if card.reading.columns.language else card.language
        use = Use(task, source.weight, workers, language, card.heldout, low_continuity=card.low_continuity)
        return [_finite(loaded, corpus, use)]
    if isinstance(source, DatasetSource):
        corpus = _open_dataset(source, place, recipe.seed)
    else:
        corpus = _open_files(source, place)
    language, low = None if source.columns.language else source.language, source.low_continuity
    if source.task is not None:
        task = known_task(loaded, source.task, corpus.name)
        return [_finite(loaded, corpus, Use(task, source.weight, workers, language, low_continuity=low))]
    uses = [
        Use(task, source.weight, workers, language, own_tasks=True, low_continuity=low)
        for task in recipe.target.tasks
    ]
    return _told_once([_finite(loaded, corpus, use) for use in uses])


def _told_once(sources: list[OpenSource]) -> list[OpenSource]:
    """Sources of one corpus, whose bad rows and notes only the first reports."""
    given = {source.task for source in sources}
    first = sources[0]
    other = {task: count for task, count in _scan_of(first).other_tasks.items() if task not in given}
    for source in sources[1:]:
        assert isinstance(source.supply, FiniteSupply)
        source.supply.forget_bad()
    if other:
        words = ", ".join(f"{task or 'no task'} {count}" for task, count in sorted(other.items()))
        note = f"rows of tasks that are not in target.tasks are left out ({words})"
        first = dataclasses.replace(first, notes=(*first.notes, note))
    return [first, *(dataclasses.replace(source, notes=()) for source in sources[1:])]


def _scan_of(source: OpenSource) -> Scan:
    assert source.scanned is not None
    return source.scanned


def _open_dataset(source: DatasetSource, place: SourcePlace, seed: int) -> Corpus:
    where = DatasetPlace(
        id=source.dataset,
        revision=source.revision,
        config=source.config,
        split=source.split,
        data_files=source.data_files,
        pool_rows=source.pool_rows,
    )
    return open_dataset(
        where,
        _reading(source),
        seed=seed,
        folder=place.folder,
        task=source.task or "",
        language=source.language,
        licence=source.licence,
    )


def _reading(source: DatasetSource | FilesSource) -> Reading:
    return Reading(**{name: getattr(source, name) for name in Reading.model_fields})


def _open_files(source: FilesSource, place: SourcePlace) -> Corpus:
    return open_files(
        source_patterns(source),
        place.folder,
        _reading(source),
        task=source.task or "",
        language=source.language,
        licence=source.licence,
        lazy=True,
    )


def source_patterns(source: FilesSource) -> list[str]:
    """The paths and patterns of a source of files."""
    return [source.files] if isinstance(source.files, str) else source.files


def known_task(loaded: LoadedRecipe, task: str, source: str) -> str:
    """``task``, if the recipe gives it a share.

    Raises:
        InputError: it does not.
    """
    tasks = loaded.recipe.target.tasks
    if task in tasks:
        return task
    hint = did_you_mean(task, tasks, f"say which of {', '.join(tasks)} it is for (task: ...)")
    raise InputError(f"{source} has task {task!r}, which is not in target.tasks; {hint}")


def _finite(loaded: LoadedRecipe, corpus: Corpus, use: Use) -> OpenSource:
    supply = FiniteSupply(corpus.shards, use.rule(loaded.recipe, corpus.chars_per_token), use.workers)
    found = supply.found
    # A task without a row of its own is short supply; a file without a usable row is a mistake.
    if not supply.first() and not found.other_tasks:
        raise InputError(unusable(corpus, found))
    labels = [shard.labels for shard in corpus.shards if isinstance(shard, FileShard)]
    local = labels if any(isinstance(shard, FileShard) and _is_local(shard) for shard in corpus.shards) else []
    mended = [f"{found.mended} rows were mended and kept (bytes or characters that cannot be text)"]
    return OpenSource(
        name=corpus.name,
        task=use.task,
        weight=use.weight,
        licence=corpus.licence,
        supply=supply,
        chars_per_token=corpus.chars_per_token,
        revision=corpus.revision,
        files={label.file: label.revision for label in local},
        notes=(*corpus.notes, *(mended if found.mended else ()), *told_of_reading(supply)),
        languages=use.languages(),
    )


def _is_local(shard: FileShard) -> bool:
    return isinstance(shard.source, LocalFile)
