"""The rows of a file judged by many machines, with the verdicts of one process that reads them in order.

Every machine reads parts of the file and asks the steps that look at one text alone. Texts that a duplicate gate
would compare have a key in common, such as a band of their MinHash: a shuffle by key finds who meets whom, and a
second one brings those that meet, also through others, together in one place, where the gates are asked about them
in the order of the file. The rest meets nobody. Then each part is scored where it lies, and comes home.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from curator.corpora.corpus import Shard
from curator.engine.interface import KEY, Columns, Engine, Kept
from curator.gates.drop import Drop
from curator.pipeline.meeting import PLACE, Places, groups, meetings, number_of, numbers_in, part_of, places
from curator.pipeline.sift_workers import Read, StepsOf, measure_shard, steps_here
from curator.pipeline.steps.chain import BATCH, Outcome, run_chains, split_chain, split_rest
from curator.pipeline.steps.step import Scores
from curator.recipe.load import LoadedRecipe
from curator.scores.afar import AwayScorer
from curator.scores.scorer import Scorer
from curator.scores.store import Entry

Part = list[Read]
# What the steps that remember said of a text that meets others.
_Said = tuple[Scores, Drop | None]
_OUTCOME = "outcome"


def read_judged(
    engine: Engine, shards: Sequence[Shard], loaded: LoadedRecipe, steps_of: StepsOf, scorer: Scorer
) -> Iterator[Part]:
    """Bad rows, and documents with what every step found that need not see all texts, in the order of the file.

    Args:
        engine: has the machines.
        shards: parts of a file.
        loaded: the recipe.
        steps_of: makes its chain.
        scorer: learns what was scored elsewhere.

    Yields:
        A part at a time.
    """
    kept = engine.keep(partial(_measured, loaded, steps_of), shards)
    said: dict[int, dict[int, _Said]] = defaultdict(dict)
    for place, one in _meet(kept, loaded, steps_of):
        said[part_of(place)][number_of(place)] = one
    finished = kept.map(partial(_Finish, loaded, steps_of), [said[at] for at in range(len(shards))])
    for part, entries in finished:
        scorer.learn(entries)
        yield part


def _meet(kept: Kept[Part], loaded: LoadedRecipe, steps_of: StepsOf) -> Iterator[tuple[int, _Said]]:
    """What the steps that remember say of the texts that meet others, by their places."""
    found, first = groups(kept.shuffle(partial(_keys, loaded, steps_of), meetings))
    if found.size:
        for group in kept.shuffle(partial(_members, found, first), partial(_judged, loaded, steps_of)):
            yield from group


def _measured(loaded: LoadedRecipe, steps_of: StepsOf, shard: Shard) -> Part:
    return [record for batch in measure_shard(loaded, steps_of, shard) for record in batch]


def _open(part: Part) -> list[tuple[int, Outcome]]:
    """Documents that no step has refused, with their numbers in the part."""
    documents = ((at, record[1]) for at, record in enumerate(part) if isinstance(record, tuple))
    return [(at, outcome) for at, outcome in documents if outcome.drop is None]


def _keys(loaded: LoadedRecipe, steps_of: StepsOf, number: int, part: Part) -> Columns:
    """The keys of a part's texts with their places."""
    apart, _, _ = split_rest(split_chain(steps_here(loaded, steps_of))[1])
    keys, found = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for step in apart:
        asked = [(at, one.piece) for at, one in _open(part) if step.applies(one.piece.document)]
        assert step.keys is not None
        own = step.keys([piece for _, piece in asked])
        keys += own
        found.append(np.repeat(places(number, [at for at, _ in asked]), [len(one) for one in own]))
    return {KEY: np.concatenate(keys), PLACE: np.concatenate(found)}


def _members(found: Places, first: Places, number: int, part: Part) -> Columns:
    """The texts of a part that meet others, by the first place of their group."""
    own = numbers_in(number, found)
    met = found[own]
    outcomes = np.empty(len(met), object)
    for at, place in enumerate(met.tolist()):
        record = part[number_of(place)]
        assert isinstance(record, tuple)
        outcomes[at] = record[1]
    return {KEY: first[own], PLACE: met, _OUTCOME: outcomes}


def _judged(loaded: LoadedRecipe, steps_of: StepsOf, rows: Columns) -> list[tuple[int, _Said]]:
    """What the steps that remember say of whole groups, which they see in the order of the file."""
    # A chain that has seen nothing yet: groups do not meet, so that one does for all of these.
    apart, _, _ = split_rest(split_chain(steps_of(loaded))[1])
    order = np.argsort(rows[PLACE])
    found: list[tuple[int, _Said]] = []
    for at in range(0, len(order), BATCH):
        batch = order[at : at + BATCH]
        outcomes = run_chains(apart, rows[_OUTCOME][batch].tolist())
        said = [(outcome.scores, outcome.drop) for outcome in outcomes]
        found += zip(rows[PLACE][batch].tolist(), said, strict=True)
    return found


class _Finish:
    """Adds to a part what was said of its texts, and asks the steps after that."""

    def __init__(self, loaded: LoadedRecipe, steps_of: StepsOf) -> None:
        self._away = AwayScorer(loaded.recipe.continuity)
        self._apart, self._alone, _ = split_rest(split_chain(steps_of(loaded, self._away.scorer))[1])

    def __call__(self, part: Part, said: Mapping[int, _Said]) -> tuple[Part, list[Entry]]:
        known = {at: self._known(outcome, said.get(at)) for at, outcome in _open(part)}
        found: dict[int, Outcome] = {}
        for batch in _batches(list(known), BATCH):
            found |= zip(batch, run_chains(self._alone, [known[at] for at in batch]), strict=True)
        whole = [
            (record[0], found.get(at, record[1])) if isinstance(record, tuple) else record
            for at, record in enumerate(part)
        ]
        return whole, self._away.take()

    def _known(self, outcome: Outcome, said: _Said | None) -> Outcome:
        if said is not None:
            return Outcome(outcome.piece, *said)
        document, scores = outcome.piece.document, dict(outcome.scores)
        for step in self._apart:
            scores |= step.unlike if step.applies(document) else {}
        return Outcome(outcome.piece, scores)


def _batches(numbers: Sequence[int], size: int) -> Iterable[Sequence[int]]:
    return (numbers[at : at + size] for at in range(0, len(numbers), size))
