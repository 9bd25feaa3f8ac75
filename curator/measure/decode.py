"""A candidate that writes by itself, against what the BF16 model wrote.

Scoring given tokens by prefill never reads what decoding left in the KV cache, so a fault of the decode path or of
its cache does not show there. Decoding along the baseline's tokens shows it at every token, where the server can
be forced (`score_candidate` with phase ``decode``); free-running shows it on any server, as an earlier departure
from the baseline's text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from curator._progress import Advance
from curator.measure.baseline import Baseline
from curator.measure.fits import Shapes, has_shapes, is_whole
from curator.measure.lists_file import Arrays, rounded
from curator.measure.partial import Partial
from curator.measure.sparse import sparse_divergences
from curator.measure.summary import weighted
from curator.measure.survival import Counts, Survival, common_prefix, survival
from curator.serve.interface import Continuation, Sampling, Scores, Server

_FOLLOWING: Shapes = {"position": ("iu", 1), "kl": ("f", 1)}


@dataclass(frozen=True, slots=True)
class FreeRunning:
    """What a candidate wrote.

    Attributes:
        prompts: one row a prompt: ``prompt``, ``task``, ``corpus``, ``followed`` (tokens written as the baseline
            did), ``length`` (tokens of the baseline's text).
        following: one row a token that both models wrote behind the same text, the one that departs included:
            ``prompt``, ``task``, ``corpus``, ``position``, ``kl`` (union estimate). Empty when the baseline has no
            decoded lists at this batch size. Worse candidates have fewer and easier tokens here: no ranking.
    """

    prompts: pd.DataFrame
    following: pd.DataFrame


def free_running(
    baseline: Baseline, server: Server, batch_size: int, advance: Advance, partial: Partial
) -> FreeRunning:
    """Have a candidate decode greedily from the baseline's prompts.

    Args:
        baseline: see baseline.py.
        server: the candidate.
        batch_size: prompts decoded together.
        advance: called with the number of prompts done since the last call.
        partial: keeps what each prompt gave, so that a killed measurement goes on.
    """
    decoded = baseline.scores(batch_size, "decode") if "decode" in baseline.phases(batch_size) else None
    limits = free_limits(baseline)

    def ask(begin: int) -> Iterator[Arrays]:
        prompts, most = [window.ids[: window.prompt] for window in baseline.windows[begin:]], limits[begin:]
        lists = {"top_k": baseline.top_k, "keep": max(most)} if decoded else {}
        written = server.generate(prompts, Sampling(max(most)), batch_size, limits=most, **lists)
        for index, one in enumerate(written, begin):
            yield _compared(baseline, index, one, decoded[index] if decoded else None)

    def fits(index: int, arrays: Arrays) -> bool:
        known = is_whole(arrays, "followed", 0, len(baseline.continuation(index)))
        return known and has_shapes(arrays, _FOLLOWING) and len(arrays["position"]) == len(arrays["kl"])

    name, total = f"free-{batch_size}", len(baseline.windows)
    partial.run(name, total, batch_size, ask, server, advance, fits)
    rows, tables = [], []
    for index, arrays in enumerate(partial.results(name, total)):
        prompt = baseline.prompts[index]
        known = {"prompt": prompt["id"], "task": prompt["task"], "corpus": prompt["corpus"]}
        length = len(baseline.continuation(index))
        rows.append({**known, "followed": int(arrays["followed"]), "length": length})
        tables.append(pd.DataFrame({**known, "position": arrays["position"], "kl": arrays["kl"]}))
    return FreeRunning(pd.DataFrame(rows), pd.concat(tables, ignore_index=True))


def _compared(baseline: Baseline, index: int, written: Continuation, reference: Scores | None) -> Arrays:
    """How far one prompt's text follows the baseline's, and what is compared until then."""
    followed = common_prefix(written.ids, baseline.continuation(index))
    places, kl = np.zeros(0, dtype=np.int64), np.zeros(0)
    if reference is not None and written.scores is not None:
        places, kl = _while_following(baseline, index, followed, reference, written.scores)
    return {"followed": np.array(followed), "position": places, "kl": kl}


def own_survival(baseline: Baseline, cap: int) -> dict[str, dict[str, Any]]:
    """The BF16 model's survival against itself, by each other batch size that it was decoded at.

    Args:
        baseline: see baseline.py.
        cap: tokens up to which prompts are watched.
    """
    found = {}
    for size in baseline.sizes[1:]:
        followed, length = _own_followed(baseline, size)
        if len(length):
            found[str(size)] = asdict(survival(followed, length, cap))
    return found


def decode_summary(baseline: Baseline, run: FreeRunning) -> dict[str, Any]:
    """The numbers of a free-running candidate, for a score document.

    Returns:
        ``candidate`` and ``by_task``: see `Survival`; ``reference``: the same of that model against itself, by
        batch size, empty when it was decoded at one only; ``kl_while_following`` and ``tokens_while_following``.
    """
    whole = _survival(run.prompts)
    following = run.following
    return {
        "candidate": asdict(whole),
        "by_task": {str(task): asdict(_survival(rows)) for task, rows in run.prompts.groupby("task", sort=False)},
        "reference": own_survival(baseline, whole.cap),
        "kl_while_following": weighted(following, "kl") if len(following) else None,
        "tokens_while_following": len(following),
    }


def _survival(prompts: pd.DataFrame) -> Survival:
    followed, length = (prompts[name].to_numpy(dtype=np.int64) for name in ("followed", "length"))
    return survival(followed, length)


def _own_followed(baseline: Baseline, size: int) -> tuple[Counts, Counts]:
    """Tokens that the BF16 model wrote alike at another batch size, and those of each text.

    Forced along a text, it prefers another token first where, left alone, it would have departed; prompts whose
    scored tokens do not begin right behind the prompt, or have gaps, are left out then.
    """
    counted = baseline.followed(size)
    if counted is not None:
        lengths = [len(baseline.continuation(index)) for index in range(len(baseline.windows))]
        return counted.astype(np.int64), np.array(lengths, dtype=np.int64)
    pairs = []
    stored = baseline.scores(size, "decode") if "decode" in baseline.phases(size) else []
    for window, picked, scores in zip(baseline.windows, baseline.picked, stored, strict=False):
        if window.start == window.prompt and len(picked) == window.scored:
            other = np.flatnonzero(scores.chosen < scores.top_logprobs[:, 0])
            pairs.append((other[0] if len(other) else window.scored, window.scored))
    followed, length = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    return followed, length


def free_limits(baseline: Baseline) -> list[int]:
    """The most tokens of each prompt: its text's length where that was cut, else the next such length."""
    lengths = [len(baseline.continuation(index)) for index in range(len(baseline.windows))]
    cut = sorted({own for own, prompt in zip(lengths, baseline.prompts, strict=True) if not prompt["finished"]})
    return [next((limit for limit in cut if limit >= own), max(lengths)) for own in lengths]


def _while_following(
    baseline: Baseline, index: int, followed: int, reference: Scores, candidate: Scores
) -> tuple[Counts, NDArray[np.float64]]:
    """Places in the text, and KL there, of the tokens predicted behind the same text."""
    window = baseline.windows[index]
    places = window.start - window.prompt + baseline.picked[index]
    both = places <= min(followed, len(candidate.chosen) - 1)
    mine, theirs = np.flatnonzero(both), places[both]
    if not len(mine):
        return theirs, np.zeros(0)
    ids, logprobs = candidate.top_ids[theirs], rounded(candidate, "candidate").top_logprobs[theirs]
    kl = sparse_divergences(
        reference.top_ids[mine], reference.top_logprobs[mine], ids, logprobs, baseline.vocabulary
    )["union"]
    return theirs, kl
