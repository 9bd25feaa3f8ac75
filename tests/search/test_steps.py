"""The order of a search: a pure function of what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from curator._errors import InputError
from curator.search.knobs import Shares, start_of
from curator.search.mix import Mix
from curator.search.propose import spread, startup
from curator.search.steps import DRAWS, Done, Search, Step, chosen, estimates, go_on, next_step

KNOBS = (Shares((("sources", "0", "weight"), ("sources", "1", "weight")), (0.5, 0.5)),)


def search(budget: int = 20, written: int = 1) -> Search:
    mixes = [Mix(f"w{number}", number, (), None if number else start_of(KNOBS)) for number in range(written)]
    return Search("mix", KNOBS, tuple(mixes), budget, 3)


def towards(dimensions: int, _seed: int, number: int, seen: Sequence[Any]) -> Sequence[float]:
    """Near the best place seen so far."""
    best = min(seen, key=lambda one: one[1])[0]
    return [min(1.0, best[0] + 0.01 * (number % 3))] * dimensions


def surface(step: Step) -> Done:
    """Lowest where the first source has 80 %; its draws differ by up to 0.02."""
    share = dict(step.mix.values).get(KNOBS[0].paths[0], 0.5)
    return Done(step, 0.3 + abs(share - 0.8) + 0.01 * ((step.draw * 7) % 3))


def run(plan: Search, measure: Callable[[Step], Done] = surface, done: Sequence[Done] = ()) -> list[Done]:
    return go_on(plan, measure, done, towards)


def test_written_recipes_first_then_spread_places_then_learned_ones_then_the_best_again() -> None:
    plan = search(written=2)
    done = run(plan)
    assert len(done) == plan.budget
    assert [(one.step.mix.name, one.step.draw) for one in done[:4]] == [("w0", 0), ("w1", 0), ("w0", 1), ("w1", 1)]
    places = [one.step.mix.unit for one in done[4 : 4 + startup(1)]]
    assert [unit[0] for unit in places if unit] == pytest.approx(
        [spread(1, plan.seed, number)[0] for number in range(startup(1))], abs=0.006
    )
    winner, written = chosen(plan, done)
    worth = estimates(plan, done)
    assert winner is not None and written.name == "w0"
    assert worth[winner] == min(value for mix, value in worth.items() if not mix.written) < worth[written]
    assert winner.values[0][1] == pytest.approx(0.8, abs=0.1)
    # What is not in the space has no neighbours: its mean, of draws 0.3 + 0.3 + 0.00 and 0.01 x 7 mod 3.
    assert worth[plan.written[1]] == pytest.approx(0.605)
    # A mix that comes up again is measured on new documents.
    assert len({(one.step.mix.name, one.step.draw) for one in done}) == len(done)


def test_a_search_that_was_interrupted_anywhere_goes_on_the_same() -> None:
    plan = search()
    whole = run(plan)
    for cut in range(len(whole)):
        assert next_step(plan, whole[:cut], towards) == whole[cut].step
    assert next_step(plan, whole, towards) is None and run(plan, surface, whole[:7]) == whole


def test_a_lucky_draw_is_drawn_again_and_falls_behind() -> None:
    plan = search()

    def lucky(step: Step) -> Done:
        done = surface(step)
        first = not step.mix.written and step.draw == 0 and step.mix.values[0][1] < 0.5
        return Done(step, 0.1) if first else done

    winner, _ = chosen(plan, run(plan, lucky))
    assert winner is not None and winner.values[0][1] >= 0.5


def test_mixes_without_a_set_are_never_chosen_and_count_as_the_worst() -> None:
    plan = search()
    seen: list[Sequence[Any]] = []

    def propose(dimensions: int, seed: int, number: int, known: Sequence[Any]) -> Sequence[float]:
        seen.append(known)
        return towards(dimensions, seed, number, known)

    def broken(step: Step) -> Done:
        high = not step.mix.written and step.mix.values[0][1] > 0.6
        return Done(step, None, "too little text") if high else surface(step)

    winner, written = chosen(plan, go_on(plan, broken, [], propose))
    assert winner is not None and winner.values[0][1] <= 0.6 and written.name == "w0"
    worst = max(value for _, value in seen[-1])
    assert all(value == worst for place, value in seen[-1] if place[0] > 0.62)
    none, _ = chosen(plan, run(plan, lambda step: surface(step) if step.mix.written else Done(step, None, "x")))
    assert none is None
    with pytest.raises(InputError, match=r"no written recipe could be measured \(x\)"):
        chosen(plan, run(plan, lambda step: Done(step, None, "x")))


def test_a_budget_too_small_to_learn_and_confirm_is_refused() -> None:
    least = search().least
    assert least == 1 + 2 * startup(1) + DRAWS and search(least).explore >= 1 + startup(1)
    with pytest.raises(InputError, match=rf"--budget {least - 1}: .* need {least} evaluations or more"):
        search(least - 1)


def test_tpe_is_a_function_of_seed_number_and_what_was_seen() -> None:
    from curator.search.propose import learned

    seen = [((0.1 * at, 0.5), abs(0.1 * at - 0.7)) for at in range(11)]
    places = [learned(2, 5, 20 + number, seen) for number in range(12)]
    assert places == [learned(2, 5, 20 + number, seen) for number in range(12)] and len(set(places)) == 12
    assert learned(2, 6, 20, seen) != places[0]
    # Most of them near the lowest.
    assert sum(abs(place[0] - 0.7) < 0.25 for place in places) >= 8
