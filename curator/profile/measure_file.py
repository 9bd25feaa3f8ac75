"""All items of a file measured, by two or more processes where that is worth their start."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator._progress import Advance
from curator.engine.local import map_in_order
from curator.profile.measure_item import Measured, measure_items
from curator.profile.read_items import RawItem
from curator.profile.sentence_memory import SentenceMemory
from curator.recipe.schema import Continuity
from curator.scores.embedder import Embedder
from curator.scores.scorer import Scorer
from curator.tokens.tokenizer import Tokenizer

# A process starts in some seconds, in which one measures about this many characters.
_WORTH = 2_000_000
# Characters that one task holds: a long item, or some hundred short ones.
_TASK = 300_000


@dataclass(frozen=True, slots=True)
class Measuring:
    """How items are measured; can be pickled.

    Attributes:
        tokenizer: its folder.
        embedder: the sentence embedder's name.
        windows: windows of a long prompt.
        alone: whether other processes measure at the same time.
    """

    tokenizer: Path
    embedder: str
    windows: int
    alone: bool = True


def measure_file(
    items: Sequence[RawItem],
    how: Measuring,
    workers: int,
    tell: Callable[[str], None],
    advance: Advance,
) -> list[Measured]:
    """Measure all items; the result is the same for any number of workers.

    Args:
        items: the items.
        how: what they are measured with.
        workers: processes at most; one where the file is small.
        tell: called with a line when stored scores are of no use.
        advance: called with the number of items done.

    Raises:
        DependencyError: the embedder cannot be loaded, or a process was killed.
    """
    size = sum(len(item.prompt) for item in items)
    workers = workers if size > _WORTH else 1
    how = Measuring(how.tokenizer, how.embedder, how.windows, alone=workers == 1)
    tasks = [(part, how) for part in _parts(items)]
    found: list[Measured] = []
    told: set[str] = set()
    for measured, lines in map_in_order(_measure, tasks, workers):
        found += measured
        for line in lines:
            if line not in told:
                told.add(line)
                tell(line)
        advance(len(measured))
    return found


def _parts(items: Sequence[RawItem]) -> list[list[RawItem]]:
    parts: list[list[RawItem]] = []
    room = 0
    for item in items:
        if room <= 0:
            parts.append([])
            room = _TASK
        parts[-1].append(item)
        room -= len(item.prompt)
    return parts


_ready: dict[Measuring, tuple[Tokenizer, Scorer, list[str]]] = {}


def _measure(task: tuple[list[RawItem], Measuring]) -> tuple[list[Measured], list[str]]:
    items, how = task
    if how not in _ready:
        _ready.clear()
        _ready[how] = _load(how)
    tokenizer, scorer, lines = _ready[how]
    measured = measure_items(items, tokenizer, scorer, how.windows)
    told, lines[:] = list(lines), []
    return measured, told


def _load(how: Measuring) -> tuple[Tokenizer, Scorer, list[str]]:
    if not how.alone:
        import torch

        # Processes share the cores; more threads would wait for each other.
        torch.set_num_threads(1)
    lines: list[str] = []
    settings = Continuity(embedder=how.embedder)
    scorer = Scorer(settings, lines.append, encoder=SentenceMemory(Embedder(how.embedder)))
    return Tokenizer(how.tokenizer), scorer, lines
