"""Recall of each kind of junk by a detector that never saw that kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from curator.gates.random_text import RandomText, check_random_text
from curator.gates.repetition import check_repetition, measure_repetition
from curator.pipeline.sift_recipe import default_recipe
from curator.recipe.gate_settings import Gates
from gate_bench.labelled import Labelled, family
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


def leave_one_out(texts: Sequence[Labelled]) -> list[LeftOut]:
    """Fit without each family of junk in turn; tells on standard error how far it is."""
    from gate_bench.train import without

    junk = [one for one in texts if one.is_junk and one.half == 1 and not one.kind.startswith(_NOT_LEARNT)]
    names = [*dict.fromkeys(family(one.kind) for one in junk), *_GROUPS]
    out = []
    for number, name in enumerate(names, start=1):
        print(f"leaving out {name} ({number} of {len(names)})", file=sys.stderr, flush=True)  # noqa: T201
        mine = [one for one in junk if _belongs(family(one.kind), name)]
        recall = {}
        for way, (strictly, shapes) in WAYS.items():
            if shapes or name in _SHAPED:
                find = without(texts, name, strictly=strictly, shapes=shapes)
                recall[way] = Share(sum(_is_refused(one.text, find) for one in mine), len(mine))
        out.append(LeftOut(name, recall))
    return out


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
