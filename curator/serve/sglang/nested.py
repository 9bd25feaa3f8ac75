"""Answers of servers that nest their lists, read without an object for each number.

SGLang up to 0.5.16 gives ``[logprob, id, null]`` for every entry: 8 kB of JSON a token, of which Python would make
a thousand objects under its global lock, while the server waits for the next request. Here such lists are cut out
of the JSON and read as a table by Arrow, which takes a seventh of the time and no lock. Whatever does not look
exactly so is left to the plain reader, which also says what is wrong.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# A quote inside a string of JSON has a backslash before it: none of these can be a part of one.
_FIELDS = tuple(f"{side}_top_logprobs" for side in ("input", "output"))
_KEYS = tuple(f'"{field}":['.encode() for field in _FIELDS)
# An entry's end, and the last one's of a list; the third column of the table tells which it was.
_BETWEEN, _LAST = b"null],[", b"null]],[["
_FEW, _END = b"0\n", b"1\n"


@dataclass(frozen=True, slots=True)
class Table:
    """Nested lists of one answer.

    Attributes:
        nulls: positions without a list before the first row.
        logprobs: float64 [rows, K], finite.
        ids: int64 [rows, K].
    """

    nulls: int
    logprobs: NDArray[np.float64]
    ids: NDArray[np.int64]


def loads(body: bytes) -> Any:
    """The JSON of an answer, in which nested lists may be a `Table`.

    Raises:
        ValueError, RecursionError: it is not JSON.
    """
    tables: list[Table] = []
    parts: list[bytes] = []
    done = place = 0
    while (begin := _next(body, place)) >= 0:
        place = _end(body, begin)
        text = body[begin:place]
        if place > begin and b"[[" not in text:
            continue
        table = _table(text)
        if table is None:
            return json.loads(body)
        # Its number stands for it.
        parts += [body[done:begin], str(len(tables)).encode()]
        tables.append(table)
        done = place
    if not tables:
        return json.loads(body)
    answers = json.loads(b"".join([*parts, body[done:]]))
    return answers if _put_back(answers, tables) else json.loads(body)


def _next(body: bytes, after: int) -> int:
    """Where the next lists begin; -1 for nowhere."""
    found = [place + len(key) - 1 for key in _KEYS if (place := body.find(key, after)) >= 0]
    return min(found, default=-1)


def _end(body: bytes, begin: int) -> int:
    """The end of lists of numbers and nulls: what follows them is the next key, or the object's end."""
    ends = [place for place in (body.find(b'"', begin), body.find(b"}", begin)) if place >= 0]
    end = min(ends, default=-1)
    return end - 1 if body[end - 1 : end] == b"," else end


def _table(text: bytes) -> Table | None:
    """The lists; ``None`` where they are not exactly entries of a logprob, an id and a null."""
    # Half a second at the first answer; only servers of this kind need it.
    import pyarrow as pa
    from pyarrow import csv

    nulls = 0
    while text.startswith(b"null,", 1 + 5 * nulls):
        nulls += 1
    rows = text[1 + 5 * nulls :]
    if not (rows.startswith(b"[[") and rows.endswith(b",null]]]")):
        return None
    lines = rows[2:-7].replace(_LAST, _END).replace(_BETWEEN, _FEW) + _END
    try:
        found = csv.read_csv(
            pa.BufferReader(lines),
            csv.ReadOptions(use_threads=False, column_names=["logprob", "id", "last"], block_size=len(lines)),
            csv.ParseOptions(quote_char=False, ignore_empty_lines=False),
            csv.ConvertOptions(
                column_types={"logprob": pa.float64(), "id": pa.int64(), "last": pa.int8()}, null_values=[]
            ),
        )
    except pa.ArrowException:
        return None
    logprobs, ids, last = (found.column(name).to_numpy() for name in ("logprob", "id", "last"))
    k = int(np.argmax(last)) + 1
    if len(last) % k or not np.array_equal(last.reshape(-1, k), np.eye(1, k, k - 1).repeat(len(last) // k, 0)):
        return None
    if not np.isfinite(logprobs).all():
        return None
    return Table(nulls, logprobs.reshape(-1, k), ids.reshape(-1, k))


def _put_back(answers: Any, tables: list[Table]) -> bool:
    """Put the tables where their numbers stand; whether each has its place."""
    rest = list(enumerate(tables))[::-1]
    for answer in answers if isinstance(answers, list) else [answers]:
        meta = answer.get("meta_info") if isinstance(answer, dict) else None
        if not isinstance(meta, dict):
            continue
        for field in [name for name in meta if name in _FIELDS and type(meta[name]) is int]:
            if not rest or rest[-1][0] != meta[field]:
                return False
            meta[field] = rest.pop()[1]
    return not rest
