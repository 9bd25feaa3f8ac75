"""The kinds of text sources that a recipe can name, and how their rows are read."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

# Shares and weights count by their ratios; beyond this their sums would lose digits, or overflow.
MOST = 1e6


class Strict(BaseModel):
    """A mapping of the recipe: unknown keys and other types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


Weight = Annotated[float, Field(gt=0, le=MOST)]
Word = Annotated[str, Field(min_length=1)]


def _finite_options(options: dict[str, Any]) -> dict[str, Any]:
    for key, value in options.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"option {key} is {value:g}; give a finite number")
    return options


class Columns(Strict):
    """Which columns of a row are what; a path such as ``answers.text.0`` reaches into a value.

    ``text`` alone gives plain text. ``messages`` gives a conversation (role/content or ShareGPT's
    from/value). ``prompt`` and ``response`` give a conversation of two turns, with ``context`` put before the
    prompt, ``choices`` (a list) listed below it as A, B, C and so on, and ``system`` as a first turn.
    ``reasoning`` is what the assistant thought before its answer; ``tools`` the tools on offer.
    """

    text: Word | None = None
    messages: Word | None = None
    system: Word | None = None
    context: Word | None = None
    prompt: Word | None = None
    choices: Word | None = None
    response: Word | None = None
    reasoning: Word | None = None
    tools: Word | None = None
    language: Word | None = None
    licence: Word | None = None


class Reading(Strict):
    """How the rows of files are read; the same keys for local files, data sets and corpus cards.

    ``format``: ``auto`` goes by the file's name, then by its first bytes. Compression (gzip, zstd, bzip2, xz) is
    always told by the first bytes.
    ``columns``: which columns are what; left out, the usual names are looked for.
    ``join``: a text made of columns, such as ``"{title}\\n\\n{body}"``, instead of ``columns.text``.
    ``unit``: what one text of a plain-text file is.
    ``encoding_errors``: bytes that are not in the encoding stop the run, or become U+FFFD and are counted.
    ``bad_rows``: rows that cannot be used are counted and left out, or stop the run.
    """

    format: Literal["auto", "jsonl", "json", "parquet", "arrow", "csv", "tsv", "text"] = "auto"
    columns: Columns = Columns()
    join: Word | None = None
    unit: Literal["document", "paragraph", "line"] = "document"
    encoding: Word = "utf-8"
    encoding_errors: Literal["stop", "replace"] = "stop"
    bad_rows: Literal["skip", "stop"] = "skip"


class CorpusSource(Strict):
    """Text from a corpus card: the id of one that ships (``curate ls``), or the path of your own card."""

    corpus: Word
    task: Word | None = None
    weight: Weight = 1.0


class FilesSource(Reading):
    """Text from local files: a path, a folder or a pattern such as ``data/*.jsonl.gz``, or a list of them.

    Paths are relative to the recipe.
    """

    files: Word | Annotated[list[Word], Field(min_length=1)]
    task: Word
    language: Word = "und"
    licence: Word = "unknown"
    weight: Weight = 1.0


class DatasetSource(Reading):
    """Text from a data set of the Hugging Face hub, or a local folder with the hub's layout.

    ``revision``: the commit; left out, the newest, which is told and stored in the set.
    ``pool_rows``: rows that are looked at, from files chosen by the seed; sets are drawn from these.
    """

    dataset: Word
    task: Word
    revision: Word | None = None
    config: Word | None = None
    split: Word = "train"
    data_files: Word | None = None
    pool_rows: int = Field(default=50_000, ge=1, le=100_000_000)
    language: Word = "und"
    licence: Word = "unknown"
    weight: Weight = 1.0


class GenerateSource(Strict):
    """Synthetic documents from one of our generators."""

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


# The tags are no possible keys, so that a position in an error cannot be mistaken for one.
Source = Annotated[
    Annotated[CorpusSource, Tag("<corpus>")]
    | Annotated[FilesSource, Tag("<files>")]
    | Annotated[DatasetSource, Tag("<dataset>")]
    | Annotated[GenerateSource, Tag("<generate>")],
    Discriminator(
        _source_kind,
        custom_error_type="source_kind",
        custom_error_message=f"a source needs one of the keys {', '.join(SOURCE_KINDS)}",
    ),
]
