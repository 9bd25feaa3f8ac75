"""Recall of each kind of junk by a detector that never saw that kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context

from curator.gates.random_text import RandomText, check_random_text
from curator.gates.repetition import check_repetition, measure_repetition
from curator.pipeline.sift_recipe import default_recipe
from curator.recipe.gate_settings import Gates
from gate_bench.labelled import Labelled, build_labelled, family
from gate_bench.proportions import Share

CLASS_RECALL = 0.90
WAYS = {"strictly": (True, True), "with spoilt text": (False, True), "strictly, no shapes": (True, False)}
"""What else is left out: the general ways of spoiling good text that come near the kind; rules on shapes."""
_GROUPS = ("salad", "tokens")
_SHAPED = ("uuid", "hex", "base64", "base32", "base85")
# Found by a rule that learns nothing, or of several kinds.
_NOT_LEARNT = ("repeated-", "small-stretch", "real:")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Recall of one family, or group of families, that was not learnt from.

    Attributes:
        name: the family or group.
        recall: by way, on half 1, plain and embedded; see ``WAYS``.
    """

    name: str
    recall: dict[str, Share]


def leave_one_out(seed: int) -> list[LeftOut]:
    """Fit without each family of junk in turn, on all cores; tells on standard error how far it is."""
    junk = _junk(seed)
    names = [*dict.fromkeys(family(one.kind) for one in junk), *_GROUPS]
    tasks = [(seed, name, way) for name in names for way in WAYS if name in _SHAPED or WAYS[way][1]]
    found: dict[str, dict[str, Share]] = {name: {} for name in names}
    # A fit uses one core, and numbers are the same whichever process makes it.
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as workers:
        for number, (name, way, share) in enumerate(workers.map(_recall, tasks), start=1):
            print(f"left out {name}, {way} ({number} of {len(tasks)})", file=sys.stderr, flush=True)  # noqa: T201
            found[name][way] = share
    return [LeftOut(name, recall) for name, recall in found.items()]


def _recall(task: tuple[int, str, str]) -> tuple[str, str, Share]:
    from gate_bench.train import without

    seed, name, way = task
    strictly, shapes = WAYS[way]
    find = without(_texts(seed), name, strictly=strictly, shapes=shapes)
    mine = [one for one in _junk(seed) if _belongs(family(one.kind), name)]
    return name, way, Share(sum(_is_refused(one.text, find) for one in mine), len(mine))


@cache
def _texts(seed: int) -> list[Labelled]:
    return build_labelled(seed)


def _junk(seed: int) -> list[Labelled]:
    """The junk to report on."""
    return [one for one in _texts(seed) if one.is_junk and one.half == 1 and not one.kind.startswith(_NOT_LEARNT)]


def missed(found: Sequence[LeftOut]) -> list[str]:
    """The families whose recall is under the target, as the product is: with what spoiling good text teaches."""
    under = [one for one in found if one.recall["with spoilt text"].value < CLASS_RECALL]
    return [f"{one.name}, never seen: recall {one.recall['with spoilt text'].value:.2f}" for one in under]


def as_json(found: Sequence[LeftOut]) -> Mapping[str, object]:
    """For a result file."""
    return {one.name: {way: share.as_json() for way, share in one.recall.items()} for one in found}


def _belongs(kind: str, name: str) -> bool:
    return kind == name or kind.startswith(f"{name}:")


@cache
def _gates() -> Gates:
    return default_recipe([]).recipe.gates


def _is_refused(text: str, find: Callable[[str], RandomText]) -> bool:
    found, limit = find(text), _gates().random_text
    if limit and (
        found.stretch > limit.max_stretch or check_random_text(found.share, found.kinds, limit.max_share)
    ):
        return True
    return check_repetition(measure_repetition(text)) is not None
