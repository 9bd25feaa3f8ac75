"""Top-K lists of an answer as two arrays, whichever of SGLang's three shapes they came in.

Flat in base64 (2.7 kB a token for 256 entries), flat in JSON numbers, or nested ``[logprob, id, text]`` (8 kB a
token), which older servers give whatever they are asked. Behind this module there is one way to read them.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from itertools import chain
from operator import itemgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from curator._errors import ServerError
from curator.serve.sglang.nested import Table

Side = Literal["input", "output"]

# What a request asks for the flat shape with; a server that does not know it answers nested lists.
FLAT = {
    "return_flat_raw_top_logprobs": True,
    "return_flat_raw_output_top_logprobs": True,
    "return_flat_raw_top_logprobs_b64": True,
}
_PAIR = itemgetter(0, 1)
_WIDTHS = {"val": ("float32", np.dtype("<f4")), "idx": ("int32", np.dtype("<i4"))}


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of one answer, most likely first, as they were sent.

    Attributes:
        name: the field they came from, for messages.
        ids: int64 [rows, K].
        logprobs: float64 [rows, K].
        nulls: positions without a list before the first row.
    """

    name: str
    ids: NDArray[np.int64]
    logprobs: NDArray[np.float64]
    nulls: int


def read_lists(meta: dict[str, Any], side: Side, k: int) -> Lists:
    """The lists of the prompt's or of the decoded tokens.

    Args:
        meta: an answer's ``meta_info``.
        side: whose.
        k: entries that each list must have.

    Raises:
        ServerError: there are none, or they are not K numbers at each position.
    """
    name = f"{side}_top_logprobs"
    if f"{name}_shape" in meta:
        return _flat(meta, name, k)
    found = meta.get(name)
    if isinstance(found, Table):
        if found.ids.shape[1] != k:
            raise ServerError(f"SGLang's {name}: {found.ids.shape[1]} of {k} entries at list 0")
        return Lists(name, found.ids, found.logprobs, found.nulls)
    if isinstance(found, list):
        return _nested(found, name, k)
    raise ServerError(f"SGLang's answer has no {name}; start the server without a logprob limit")


def _flat(meta: dict[str, Any], name: str, k: int) -> Lists:
    shape, nulls = meta[f"{name}_shape"], meta.get(f"{name}_null_prefix")
    if not (isinstance(shape, list) and [type(size) for size in shape] == [int, int] and min(shape) >= 0):
        raise ServerError(f"SGLang's {name}_shape is {str(shape)[:40]}, not rows and entries")
    if type(nulls) is not int or nulls < 0:
        raise ServerError(f"SGLang's {name}_null_prefix is {str(nulls)[:40]}, not a number of positions")
    if shape[1] != k:
        raise ServerError(f"SGLang's {name}: {shape[1]} of {k} entries at each position")
    values, ids = (_flat_array(meta, name, part) for part in ("val", "idx"))
    if len(values) != len(ids) or len(ids) != shape[0] * k:
        raise ServerError(
            f"SGLang's {name}: {len(values)} logprobs and {len(ids)} ids where its shape says {shape[0]} x {k}"
        )
    return Lists(name, _integers(ids, name).reshape(shape), floats(values, name).reshape(shape), nulls)


def _flat_array(meta: dict[str, Any], name: str, part: str) -> Any:
    """One of the two arrays: decoded bytes, or the JSON list as it is."""
    field = f"{name}_{part}_flat"
    text = meta.get(f"{field}_b64")
    if text is None:
        plain = meta.get(field)
        if not isinstance(plain, list):
            raise ServerError(f"SGLang's answer has a {name}_shape, but no {field}")
        return plain
    wanted, dtype = _WIDTHS[part]
    said = meta.get(f"{field}_b64_dtype", wanted)
    if said != wanted:
        raise ServerError(f"SGLang's {field} is {str(said)[:40]}, not {wanted}; this version is not known yet")
    try:
        return np.frombuffer(base64.b64decode(text, validate=True), dtype=dtype)
    except (binascii.Error, TypeError, ValueError) as error:
        raise ServerError(f"SGLang's {field}_b64 is not an array of {wanted} in base64") from error


def _nested(rows: list[Any], name: str, k: int) -> Lists:
    nulls = 0
    while nulls < len(rows) and not rows[nulls]:
        nulls += 1
    rows = rows[nulls:]
    for position, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != k:
            found = len(row) if isinstance(row, list) else row
            raise ServerError(f"SGLang's {name}: {str(found)[:40]} of {k} entries at list {position}")
        if set(map(type, row)) != {list} or min(map(len, row)) < 2:
            raise ServerError(f"SGLang's {name}: an entry of list {position} is not [logprob, id]")
    # zip and chain run in C: there are 32,000 entries in the lists of one window.
    logprobs, ids = zip(*map(_PAIR, chain.from_iterable(rows)), strict=True) if rows else ((), ())
    return Lists(name, _integers(ids, name).reshape(-1, k), floats(logprobs, name).reshape(-1, k), nulls)


def _integers(values: Any, name: str) -> NDArray[np.int64]:
    """Ids, as sent; of a JSON list each must be a whole number, where numpy would take 3.7 and True for one."""
    if not isinstance(values, np.ndarray) and not set(map(type, values)) <= {int}:
        raise ServerError(f"SGLang's {name}: an id is not a whole number")
    try:
        return np.asarray(values, dtype=np.int64)
    except OverflowError as error:
        raise ServerError(f"SGLang's {name}: an id is not a whole number of 64 bits") from error


def floats(values: Any, name: str) -> NDArray[np.float64]:
    """Logprobs, as sent.

    Raises:
        ServerError: something else than numbers, or NaN. A null is NaN too: JSON has no other word for it.
    """
    if not isinstance(values, np.ndarray) and not set(map(type, values)) <= {float, int, type(None)}:
        raise ServerError(f"SGLang's {name} holds something other than numbers")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (OverflowError, TypeError, ValueError) as error:
        raise ServerError(f"SGLang's {name} holds something other than numbers") from error
    if np.isnan(array).any():
        raise ServerError(f"SGLang's {name} holds a value that is null or not a number; the model may be broken")
    return array
