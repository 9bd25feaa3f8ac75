"""The kinds of text sources that a recipe can name."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, Discriminator, Field, Tag, model_validator

from curator._errors import did_you_mean
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


# The tags are no possible keys, so that a position in an error cannot be mistaken for one.
_Given = (
    Annotated[CorpusSource, Tag("<corpus>")]
    | Annotated[FilesSource, Tag("<files>")]
    | Annotated[DatasetSource, Tag("<dataset>")]
    | Annotated[GenerateSource, Tag("<generate>")]
)


def _source_kind(value: Any) -> str | None:
    if isinstance(value, BaseModel):
        return next(str(tag) for tag, kind in KINDS_BY_TAG.items() if type(value) is kind)
    if not isinstance(value, dict):
        return None
    if value.get("generate") == SELF:
        return f"<{SELF}>"
    return next((f"<{name}>" for name in SOURCE_KINDS if name in value), None)


_OF_KIND = Discriminator(
    _source_kind, custom_error_type="source_kind", custom_error_message="a source of no known kind"
)


def _counted_for(task: Any, prompts: Any) -> Any:
    """Prompts count for the task of their answers."""
    if not isinstance(prompts, dict):
        return prompts
    if prompts.get("task", task) != task or prompts.get("weight", 1) != 1:
        raise ValueError("prompts have the task and the weight of the source that they are for; leave both out")
    return {**prompts, "task": task}


class SelfSource(Strict):
    """The model's own answers: prompts, each with the reasoning and the answer of the recipe's model.

    ``generate``: ``self``.
    ``task``: the task that their tokens count for.
    ``prompts``: where the prompts are from: a source as any other, without ``task`` and ``weight``. Of a
    conversation all turns before the last answer are asked; a plain text is one question.
    ``max_new``: the most tokens of an answer; one that is cut there is left out.
    ``temperature``: 0 takes the likeliest token each time.
    ``seed``: of the sampling; the recipe's own when left out.
    ``keep``: ``gold`` keeps only answers that have what the prompt's own answer says; ``all`` every one that ends
    by itself and does not repeat itself.
    ``weight``: its share within the task, against the task's other sources.
    """

    generate: Literal["self"]
    task: Word
    prompts: Annotated[_Given, _OF_KIND]
    max_new: int = Field(default=2048, ge=1, le=1_048_576)
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int | None = Field(default=None, ge=0, le=2**63 - 1)
    keep: Literal["all", "gold"] = "all"
    weight: Weight = 1.0

    @model_validator(mode="before")
    @classmethod
    def _task_of_prompts(cls, values: Any) -> Any:
        if not isinstance(values, dict) or "prompts" not in values:
            return values
        return {**values, "prompts": _counted_for(values.get("task"), values["prompts"])}


SELF = "self"
SOURCE_KINDS: dict[str, type[Strict]] = {
    "corpus": CorpusSource,
    "files": FilesSource,
    "dataset": DatasetSource,
    "generate": GenerateSource,
}
"""Kinds by the key that a source of this kind has."""
KINDS_BY_TAG: dict[str | int, type[Strict]] = {
    **{f"<{name}>": kind for name, kind in SOURCE_KINDS.items()},
    f"<{SELF}>": SelfSource,
}


def kind_problem(value: Any) -> str:
    """Why a value is no source."""
    keys = f"a source needs one of the keys {', '.join(SOURCE_KINDS)}"
    if not isinstance(value, dict):
        return keys
    if "jsonl" in value:
        return "jsonl is now files; write files instead (and columns: {text: NAME} instead of text)"
    hints = (did_you_mean(str(key), SOURCE_KINDS, "") for key in value)
    return "; ".join(filter(None, (keys, next(filter(None, hints), ""))))


Source = Annotated[_Given | Annotated[SelfSource, Tag(f"<{SELF}>")], _OF_KIND]
