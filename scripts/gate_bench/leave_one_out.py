"""Recall of each kind of junk by a detector that never saw that kind."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

from curator.gates.random_text import VERSION, RandomText, check_random_text
from curator.gates.random_text.found import summarise
from curator.gates.random_text.shapes import find_shapes
from curator.gates.repetition import check_repetition, measure_repetition
from curator.pipeline.sift_recipe import default_recipe
from curator.recipe.gate_settings import Gates
from gate_bench.labelled import Labelled, build_labelled, family
from gate_bench.proportions import Share

CLASS_RECALL = 0.90
WAYS = {
    "with spoilt text": (False, True),
    "strictly": (True, True),
    "strictly, no shapes": (True, False),
    "shapes alone": None,
}
"""Whether the general ways of spoiling good text that come near the kind are left out too, and whether rules on
shapes ask; the last way is these rules, which learn nothing, alone."""
_LEARNT = ((False, True), (True, True))
_JUDGED = "with spoilt text"
_GROUPS = ("salad", "tokens")
_SHAPED = ("uuid", "hex", "base64", "base32", "base85", "digits", "mojibake")
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


def leave_one_out(seed: int, kept: Path, only: Sequence[str] = ()) -> list[LeftOut]:
    """Fit without each family of junk in turn, on all cores; tells on standard error how far it is.

    Args:
        seed: of the labelled set.
        kept: file of what was found so far, a line for each: what is there is not measured again.
        only: families and groups to measure; all of them if empty.
    """
    names = [*dict.fromkeys(family(one.kind) for one in _junk(seed)), *_GROUPS]
    found = _read(kept, seed)
    tasks = [(seed, name, way) for name in names for way, how in WAYS.items() if name in _SHAPED or how in _LEARNT]
    tasks = [task for task in tasks if task[1:] not in found and (not only or task[1] in only)]
    # A fit uses one core, and numbers are the same whichever process makes it.
    with ProcessPoolExecutor(mp_context=get_context("spawn"), initializer=os.nice, initargs=(10,)) as workers:
        for number, done in enumerate(as_completed([workers.submit(_recall, task) for task in tasks]), start=1):
            name, way, share = done.result()
            print(f"left out {name}, {way} ({number} of {len(tasks)})", file=sys.stderr, flush=True)  # noqa: T201
            found[name, way] = share
            _write(kept, seed, found)
    wanted = [name for name in names if any((name, way) in found for way in WAYS)]
    return [LeftOut(name, {way: found[name, way] for way in WAYS if (name, way) in found}) for name in wanted]


Found = dict[tuple[str, str], Share]
"""Recall by family and way."""


def _read(kept: Path, seed: int) -> Found:
    """What was found with this seed and this version of the detector."""
    stored = json.loads(kept.read_text(encoding="utf-8")) if kept.is_file() else {}
    if (stored.get("version"), stored.get("seed")) != (VERSION, seed):
        return {}
    return {(name, way): Share(hits, of) for name, way, hits, of in stored["found"]}


def _write(kept: Path, seed: int, found: Found) -> None:
    rows = [[name, way, share.hits, share.of] for (name, way), share in sorted(found.items())]
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"version": VERSION, "seed": seed, "found": rows}) + "\n", encoding="utf-8")


def _recall(task: tuple[int, str, str]) -> tuple[str, str, Share]:
    from gate_bench.train import without

    seed, name, way = task
    how = WAYS[way]
    find = without(_texts(seed), name, strictly=how[0], shapes=how[1]) if how else _by_shape
    mine = [one for one in _junk(seed) if _belongs(family(one.kind), name)]
    return name, way, Share(sum(_is_refused(one.text, find) for one in mine), len(mine))


def _by_shape(text: str) -> RandomText:
    return summarise(text, find_shapes(text))


@cache
def _texts(seed: int) -> list[Labelled]:
    return build_labelled(seed)


def _junk(seed: int) -> list[Labelled]:
    """The junk to report on."""
    return [one for one in _texts(seed) if one.is_junk and one.half == 1 and not one.kind.startswith(_NOT_LEARNT)]


def missed(found: Sequence[LeftOut]) -> list[str]:
    """The families whose recall is under the target, as the product is: with what spoiling good text teaches."""
    judged = [(one.name, one.recall[_JUDGED].value) for one in found if _JUDGED in one.recall]
    return [f"{name}, never seen: recall {value:.2f}" for name, value in judged if value < CLASS_RECALL]


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
