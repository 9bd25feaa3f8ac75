"""The kinds of text sources that a recipe can name."""

from __future__ import annotations

import difflib
import math
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, Discriminator, Field, Tag, model_validator

from curator.corpora.languages import Language
from curator.corpora.licences import Licence
from curator.corpora.reading import Reading, Strict, Word

# Shares and weights count by their ratios; beyond this their sums would lose digits, or overflow.
MOST = 1e6


Weight = Annotated[float, Field(gt=0, le=MOST)]


def _finite_options(options: dict[str, Any]) -> dict[str, Any]:
    for key, value in options.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"option {key} is {value:g}; give a finite number")
    return options


class CorpusSource(Strict):
    """Text from a corpus card.

    ``corpus``: the id of a card that ships (``curate ls corpora``), or the path of your own.
    ``task``: the task that its tokens count for; the card's own when left out.
    ``weight``: its share within the task, against the task's other sources.
    """

    corpus: Word
    task: Word | None = None
    weight: Weight = 1.0


class _Rows(Reading):
    """What sources of rows share."""

    task: Word | None = None
    language: Language = "und"
    licence: Licence = "unknown"
    weight: Weight = 1.0
    low_continuity: bool = False

    @model_validator(mode="after")
    def _has_task(self) -> Self:
        if (self.task is None) == (self.columns.task is None):
            raise ValueError("give a task for all rows, or the column that holds each row's own as columns.task")
        return self


class FilesSource(_Rows):
    """Text from local files.

    ``files``: a path, a folder or a pattern such as ``data/*.jsonl.gz``, or a list of them, from the folder of
    the recipe file that names them. A folder means all files of rows and texts in it, but README and the like.
    ``task``: the task that its tokens count for, unless ``columns.task`` names a column of tasks.
    ``language``: BCP 47; ``und`` when unknown.
    ``licence``: an SPDX expression; ``unknown`` when nobody told.
    ``weight``: its share within the task, against the task's other sources.
    ``low_continuity``: the texts lack continuous meaning on purpose, such as key-value retrieval over UUIDs: the
    gates that look for accidents leave them alone.
    """

    files: Word | Annotated[list[Word], Field(min_length=1)]


class DatasetSource(_Rows):
    """Text from a data set of the Hugging Face hub, or a local folder with the hub's layout.

    ``dataset``: its id (``owner/name``) or a folder.
    ``task``: the task that its tokens count for, unless ``columns.task`` names a column of tasks.
    ``revision``: the commit; left out, the newest, which is told and stored in the set.
    ``config``: the name of one of its configurations; needed when it has several.
    ``split``: the part of it that is read.
    ``data_files``: a pattern of files in it, instead of ``config`` and ``split``.
    ``pool_rows``: rows that are looked at, from files chosen by the seed; sets are drawn from these.
    ``language``: BCP 47; ``und`` when unknown.
    ``licence``: an SPDX expression; ``unknown`` when nobody told.
    ``weight``: its share within the task, against the task's other sources.
    ``low_continuity``: the texts lack continuous meaning on purpose, such as key-value retrieval over UUIDs: the
    gates that look for accidents leave them alone.
    """

    dataset: Word
    revision: Word | None = None
    config: Word | None = None
    split: Word = "train"
    data_files: Word | None = None
    pool_rows: int = Field(default=50_000, ge=1, le=100_000_000)


class GenerateSource(Strict):
    """Synthetic documents from one of our generators.

    ``generate``: its name (``curate ls generators``).
    ``task``: the task that its tokens count for; the generator's name when left out.
    ``weight``: its share within the task, against the task's other sources.
    ``options``: the generator's options.
    """

    generate: Word
    task: Word | None = None
    weight: Weight = 1.0
    options: Annotated[dict[str, Any], AfterValidator(_finite_options)] = Field(default_factory=dict)


SOURCE_KINDS: dict[str, type[Strict]] = {
    "corpus": CorpusSource,
    "files": FilesSource,
    "dataset": DatasetSource,
    "generate": GenerateSource,
}


def _source_kind(value: Any) -> str | None:
    if isinstance(value, BaseModel):
        return f"<{next(name for name in SOURCE_KINDS if hasattr(value, name))}>"
    if isinstance(value, dict):
        return next((f"<{name}>" for name in SOURCE_KINDS if name in value), None)
    return None


def kind_problem(value: Any) -> str:
    """Why a value is no source."""
    keys = f"a source needs one of the keys {', '.join(SOURCE_KINDS)}"
    if not isinstance(value, dict):
        return keys
    if "jsonl" in value:
        return "jsonl is now files; write files instead (and columns: {text: NAME} instead of text)"
    near = [found[0] for key in value if (found := difflib.get_close_matches(str(key), SOURCE_KINDS, 1))]
    return f"{keys}; did you mean {near[0]}?" if near else keys


# The tags are no possible keys, so that a position in an error cannot be mistaken for one.
Source = Annotated[
    Annotated[CorpusSource, Tag("<corpus>")]
    | Annotated[FilesSource, Tag("<files>")]
    | Annotated[DatasetSource, Tag("<dataset>")]
    | Annotated[GenerateSource, Tag("<generate>")],
    Discriminator(
        _source_kind,
        custom_error_type="source_kind",
        custom_error_message="a source of no known kind",
    ),
]
