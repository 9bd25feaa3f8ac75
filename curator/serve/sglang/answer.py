"""Reading SGLang's answers, and refusing those that cannot be right. Nothing is filled in.

With ``logprob_start_len`` S, ``input_token_logprobs`` and the prompt's lists have one entry for each of
``ids[S:]``. Entry j belongs to token S + j and holds the distribution that *predicted* it; the first is null.
The output's have one entry for each decoded token.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._errors import ServerError
from curator.serve.interface import Continuation, Scores, Window
from curator.serve.sglang.arrays import Lists, Side, floats, read_lists

# A chosen token's logprob comes from the same log-softmax as the list: they differ by printing only.
_SAME = 1e-3
_MASS = 1e-3
# Probability zero. SGLang clamps its own there, so that -inf and this are one thing; finite, so that a difference
# of two is a number.
LEAST = float(np.finfo(np.float32).min)


def read_continuation(
    answer: dict[str, Any], ids: Sequence[int], new_tokens: int, vocabulary: int, k: int = 0, keep: int = 0
) -> Continuation:
    """The decoded ids, EOS included, whether the model ended them, and the distributions of the last ones.

    Args:
        answer: one of the list that ``/generate`` gave.
        ids: the prompt.
        new_tokens: the most tokens asked for.
        vocabulary: number of token ids.
        k: length of the lists asked for; 0 for none.
        keep: decoded tokens, from the end, whose lists are returned.

    Raises:
        ServerError: the request was aborted, the prompt or the answer cut, or the values cannot be right.
    """
    meta = _meta(answer, len(ids))
    output = answer.get("output_ids")
    if not isinstance(output, list):
        raise ServerError("SGLang's answer has no output_ids")
    if not 1 <= len(output) <= new_tokens or not all(
        type(token) is int and 0 <= token < vocabulary for token in output
    ):
        raise ServerError(f"SGLang answered {len(output)} tokens that cannot be a continuation")
    reason = meta.get("finish_reason")
    kind = reason.get("type") if isinstance(reason, dict) else reason
    if kind == "length" and len(output) < new_tokens:
        raise ServerError(f"SGLang decoded {len(output)} of {new_tokens} tokens; its context is full")
    # A server that does not say why: only what is shorter than asked was ended by the model.
    finished = kind == "stop" if isinstance(kind, str) else len(output) < new_tokens
    scores = _scores(meta, "output", output, k, vocabulary) if k else None
    if scores is not None:
        keep = min(keep, len(output))
        scores = Scores(scores.top_ids[-keep:], scores.top_logprobs[-keep:], scores.chosen[-keep:])
    return Continuation(tuple(output), finished, scores)


def read_scores(answer: dict[str, Any], window: Window, k: int, vocabulary: int) -> Scores:
    """The distributions that predicted ``window.ids[window.start:]``.

    Raises:
        ServerError: a field is missing, positions are missing or shifted, or the values cannot be logprobs.
    """
    return _scores(_meta(answer, len(window.ids)), "input", window.ids[window.start - 1 :], k, vocabulary)


def _meta(answer: dict[str, Any], length: int) -> dict[str, Any]:
    meta = answer.get("meta_info")
    if not isinstance(meta, dict):
        raise ServerError("SGLang's answer has no meta_info")
    reason = meta.get("finish_reason")
    if isinstance(reason, dict) and reason.get("type") == "abort":
        raise ServerError(f"SGLang aborted a request: {str(reason.get('message'))[:200]}")
    seen = meta.get("prompt_tokens", length)
    if seen != length:
        raise ServerError(f"SGLang saw {str(seen)[:40]} of a prompt's {length} tokens; it must not cut prompts")
    return meta


def _scores(meta: dict[str, Any], side: Side, tokens: Sequence[int], k: int, vocabulary: int) -> Scores:
    """Checked distributions of ``tokens``; of the prompt's, the first has none."""
    chosen = _chosen(meta, side, tokens, vocabulary)
    lists = read_lists(meta, side, k)
    nulls = 1 if side == "input" else 0
    if (lists.nulls, len(lists.ids)) != (nulls, len(chosen)):
        raise ServerError(_gap(meta, lists.name, lists.nulls + len(lists.ids), len(tokens)))
    _check_lists(lists, vocabulary)
    _check_chosen(lists, chosen, np.array(tokens[nulls:]))
    return Scores(
        lists.ids.astype(np.int32),
        np.maximum(lists.logprobs, LEAST).astype(np.float32),
        np.maximum(chosen, LEAST).astype(np.float32),
    )


