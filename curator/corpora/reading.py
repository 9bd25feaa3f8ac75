"""How the rows of a file become texts and conversations: the keys that recipes and corpus cards share."""

from __future__ import annotations

import codecs
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from curator._seed import stable_hash
from curator.corpora.rows.encoding import check_encoding
from curator.corpora.rows.join import parse_template


class Strict(BaseModel):
    """A mapping of a recipe or card: unknown keys and other types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


Word = Annotated[str, Field(min_length=1)]

# Columns that a text is made of beside those that it is named by.
_BESIDE = ("system", "context", "choices", "reasoning", "tools")
# A dot and eight digits of a hash.
_TAIL = 9


class Columns(Strict):
    """Which columns of a row are what; a path such as ``answers.text.0`` reaches into a value.

    ``text``: a plain text.
    ``messages``: a conversation, as a list of turns (role/content, or ShareGPT's from/value).
    ``system``: a conversation's first turn.
    ``context``: put before the prompt.
    ``prompt``: what the user says; with ``response`` a conversation of two turns.
    ``choices``: a list of answers, written below the prompt as A, B, C and so on.
    ``response``: what the assistant answers.
    ``reasoning``: what the assistant thought before its answer.
    ``tools``: the tools on offer.
    ``language``: the row's own language, which wins over that of the source.
    ``licence``: the row's own licence, which wins over that of the source; left out, a column ``licence`` or
    ``license`` is taken for it.
    ``task``: the row's own task, in place of the source's.
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
    task: Word | None = None

    @model_validator(mode="after")
    def _one_shape(self) -> Self:
        shapes = [name for name in ("text", "messages", "prompt") if getattr(self, name) is not None]
        if len(shapes) > 1:
            raise ValueError(f"{' and '.join(shapes)} say twice what a row is; keep one of them")
        if (self.prompt is None) != (self.response is None):
            raise ValueError("prompt and response go together; name the other column too")
        for name in ("context", "choices", "reasoning"):
            if getattr(self, name) is not None and self.prompt is None:
                raise ValueError(f"{name} goes with prompt and response; name their columns too")
        for name in ("system", "tools"):
            if getattr(self, name) is not None and self.text is not None:
                raise ValueError(f"{name} belongs to a conversation, not to a plain text; leave it out")
        return self

    def named(self) -> tuple[str, ...]:
        """The columns that the text is made of first of all; empty for what is read when none are named."""
        if self.prompt is not None and self.response is not None:
            return self.prompt, self.response
        # Under the usual names, messages come before all others.
        named = self.text if self.messages == "messages" else self.text or self.messages
        return (named,) if named is not None else ()


def _template(join: str) -> str:
    parse_template(join)
    return join


class Reading(Strict):
    r"""How the rows of files are read; the same keys for local files, data sets and corpus cards.

    ``format``: ``auto`` goes by the file's name, then by its first bytes. Compression (gzip, zstd, bzip2, xz) is
    always told by the first bytes.
    ``columns``: which columns are what; left out, the usual names are looked for.
    ``join``: a text made of columns, such as ``"{title}\n\n{body}"``, instead of ``columns.text``.
    ``unit``: what one text of a plain-text file is.
    ``encoding``: what text files and binary columns are written in, such as ``latin-1``; a byte-order mark wins
    over it.
    ``encoding_errors``: bytes that are not in the encoding stop the run, or become U+FFFD and are counted.
    ``bad_rows``: rows that cannot be used are counted and left out, or stop the run.
    """

    format: Literal["auto", "jsonl", "json", "parquet", "arrow", "csv", "tsv", "text"] = "auto"
    columns: Columns = Columns()
    join: Annotated[Word, AfterValidator(_template)] | None = None
    unit: Literal["document", "paragraph", "line"] = "document"
    encoding: Annotated[Word, AfterValidator(check_encoding)] = "utf-8"
    encoding_errors: Literal["stop", "replace"] = "stop"
    bad_rows: Literal["skip", "stop"] = "skip"

    @model_validator(mode="after")
    def _join_alone(self) -> Self:
        columns = self.columns
        if self.join is not None and any(
            (columns.text, columns.messages, columns.prompt, columns.system, columns.tools)
        ):
            raise ValueError(
                "join makes a plain text of columns; leave out columns.text, messages, prompt and the like"
            )
        if self.unit != "document" and self.format not in ("auto", "text"):
            raise ValueError(f"unit is for plain text, not for format {self.format}; leave it out")
        return self

    def suffix(self) -> str:
        """What document ids end with, so that two readings that make other texts of one row are two documents.

        Returns:
            Empty for the default reading; else the columns of the text, and a hash of all else that the text
            depends on and that is not the default.
        """
        named = self.columns.named()
        beside = [f"{key}={path}" for key in _BESIDE if (path := getattr(self.columns, key)) is not None]
        beside += [f"join={self.join}"] if self.join is not None else []
        beside += [f"unit={self.unit}"] if self.unit != "document" else []
        # The other formats give the rows that a file has, or none.
        beside += [f"format={self.format}"] if self.format in ("csv", "tsv", "text") else []
        encoding = codecs.lookup(self.encoding).name.removesuffix("-sig")
        beside += [f"encoding={encoding}"] if encoding != "utf-8" else []
        if any("+" in name for name in named):
            # Joined, they could be those of another reading.
            beside += [f"named={name}" for name in named]
        tail = f".{stable_hash('reading', *beside):016x}"[:_TAIL] if beside else ""
        return (f".{'+'.join(named)}" if named else "") + tail
