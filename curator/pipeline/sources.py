"""From a recipe's sources to supplies of pieces."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from curator._errors import CurateError, InputError, RecipeError
from curator._files import file_sha256
from curator._seed import stable_hash
from curator.corpora.corpus import Corpus
from curator.corpora.document import Document
from curator.corpora.file_patterns import find_files
from curator.corpora.files import open_files
from curator.corpora.generators import find_generator, generate
from curator.corpora.hub.local_repository import local_folder
from curator.corpora.hub.open_dataset import open_dataset
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.open_card import open_card
from curator.corpora.reading import Reading
from curator.corpora.rows.file_shard import FileShard
from curator.corpora.shelf import find_card
from curator.recipe.load import LoadedRecipe, SourcePlace
from curator.recipe.source_kinds import CorpusSource, DatasetSource, FilesSource, GenerateSource, Source
from curator.select.pieces import Piece
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


def open_sources(loaded: LoadedRecipe, workers: int = 1, *, remote: bool = True) -> list[OpenSource]:
    """Open every source of a recipe and read it once.

    Args:
        loaded: the recipe.
        workers: processes that read large files.
        remote: also open what a hub must be asked for; otherwise such a source gives nothing.

    Raises:
        RecipeError: all sources that cannot be opened, each with the recipe's line.
    """
    recipe = loaded.recipe
    opened: list[OpenSource] = []
    problems: list[str] = []
    for index, (source, place) in enumerate(zip(recipe.sources, loaded.places, strict=True)):
        try:
            if not remote and (unread := _unread(loaded, source, place)) is not None:
                opened.append(unread)
                continue
            opened.append(_open(loaded, source, index, place, workers))
        except InputError as error:
            problems.append(f"{place}: {error}")
        except CurateError as error:
            # A hub that cannot be reached is no fault of the recipe: its own class and exit code stay.
            raise type(error)(f"{place}: {error}") from error
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


def _unread(loaded: LoadedRecipe, source: Source, place: SourcePlace) -> OpenSource | None:
    """A stand-in for a source that a hub must be asked for; ``None`` for one that is here."""
    if isinstance(source, DatasetSource) and local_folder(source.dataset, place.folder) is None:
        task = _known_task(loaded, source.task, source.dataset)
        return OpenSource(source.dataset, task, source.weight, source.licence, _NotRead(), remote=True)
    if isinstance(source, CorpusSource):
        card = find_card(source.corpus, place.folder)
        if card.dataset is not None and local_folder(card.dataset.id, card.folder) is None:
            task = _known_task(loaded, source.task or card.task, card.id)
            return OpenSource(card.id, task, source.weight, card.licence, _NotRead(), remote=True)
    return None


class _NotRead:
    """The supply of a source that nobody has asked for yet."""

    def draw(self) -> Iterator[Piece]:
        return iter(())

    def took(self, piece: Piece) -> None:
        raise AssertionError("no piece came from here")


def _open(loaded: LoadedRecipe, source: Source, index: int, place: SourcePlace, workers: int) -> OpenSource:
    recipe = loaded.recipe
    if isinstance(source, GenerateSource):
        return _open_generator(loaded, source, index)
    if isinstance(source, CorpusSource):
        card = find_card(source.corpus, place.folder)
        task = _known_task(loaded, source.task or card.task, card.id)
        corpus = open_card(card, recipe.seed)
        return _finite(loaded, corpus, task, source.weight, workers, without_heldout=card.heldout)
    task = _known_task(loaded, source.task, source.dataset if isinstance(source, DatasetSource) else "files")
    if isinstance(source, DatasetSource):
        return _finite(loaded, _open_dataset(source, place, recipe.seed), task, source.weight, workers)
    corpus = _open_files(source, place, workers)
    opened = _finite(loaded, corpus, task, source.weight, workers)
    labels = [shard.labels for shard in corpus.shards if isinstance(shard, FileShard)]
    return dataclasses.replace(opened, files={label.file: label.revision for label in labels})


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
        task=source.task,
        language=source.language,
        licence=source.licence,
    )


def _reading(source: DatasetSource | FilesSource) -> Reading:
    return Reading(**{name: getattr(source, name) for name in Reading.model_fields})


def _open_files(source: FilesSource, place: SourcePlace, workers: int) -> Corpus:
    return open_files(
        _patterns(source),
        place.folder,
        _reading(source),
        task=source.task,
        language=source.language,
        licence=source.licence,
        parts=workers,
    )


def file_hashes(source: Source, place: SourcePlace) -> dict[str, str]:
    """SHA-256 of the files of a source as they are now, by their names; nothing for other kinds.

    Raises:
        InputError: no such file.
    """
    if not isinstance(source, FilesSource):
        return {}
    return {file.name: file_sha256(file.path) for file in find_files(_patterns(source), place.folder)}


def _patterns(source: FilesSource) -> list[str]:
    return [source.files] if isinstance(source.files, str) else source.files


def _open_generator(loaded: LoadedRecipe, source: GenerateSource, index: int) -> OpenSource:
    recipe = loaded.recipe
    generator = find_generator(source.generate)
    task = _known_task(loaded, source.task or source.generate, source.generate)
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


def _known_task(loaded: LoadedRecipe, task: str, source: str) -> str:
    tasks = loaded.recipe.target.tasks
    if task in tasks:
        return task
    near = difflib.get_close_matches(task, tasks, 1)
    hint = f"did you mean {near[0]}?" if near else f"say which of {', '.join(tasks)} it is for (task: ...)"
    raise InputError(f"{source} has task {task!r}, which is not in target.tasks; {hint}")


def _finite(
    loaded: LoadedRecipe, corpus: Corpus, task: str, weight: float, workers: int, *, without_heldout: bool = False
) -> OpenSource:
    recipe = loaded.recipe
    chars = max(int(recipe.size.longest * corpus.chars_per_token), 64)
    rule = Rule(task, chars, recipe.seed, without_heldout, WINDOW)
    large = sum(shard.size for shard in corpus.shards) >= _WORTH_WORKERS
    supply = FiniteSupply(corpus.shards, rule, workers if large else 1)
    if not supply.first.pieces:
        raise InputError(_nothing(corpus, supply.first))
    return OpenSource(
        name=corpus.name,
        task=task,
        weight=weight,
        licence=corpus.licence,
        supply=supply,
        chars_per_token=corpus.chars_per_token,
        revision=corpus.revision,
        notes=corpus.notes,
    )


def _nothing(corpus: Corpus, found: Scan) -> str:
    """Why a source gives no text at all."""
    rows = found.bad.total() + found.documents
    if not rows:
        return f"{corpus.name}: the source is empty"
    reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(found.bad.items()))
    first = next((shown[0] for shown in found.examples.values()), None)
    such = f"; the first: {first.where}: {first.detail}" if first else ""
    return f"{corpus.name}: 0 of {rows} rows can be used ({reasons}){such}"
