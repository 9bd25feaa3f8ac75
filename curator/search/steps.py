"""The order of a search, as a pure function of what was measured so far.

An evaluation is one set of a mix, built, quantised and scored on the search half. A search goes

1. through the recipes that were written, so that there is something to beat;
2. through proposals, first spread over the space, then where low values are likely;
3. through further draws of the mixes that look best by their own draws and their neighbours' (`smoothed`): the
   leader is drawn again until it has `DRAWS`, or falls behind another, which then is the leader.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from curator._errors import InputError
from curator.search.knobs import Knob
from curator.search.mix import Mix, coordinates, proposed
from curator.search.propose import Seen, learned, spread, startup
from curator.search.smooth import smoothed

DRAWS = 4
"""The most draws of one mix."""
_WRITTEN_DRAWS = 2
_CONFIRM = 0.3

Propose = Callable[[int, int, int, Sequence[Seen]], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Search:
    """What is searched.

    Attributes:
        base: name of the recipe that is searched.
        knobs: what may be changed in it.
        written: the recipes that were given, the searched one first.
        budget: evaluations.
        seed: of the proposals.
    """

    base: str
    knobs: tuple[Knob, ...]
    written: tuple[Mix, ...]
    budget: int
    seed: int = 0

    def __post_init__(self) -> None:
        if self.budget < self.least:
            raise InputError(
                f"--budget {self.budget}: {_count(self.dimensions, 'dimension')} and "
                f"{_count(len(self.written), 'written recipe')} need {self.least} evaluations or more; give "
                "these, or search less"
            )

    @property
    def dimensions(self) -> int:
        """Of the space."""
        return sum(knob.size for knob in self.knobs)

    @property
    def least(self) -> int:
        """The smallest budget in which something is learned and then confirmed."""
        return least_budget(self.dimensions, len(self.written))

    @property
    def explore(self) -> int:
        """Evaluations before the best are drawn again."""
        return self.budget - max(DRAWS, round(_CONFIRM * self.budget))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


@dataclass(frozen=True, slots=True)
class Step:
    """What to measure next: a draw of a mix."""

    mix: Mix
    draw: int


@dataclass(frozen=True, slots=True)
class Done:
    """What a step gave.

    Attributes:
        step: what was measured.
        kl: mean KL on the search half, nats a token; ``None`` where no set could be made.
        why: then what was in the way.
    """

    step: Step
    kl: float | None
    why: str = ""


def least_budget(dimensions: int, written: int) -> int:
    """The smallest budget in which something is learned and then confirmed."""
    return _first(written) + 2 * startup(dimensions) + DRAWS


def next_step(search: Search, done: Sequence[Done], propose: Propose = learned) -> Step | None:
    """What to measure next; ``None`` when the budget is used.

    Args:
        search: what is searched.
        done: all before, in order.
        propose: where to look next, after the first places.
    """
    number = len(done)
    if number >= search.budget:
        return None
    written = len(search.written)
    if number < _first(written):
        return Step(search.written[number % written], number // written)
    if number < search.explore:
        return _again(_proposal(search, done, number - _first(written), propose), done)
    worth = estimates(search, done)
    leader = _lowest({mix: value for mix, value in worth.items() if _draws(mix, done) < DRAWS})
    # Everything was drawn often enough, or nothing could be made: look further.
    return _again(leader or _proposal(search, done, number - _first(written), propose), done)


def go_on(
    search: Search, measure: Callable[[Step], Done], done: Sequence[Done], propose: Propose = learned
) -> list[Done]:
    """Take every step that is left.

    Args:
        search: what is searched.
        measure: takes a step; it also keeps the result where a later run finds it.
        done: what was measured before.
        propose: see `next_step`.

    Returns:
        Everything, in order.
    """
    everything = list(done)
    while (step := next_step(search, everything, propose)) is not None:
        everything.append(measure(step))
    return everything


def chosen(search: Search, done: Sequence[Done]) -> tuple[Mix | None, Mix]:
    """The proposed mix with the lowest estimate on the search half, and the written recipe with the lowest mean.

    Returns:
        The mix, ``None`` where no proposal could be made into a set; and the recipe.

    Raises:
        InputError: none of the written recipes could be made into a set.
    """
    written = _lowest({mix: value for mix, value in _means(done).items() if mix.written})
    if written is None:
        why = next((one.why for one in done if one.step.mix.written), "nothing was measured")
        raise InputError(f"no written recipe could be measured ({why}); there is nothing to beat")
    return _lowest({mix: value for mix, value in estimates(search, done).items() if not mix.written}), written


def estimates(search: Search, done: Sequence[Done]) -> dict[Mix, float]:
    """What every mix is worth, nats a token: smoothed over the space, or its mean where it is not in the space.

    Mixes of which some draw could not be made are left out.
    """
    found = _means(done)
    known = [(one.step.mix, one.kl) for one in done if one.step.mix in found and one.step.mix.unit is not None]
    if known:
        places = np.array([coordinates(search.knobs, mix.unit or ()) for mix, _ in known])
        values = np.array([kl for _, kl in known], dtype=np.float64)
        found |= zip((mix for mix, _ in known), map(float, smoothed(places, values)), strict=True)
    return found


def mean_of(mix: Mix, done: Sequence[Done]) -> float | None:
    """Mean KL of a mix over its draws so far."""
    return _means(done).get(mix)


def _first(written: int) -> int:
    """Evaluations of the written recipes. One alone need not be chosen, so a draw is enough to begin with."""
    return written * (_WRITTEN_DRAWS if written > 1 else 1)


def _proposal(search: Search, done: Sequence[Done], number: int, propose: Propose) -> Mix:
    dimensions = search.dimensions
    seen = _seen(done)
    if number < startup(dimensions) or len(seen) < 2:
        unit: Sequence[float] = spread(dimensions, search.seed, number)
    else:
        unit = propose(dimensions, search.seed, number, seen)
    return proposed(search.base, search.knobs, unit)


def _seen(done: Sequence[Done]) -> list[Seen]:
    """Places and values. Where no set could be made counts as the worst that could, so that it is avoided."""
    known = [one.kl for one in done if one.kl is not None]
    worst = max(known, default=None)
    found: list[Seen] = []
    for one in done:
        value = worst if one.kl is None else one.kl
        if one.step.mix.unit is not None and value is not None:
            found.append((one.step.mix.unit, value))
    return found


def _again(mix: Mix, done: Sequence[Done]) -> Step:
    """The next draw of a mix: one that was proposed before is measured on new documents."""
    return Step(mix, sum(one.step.mix.name == mix.name for one in done))


def _means(done: Sequence[Done]) -> dict[Mix, float]:
    """Mean KL of every mix of which each draw could be made."""
    values: dict[Mix, list[float]] = {}
    broken = {one.step.mix.name for one in done if one.kl is None}
    for one in done:
        if one.kl is not None and one.step.mix.name not in broken:
            values.setdefault(one.step.mix, []).append(one.kl)
    return {mix: sum(listed) / len(listed) for mix, listed in values.items()}


def _draws(mix: Mix, done: Sequence[Done]) -> int:
    return sum(one.step.mix == mix for one in done)


def _lowest(worth: Mapping[Mix, float]) -> Mix | None:
    return min(worth, key=lambda mix: (worth[mix], mix.name), default=None)
