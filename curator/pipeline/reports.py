"""What the maker of a set should know about its sources, and about what came of the recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from curator.pipeline.calibration_set import (
    CalibrationSet,
    SourceReport,
    missing_warnings,
    share_warnings,
    shortfall_warnings,
)
from curator.pipeline.fill import Filler
from curator.pipeline.open_source import OpenSource
from curator.tokens.pack import Segment

_NO_LICENCE = "unknown"


def source_report(source: OpenSource, index: int, filler: Filler, placed: Mapping[str, int]) -> SourceReport:
    """What one source was asked for and gave.

    Args:
        source: the source.
        index: its place among the recipe's.
        filler: what was asked and taken.
        placed: tokens that reach the model, by the id of the piece.
    """
    taken = [segment for segment in filler.taking.segments(index) if placed[segment.piece]]
    return SourceReport(
        name=source.name,
        task=source.task,
        licence=_licence(source, taken),
        revision=source.revision,
        files=source.files,
        asked=sum(tokens for (at, _), tokens in filler.asked.items() if at == index),
        got=sum(placed[segment.piece] for segment in taken),
        documents=len({segment.document for segment in taken}),
        pieces=len(taken),
        bad_rows={} if source.scanned is None else dict(sorted(source.scanned.bad.items())),
        read=source.read,
        size=source.size,
    )


def set_warnings(
    made: CalibrationSet, filler: Filler, sources: Sequence[OpenSource], moved: str, others: Iterable[str]
) -> Iterator[str]:
    """What the user should know about a set, in words.

    Args:
        made: the set, complete but for these.
        filler: what was asked and taken.
        sources: the recipe's.
        moved: why shares were moved; empty when they were not.
        others: what else there is to say.
    """
    recipe = made.recipe.recipe
    left = {source.task for index, source in enumerate(sources) if not filler.is_exhausted(index)}
    refused = {task: filler.offers.drops.words(task) for task in recipe.target.tasks}
    unknown = made.licences().get(_NO_LICENCE, 0) if recipe.gates.licence else 0
    yield from made.recipe.notes
    if unknown:
        yield (
            f"{unknown} tokens are of documents that tell no licence, which gates.licence cannot judge: give the "
            "source a licence, or name the rows' column (columns: {licence: NAME})"
        )
    yield from (f"{source.name}: {note}" for source in sources for note in source.notes)
    for source in sources:
        if source.read < source.size:
            part = f"{source.read / 1e6:,.0f} of {source.size / 1e6:,.0f} MB"
            yield f"{source.name}: {part} were read, in an order of the seed"
    yield from shortfall_warnings(made.sources, set(recipe.target.tasks) - left, refused)
    yield from missing_warnings(recipe.size, made)
    yield from share_warnings(made)
    if moved:
        yield moved
    yield from (f"{count} documents: {note}" for note, count in made.encoding_notes.items())
    yield from made.leakage.warnings
    yield from others


def _licence(source: OpenSource, taken: Sequence[Segment]) -> str:
    """The licence of what was taken, where it is one; rows may have said another than the source."""
    found = {segment.licence for segment in taken}
    return found.pop() if len(found) == 1 else ("per-document" if found else source.licence)
