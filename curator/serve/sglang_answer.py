"""Reading SGLang's answers, and refusing those that cannot be right. Nothing is filled in.

With ``logprob_start_len`` S, ``input_token_logprobs`` and ``input_top_logprobs`` have one entry for each of
``ids[S:]``. Entry j belongs to token S + j and holds the distribution that *predicted* it; the first is null.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._errors import ServerError
from curator.serve.interface import Continuation, Scores, Window

# A chosen token's logprob comes from the same log-softmax as the list: they differ by printing only.
_SAME = 1e-3
_MASS = 1e-3


def read_continuation(answer: dict[str, Any], ids: list[int], new_tokens: int, vocabulary: int) -> Continuation:
    """The decoded ids, EOS included, and whether the model ended them.

    Raises:
        ServerError: the request was aborted, the prompt cut, or the ids cannot be right.
    """
    reason = _meta(answer, len(ids)).get("finish_reason")
    output = answer.get("output_ids")
    if not isinstance(output, list):
        raise ServerError("SGLang's answer has no output_ids")
    if not 1 <= len(output) <= new_tokens or not all(
        isinstance(token, int) and 0 <= token < vocabulary for token in output
    ):
        raise ServerError(f"SGLang answered {len(output)} tokens that cannot be a continuation")
    kind = reason.get("type") if isinstance(reason, dict) else reason
    # A server that does not say why: only what is shorter than asked was ended by the model.
    return Continuation(tuple(output), kind == "stop" if isinstance(kind, str) else len(output) < new_tokens)


def read_scores(answer: dict[str, Any], window: Window, k: int, vocabulary: int) -> Scores:
    """The distributions that predicted ``window.ids[window.start:]``.

    Raises:
        ServerError: a field is missing, positions are missing or shifted, or the values cannot be logprobs.
    """
    meta = _meta(answer, len(window.ids))
    tokens, lists = _entries(meta, "input_token_logprobs", window), _entries(meta, "input_top_logprobs", window)
    _check_ids(tokens, window, vocabulary)
    chosen = _floats([entry[0] for entry in tokens[1:]], "input_token_logprobs")
    for position, row in enumerate(lists[1:]):
        if not isinstance(row, list) or len(row) != k:
            found = len(row) if isinstance(row, list) else row
            raise ServerError(f"SGLang's input_top_logprobs: {found} of {k} entries at scored token {position}")
        if not all(_is_entry(entry) for entry in row):
            raise ServerError(
                f"SGLang's input_top_logprobs: an entry at scored token {position} is not [logprob, id]"
            )
    logprobs = _floats([[entry[0] for entry in row] for row in lists[1:]], "input_top_logprobs")
    ids = np.array([[entry[1] for entry in row] for row in lists[1:]], dtype=np.int64)
    _check_lists(ids, logprobs, vocabulary)
    _check_chosen(ids, logprobs, chosen, np.array(window.ids[window.start :]))
    return Scores(ids.astype(np.int32), logprobs.astype(np.float32), chosen.astype(np.float32))


def read_decoded(answer: dict[str, Any], output: tuple[int, ...], keep: int, k: int, vocabulary: int) -> Scores:
    """The distributions that the last ``keep`` of the decoded ids were taken from.

    Raises:
        ServerError: a field is missing, positions are missing or shifted, or the values cannot be logprobs.
    """
    meta = answer["meta_info"]
    # As if the prompt's last token were the window's first: the null entry of prefill scoring has no match here.
    window = Window((0, *output), 1)
    whole = {name: meta.get(name) for name in ("output_token_logprobs", "output_top_logprobs")}
    if not all(isinstance(value, list) and len(value) == len(output) for value in whole.values()):
        raise ServerError("SGLang's answer has no logprobs of every decoded token")
    prefilled = {
        "meta_info": {
            "input_token_logprobs": [[None, 0, None], *whole["output_token_logprobs"]],
            "input_top_logprobs": [None, *whole["output_top_logprobs"]],
        }
    }
    scores = read_scores(prefilled, window, k, vocabulary)
    return Scores(scores.top_ids[-keep:], scores.top_logprobs[-keep:], scores.chosen[-keep:])


def _meta(answer: dict[str, Any], length: int) -> dict[str, Any]:
    meta = answer.get("meta_info")
    if not isinstance(meta, dict):
        raise ServerError("SGLang's answer has no meta_info")
    reason = meta.get("finish_reason")
    if isinstance(reason, dict) and reason.get("type") == "abort":
        raise ServerError(f"SGLang aborted a request: {str(reason.get('message'))[:200]}")
    seen = meta.get("prompt_tokens", length)
    if seen != length:
        raise ServerError(f"SGLang saw {seen} of a prompt's {length} tokens; it must not cut prompts")
    return meta


def _entries(meta: dict[str, Any], name: str, window: Window) -> list[Any]:
    """One entry for each of ``ids[start - 1:]``."""
    value = meta.get(name)
    if not isinstance(value, list):
        raise ServerError(f"SGLang's answer has no {name}; start the server without a logprob limit")
    wanted = window.scored + 1
    if len(value) != wanted:
        cached = meta.get("cached_tokens") or 0
        hint = f" ({cached} prompt tokens came from its prefix cache)" if cached else ""
        raise ServerError(f"SGLang's {name} has {len(value)} positions, {wanted} were asked for{hint}")
    return value


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, list) and len(entry) >= 2 and type(entry[1]) is int and abs(entry[1]) < 2**31


def _check_ids(tokens: list[Any], window: Window, vocabulary: int) -> None:
    for position, entry in enumerate(tokens):
        expected = window.ids[window.start - 1 + position]
        if not isinstance(entry, list | tuple) or len(entry) < 2:
            raise ServerError(f"SGLang's input_token_logprobs: entry {position} is not [logprob, id]")
        # 0.5.23 reports the last id as 0 here (measured; the lists have it right).
        if entry[1] != expected and not (entry[1] == 0 and expected == vocabulary - 1):
            raise ServerError(
                f"SGLang's input_token_logprobs: token {entry[1]} where {expected} was sent; positions are shifted"
            )


def _floats(values: list[Any], name: str) -> NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ServerError(f"SGLang's {name} holds something other than numbers") from error
    # numpy reads None as NaN.
    if not np.isfinite(array).all():
        raise ServerError(f"SGLang's {name} holds a value that is null or not finite; the model may be broken")
    return array


def _check_lists(ids: NDArray[np.int64], logprobs: NDArray[np.float64], vocabulary: int) -> None:
    if ids.min() < 0 or ids.max() >= vocabulary:
        raise ServerError(f"SGLang's input_top_logprobs: an id outside the vocabulary of {vocabulary}")
    ordered = np.sort(ids, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise ServerError("SGLang's input_top_logprobs: an id twice in one list")
    if (np.diff(logprobs, axis=1) > _SAME).any():
        raise ServerError("SGLang's input_top_logprobs: a list is not ordered by probability")
    if (np.exp(np.minimum(logprobs, 1.0)).sum(axis=1) > 1 + _MASS).any():
        raise ServerError("SGLang's input_top_logprobs: probabilities sum to more than 1; not at temperature 1?")
    # Attention to another position changes every number: equal lists are one list repeated.
    if len(ids) > 1 and (ids == ids[0]).all() and (logprobs == logprobs[0]).all():
        raise ServerError("SGLang's input_top_logprobs: the same list at every position")


def _check_chosen(
    ids: NDArray[np.int64],
    logprobs: NDArray[np.float64],
    chosen: NDArray[np.float64],
    tokens: NDArray[np.int64],
) -> None:
    """A token's own logprob is the list's, or not above the list's last."""
    listed = ids == tokens[:, None]
    found = listed.any(axis=1)
    own = np.where(listed, logprobs, 0.0).sum(axis=1)
    wrong = np.where(found, np.abs(own - chosen) > _SAME, chosen > logprobs[:, -1] + _SAME)
    if wrong.any():
        raise ServerError(
            f"SGLang's logprobs disagree at scored token {int(np.flatnonzero(wrong)[0])}: "
            "the token's own value is not the one in its list"
        )