def _chosen(meta: dict[str, Any], side: Side, tokens: Sequence[int], vocabulary: int) -> NDArray[np.float64]:
    """Each token's own logprob, float64; of the prompt's, the first has none."""
    name = f"{side}_token_logprobs"
    entries = meta.get(name)
    if not isinstance(entries, list):
        raise ServerError(f"SGLang's answer has no {name}; start the server without a logprob limit")
    if len(entries) != len(tokens):
        raise ServerError(_gap(meta, name, len(entries), len(tokens)))
    for position, (entry, expected) in enumerate(zip(entries, tokens, strict=True)):
        if not isinstance(entry, list) or len(entry) < 2:
            raise ServerError(f"SGLang's {name}: entry {position} is not [logprob, id]")
        # 0.5.23 reports the last id as 0 here (measured; the lists have it right).
        if entry[1] != expected and not (entry[1] == 0 and expected == vocabulary - 1):
            raise ServerError(
                f"SGLang's {name}: token {str(entry[1])[:40]} where {expected} "
                f"{'was sent' if side == 'input' else 'was decoded'}; positions are shifted"
            )
    return floats([entry[0] for entry in entries[1 if side == "input" else 0 :]], name)


def _gap(meta: dict[str, Any], name: str, found: int, wanted: int) -> str:
    cached = meta.get("cached_tokens") or 0
    hint = f" ({cached} prompt tokens came from its prefix cache)" if cached else ""
    return f"SGLang's {name} has {found} positions, {wanted} were asked for{hint}"


def _check_lists(lists: Lists, vocabulary: int) -> None:
    ids, logprobs, name = lists.ids, lists.logprobs, lists.name
    if not ids.size:
        raise ServerError(f"SGLang's {name} is empty")
    if ids.min() < 0 or ids.max() >= vocabulary:
        raise ServerError(f"SGLang's {name}: an id outside the vocabulary of {vocabulary}")
    ordered = np.sort(ids, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        raise ServerError(f"SGLang's {name}: an id twice in one list")
    # Compared, not subtracted: two entries of -inf are in order.
    if (logprobs[:, 1:] > logprobs[:, :-1] + _SAME).any():
        raise ServerError(f"SGLang's {name}: a list is not ordered by probability")
    if (np.exp(np.minimum(logprobs, 1.0)).sum(axis=1) > 1 + _MASS).any():
        raise ServerError(f"SGLang's {name}: probabilities sum to more than 1; not at temperature 1?")
    # Attention to another position changes every number: equal lists are one list repeated.
    if len(ids) > 1 and (ids == ids[0]).all() and (logprobs == logprobs[0]).all():
        raise ServerError(f"SGLang's {name}: the same list at every position")


def _check_chosen(lists: Lists, chosen: NDArray[np.float64], tokens: NDArray[np.int64]) -> None:
    """A token's own logprob is the list's, or not above the list's last."""
    listed = lists.ids == tokens[:, None]
    found = listed.any(axis=1)
    own = lists.logprobs[np.arange(len(tokens)), listed.argmax(axis=1)]
    # Clamped: the difference of two -inf is no number.
    own, given, last = (np.maximum(values, LEAST) for values in (own, chosen, lists.logprobs[:, -1]))
    wrong = np.where(found, np.abs(own - given) > _SAME, given > last + _SAME)
    if wrong.any():
        raise ServerError(
            f"SGLang's {lists.name.split('_')[0]} logprobs disagree at token {int(np.flatnonzero(wrong)[0])}: "
            "the token's own value is not the one in its list"
        )
