"""From one source of a recipe to a supply of pieces."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field

from curator._errors import InputError
from curator._seed import stable_hash
from curator.corpora.corpus import Corpus
from curator.corpora.document import Document
from curator.corpora.files import open_files
from curator.corpora.generators import find_generator, generate
from curator.corpora.hub.open_dataset import open_dataset
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.open_card import open_card
from curator.corpora.reading import Reading
from curator.corpora.rows.byte_source import LocalFile
from curator.corpora.rows.file_shard import FileShard
from curator.corpora.shelf import find_card
from curator.recipe.load import LoadedRecipe, SourcePlace
from curator.recipe.source_kinds import CorpusSource, DatasetSource, FilesSource, GenerateSource, Source
from curator.select.scan import Rule, Scan
from curator.select.supply import EndlessSupply, FiniteSupply, Supply

# Characters of a source's text that are kept in memory: some ten times what a large set takes from it.
WINDOW = 32_000_000
# Below this many bytes a second process costs more time than it saves.
_WORTH_WORKERS = 64 * 2**20


# What a chat template adds to a question and its answer, roughly.
_TEMPLATE_TOKENS = 32


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
    """

    name: str
    task: str
    weight: float
    licence: str
    supply: Supply
    chars_per_token: float | None = None
    revision: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    remote: bool = False

    @property
    def scanned(self) -> Scan | None:
        """What the first pass found; ``None`` for a generator."""
        return self.supply.first if isinstance(self.supply, FiniteSupply) else None

    def pool_tokens(self) -> int | None:
        """Rough number of tokens that the source can give; ``None`` when there is no end."""
        if self.chars_per_token is None or self.scanned is None:
            return None
        return int(self.scanned.chars / self.chars_per_token)


def open_source(
    loaded: LoadedRecipe, source: Source, index: int, place: SourcePlace, workers: int
) -> list[OpenSource]:
    """Open one source and read it once; it becomes several where its rows say their tasks themselves.

    Args:
        loaded: the recipe.
        source: the source.
        index: its place in the recipe.
        place: where it stands.
        workers: processes that read large files.

    Raises:
        InputError: it cannot be opened, or gives nothing.
        DependencyError: a hub, a network or a disk failed.
    """
    recipe = loaded.recipe
    if isinstance(source, GenerateSource):
        return [_open_generator(loaded, source, index)]
    if isinstance(source, CorpusSource):
        card = find_card(source.corpus, place.folder)
        task = known_task(loaded, source.task or card.task, card.id)
        corpus = open_card(card, recipe.seed, workers)
        use = _Use(task, source.weight, workers, card.heldout, low_continuity=card.low_continuity)
        return [_finite(loaded, corpus, use)]
    if isinstance(source, DatasetSource):
        corpus = _open_dataset(source, place, recipe.seed)
    else:
        corpus = _open_files(source, place, workers)
    if source.task is not None:
        task = known_task(loaded, source.task, corpus.name)
        return [_finite(loaded, corpus, _Use(task, source.weight, workers, low_continuity=source.low_continuity))]
    uses = [
        _Use(task, source.weight, workers, own_tasks=True, low_continuity=source.low_continuity)
        for task in recipe.target.tasks
    ]
    return _told_once([_finite(loaded, corpus, use) for use in uses])


@dataclass(frozen=True, slots=True)
class _Use:
    """What a corpus is opened for; see `Rule` and `OpenSource`."""

    task: str
    weight: float
    workers: int
    without_heldout: bool = False
    own_tasks: bool = False
    low_continuity: bool = False


def _told_once(sources: list[OpenSource]) -> list[OpenSource]:
    """Sources of one corpus, whose bad rows and notes only the first reports."""
    given = {source.task for source in sources}
    first = sources[0]
    other = {task: count for task, count in _scan_of(first).other_tasks.items() if task not in given}
    for source in sources[1:]:
        _scan_of(source).forget_bad()
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


def _open_files(source: FilesSource, place: SourcePlace, workers: int) -> Corpus:
    return open_files(
        source_patterns(source),
        place.folder,
        _reading(source),
        task=source.task or "",
        language=source.language,
        licence=source.licence,
        parts=workers,
    )


def source_patterns(source: FilesSource) -> list[str]:
    """The paths and patterns of a source of files."""
    return [source.files] if isinstance(source.files, str) else source.files


def _open_generator(loaded: LoadedRecipe, source: GenerateSource, index: int) -> OpenSource:
    recipe = loaded.recipe
    generator = find_generator(source.generate)
    task = known_task(loaded, source.task or source.generate, source.generate)
    # A source's place in the recipe is part of its seed: two equal entries give different samples.
    seed = stable_hash("generator", recipe.seed, index) % 2**31

    def make(number: int, tokens: int) -> Document:
        document = generate(source.generate, seed=seed, index=number, tokens_hint=tokens, options=source.options)
        return dataclasses.replace(document, task=task)

    # The answer stands at the end, which the template's own tokens must not push out of the sequence.
    room = recipe.size.longest - (_TEMPLATE_TOKENS if make(0, recipe.size.longest).messages else 0)
    make(0, room)
    supply = EndlessSupply(lambda number: make(number, room))
    return OpenSource(f"generate:{source.generate}", task, source.weight, generator.licence, supply)


def known_task(loaded: LoadedRecipe, task: str, source: str) -> str:
    """``task``, if the recipe gives it a share.

    Raises:
        InputError: it does not.
    """
    tasks = loaded.recipe.target.tasks
    if task in tasks:
        return task
    near = difflib.get_close_matches(task, tasks, 1)
    hint = f"did you mean {near[0]}?" if near else f"say which of {', '.join(tasks)} it is for (task: ...)"
    raise InputError(f"{source} has task {task!r}, which is not in target.tasks; {hint}")


def _finite(loaded: LoadedRecipe, corpus: Corpus, use: _Use) -> OpenSource:
    recipe = loaded.recipe
    chars = max(int(recipe.size.longest * corpus.chars_per_token), 64)
    rule = Rule(use.task, chars, recipe.seed, use.without_heldout, WINDOW, use.own_tasks, use.low_continuity)
    large = sum(shard.size for shard in corpus.shards) >= _WORTH_WORKERS
    supply = FiniteSupply(corpus.shards, rule, use.workers if large else 1)
    found = supply.first
    # A task without a row of its own is short supply; a file without a usable row is a mistake.
    if not found.pieces and not found.other_tasks:
        raise InputError(_nothing(corpus, found))
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
        notes=(*corpus.notes, *(mended if found.mended else ())),
    )


def _is_local(shard: FileShard) -> bool:
    return isinstance(shard.source, LocalFile)


def _nothing(corpus: Corpus, found: Scan) -> str:
    """Why a source gives no text at all."""
    rows = found.bad.total() + found.documents
    if not rows:
        return f"{corpus.name}: the source is empty"
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(found.bad.items()))
    first = next((shown[0] for shown in found.examples.values()), None)
    such = f"; the first: {first.where}: {first.detail}" if first else ""
    return f"{corpus.name}: 0 of {rows} rows can be used ({reasons}){such}"
