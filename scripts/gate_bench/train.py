"""Fits the network that tells random text from good text."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from curator.gates.random_text import RandomText
from curator.gates.random_text.find import find_with
from curator.gates.random_text.hashing import LONGEST
from curator.gates.random_text.model import features, model_of
from curator.gates.random_text.scan import NARROW, WIDE, scan
from curator.gates.random_text.tables import Tables, load_tables, tables_of
from gate_bench.labelled import Labelled
from gate_bench.train_examples import Example, make_examples
from gate_bench.train_sources import all_sources, fold_sources, hide_languages
from gate_bench.train_tables import make_tables

_DETECTORS = 24
_ROUNDS, _BATCH, _RATE, _DECAY = 12, 1024, 4e-3, 0.3
_LOST = 0.1
"""Share of the features hidden in each step: no single word group may decide."""
_MIXED = (0.25, 0.75)
"""Windows with a share of junk between these teach nothing."""
_COST = 3.0
"""What good text taken for junk costs, in junk taken for good text."""
_SPREAD = 1e-2
"""Least spread of a feature: one that hardly varies is not blown up."""
_THRESHOLDS = (1.375, 0.375)
"""Log odds from which a narrow and a wide window are junk."""

Arrays = dict[str, NDArray[np.float16]]


def fit(examples: Sequence[Example], tables: Sequence[Tables]) -> Arrays:
    """The arrays of ``model.npz``; the same for the same examples on one machine.

    Args:
        examples: what to learn from.
        tables: see `fold_tables`; an example is seen with those that it is not part of.
    """
    inputs, junk, kinds = _windows(examples, tables)
    mean, spread = inputs.mean(0), inputs.std(0) + np.float32(_SPREAD)
    first, last = _train((inputs - mean) / spread, junk, _weights(junk, kinds))
    weights = (first.weight.detach().numpy() / spread).T
    # A feature that no text has would be noise in a file that must stay small.
    weights[inputs.std(0) == 0] = 0
    stored = _rounded(weights)
    offsets = first.bias.detach().numpy() - mean @ stored.astype(np.float32)
    return {
        "detectors": stored,
        "offsets": offsets.astype(np.float16),
        "votes": last.weight.detach().numpy()[0].astype(np.float16),
        "thresholds": (np.array(_THRESHOLDS) - float(last.bias.detach())).astype(np.float16),
    }


def _rounded(weights: NDArray[np.float32]) -> NDArray[np.float16]:
    """Weights with six bits behind the first, which pack to two thirds."""
    return ((weights.astype(np.float16).view(np.uint16) + np.uint16(8)) & np.uint16(0xFFF0)).view(np.float16)


def without(
    texts: Sequence[Labelled], leave_out: str, *, strictly: bool = True, shapes: bool = True
) -> Callable[[str], RandomText]:
    """``find_random_text`` as it is when a family of junk was never learnt from.

    Args:
        texts: labelled texts; those of the half to report on are not looked at.
        leave_out: the family, such as ``uuid``, or a group of families, such as ``salad``.
        strictly: leave out the general ways of spoiling text too that come near to the family.
        shapes: whether strings are found by their shape too, which is not learnt.
    """
    sources, folds = _prepared()
    model = model_of(fit(make_examples(texts, sources, leave_out, strictly=strictly), folds))
    return lambda text: find_with(text, load_tables(), model, shapes=shapes)


@functools.cache
def _prepared() -> tuple[dict[str, str], tuple[Tables, ...]]:
    sources = all_sources()
    return sources, tuple(fold_tables(sources))


def fold_tables(sources: Mapping[str, str]) -> Iterator[Tables]:
    """Tables of the first and of the second half of the sources, and of the first without some languages."""
    parts = (fold_sources(sources, 0), fold_sources(sources, 1), fold_sources(hide_languages(sources)[0], 0))
    return (tables_of(make_tables(part)) for part in parts)


def _windows(
    examples: Sequence[Example], tables: Sequence[Tables]
) -> tuple[NDArray[np.float32], NDArray[np.bool_], NDArray[np.str_]]:
    inputs: list[NDArray[np.float32]] = []
    junk: list[NDArray[np.bool_]] = []
    kinds: list[str] = []
    for one in examples:
        for size in (NARROW, WIDE):
            seen = scan(one.text[:LONGEST], tables[one.fold], size)
            low, high = seen.bounds[:-1], seen.bounds[1:]
            share = np.maximum(np.minimum(high, one.end) - np.maximum(low, one.start), 0) / (high - low)
            clear = (share <= _MIXED[0]) | (share >= _MIXED[1])
            inputs.append(features(seen)[clear])
            junk.append(share[clear] > 0.5)
            kinds += [f"{one.kind}:{bool(label)}" for label in junk[-1]]
    return np.vstack(inputs), np.concatenate(junk), np.array(kinds)


def _weights(junk: NDArray[np.bool_], kinds: NDArray[np.str_]) -> NDArray[np.float32]:
    """Good text weighs more than junk in all; classes by the 0.3th power of their size."""
    _, place, counts = np.unique(kinds, return_inverse=True, return_counts=True)
    weights = counts[place] ** -0.7
    for side, part in ((junk, 1 / (1 + _COST)), (~junk, _COST / (1 + _COST))):
        weights[side] *= len(junk) * part / weights[side].sum()
    return weights.astype(np.float32)


def _train(
    inputs: NDArray[np.float32], junk: NDArray[np.bool_], weights: NDArray[np.float32]
) -> tuple[torch.nn.Linear, torch.nn.Linear]:
    """The two layers, fitted."""
    torch.manual_seed(0)
    # With one thread sums are in the same order on every machine; on a GPU a fit takes seconds, not minutes.
    torch.set_num_threads(1)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    first, last = torch.nn.Linear(inputs.shape[1], _DETECTORS), torch.nn.Linear(_DETECTORS, 1)
    net = torch.nn.Sequential(torch.nn.Dropout(_LOST), first, torch.nn.ReLU(), last).to(device)
    steps = torch.optim.AdamW(net.parameters(), lr=_RATE, weight_decay=_DECAY)
    x, y, w = (torch.from_numpy(part).to(device) for part in (inputs, junk.astype(np.float32), weights))
    for number in range(_ROUNDS):
        for group in steps.param_groups:
            group["lr"] = _RATE * (1 - number / _ROUNDS)
        for batch in torch.split(torch.randperm(len(x)).to(device), _BATCH):
            steps.zero_grad()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(net(x[batch])[:, 0], y[batch], w[batch])
            torch.autograd.backward(loss)
            steps.step()
    return first.cpu(), last.cpu()
