"""llama.cpp's ``llama-imatrix``, which takes text only.

It reads one text, tokenises it, and cuts the ids every ``-c`` tokens; where the model adds BOS, BOS is written
over the first token of each chunk; an incomplete last chunk is dropped (its tools/imatrix/imatrix.cpp). So rows of
equal length can arrive as they are when they are cut at that length; which do is worked out here.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from curator._errors import InputError
from curator.adapters.stored_set import StoredSet


@dataclass(frozen=True, slots=True)
class TextTokenizer:
    """What has to be known of the set's tokenizer.

    Attributes:
        encode: text to ids, control tokens recognised, nothing added.
        start: what it puts in front of a text: ``[bos]`` or nothing.
        start_text: what ``start`` decodes to.
        special: ids of control tokens.
    """

    encode: Callable[[str], list[int]]
    start: list[int]
    start_text: str
    special: frozenset[int]


@dataclass(frozen=True, slots=True)
class Cut:
    """What one value of ``-c`` makes of the text.

    Attributes:
        context: ``-c``: tokens of a chunk.
        chunks: chunks that the tool will run.
        whole: rows that are one of these chunks, id for id and in their place.
        dropped: tokens of the incomplete last chunk.
    """

    context: int
    chunks: int
    whole: int
    dropped: int


@dataclass(frozen=True, slots=True)
class TextHandover:
    """A set as text for ``llama-imatrix``, and what becomes of it there.

    Attributes:
        text: the file's content.
        cut: at the length of the rows; of the longest, where they differ.
        shorter: at a shorter length that drops fewer tokens, if there is one.
        adds_bos: the tokenizer puts BOS in front of a text.
        rows: rows of the set.
        same_ids: rows whose own text is tokenised to the row's ids again.
        tokens: tokens of the set.
        retokenised: tokens of the whole text.
        control: control tokens in the set.
    """

    text: str
    cut: Cut
    shorter: Cut | None
    adds_bos: bool
    rows: int
    same_ids: int
    tokens: int
    retokenised: int
    control: int

    def command(self, file: Path) -> str:
        """The command line to run; MODEL.gguf is for the user to fill in."""
        name = shlex.quote(str(file))
        return f"llama-imatrix -m MODEL.gguf -f {name} -c {self.cut.context} --parse-special -o imatrix.gguf"

    def changes(self) -> list[str]:
        """What ``llama-imatrix`` changes, one sentence each."""
        cut, other = self.cut, self.shorter
        bos = "BOS is written over the first token of each chunk" if self.adds_bos else "no BOS is added"
        found = [
            f"the text is tokenised again: {self.same_ids} of {self.rows} rows alone give the same ids, "
            f"{self.retokenised:,} tokens in all where the set has {self.tokens:,}",
            f"the ids are cut every {cut.context} tokens: {cut.whole} of {self.rows} rows arrive as they are, "
            f"in {cut.chunks} chunks",
            f"the incomplete last chunk is dropped: {cut.dropped} tokens",
            bos,
            "these counts are by the model's own tokenizer; llama.cpp's differs for some models and texts "
            "(SmolLM2: columns of numbers)",
        ]
        if other:
            found.insert(
                3,
                f"-c {other.context} would drop {other.dropped} tokens, not {cut.dropped}, "
                f"and leave {other.whole} rows as they are, not {cut.whole}",
            )
        if self.control:
            found.append(
                f"without --parse-special the {self.control} control tokens would be split into ordinary ones"
            )
        return found


def text_for_imatrix(stored: StoredSet, tokenizer: TextTokenizer) -> TextHandover:
    """Lay the set's texts end to end so that, where it can be, each chunk is one row.

    Raises:
        InputError: too few tokens for two chunks, which ``llama-imatrix`` refuses.
    """
    rows, start = stored.rows, tokenizer.start
    text = "".join(stored.texts)
    # The tool adds the first BOS itself.
    if rows and start and rows[0][: len(start)] == start:
        text = text.removeprefix(tokenizer.start_text)
    ids = [*start, *tokenizer.encode(text)]
    # A longer context than half of the ids would leave less than two chunks.
    context = min(max(map(len, rows), default=1), len(ids) // 2)
    if context <= len(start):
        raise InputError("the set has too few tokens for two chunks of llama-imatrix; build a larger one")
    cut = _cut(ids, rows, start, context)
    return TextHandover(
        # One line end at the end of the file is taken off by the tool.
        text=text + "\n",
        cut=cut,
        shorter=_shorter(ids, rows, start, cut),
        adds_bos=bool(start),
        rows=len(rows),
        same_ids=sum(tokenizer.encode(own) == row for own, row in zip(stored.texts, rows, strict=True)),
        tokens=sum(map(len, rows)),
        retokenised=len(ids),
        control=sum(token in tokenizer.special for row in rows for token in row),
    )


def _shorter(ids: list[int], rows: list[list[int]], start: list[int], cut: Cut) -> Cut | None:
    """One chunk more, all as long as they can be then, where that drops fewer tokens."""
    context = len(ids) // (cut.chunks + 1)
    if not cut.dropped or context <= len(start):
        return None
    other = _cut(ids, rows, start, context)
    return other if other.dropped < cut.dropped else None


def _cut(ids: list[int], rows: list[list[int]], start: list[int], context: int) -> Cut:
    """Cut ``ids`` as the tool does, BOS over the first token of each chunk."""
    places = range(0, len(ids) - context + 1, context)
    chunks = ([*start, *ids[at + len(start) : at + context]] for at in places)
    return Cut(
        context=context,
        chunks=len(places),
        whole=sum(chunk == row for chunk, row in zip(chunks, rows, strict=False)),
        dropped=len(ids) % context,
    )
