"""One search after the other by the product's own loop, judged by its truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from curator.rank.verdict import compare
from curator.search.final import FRESH_DRAWS
from curator.search.propose import learned, spread
from curator.search.steps import Done, Propose, Step, chosen, go_on
from search_bench.worlds import World

# A mix whose true KL is within this share of the gap from the best is the planted one for all practical ends.
NEAR = 0.25


def proposers() -> dict[str, Propose]:
    """Ways to propose: the product's, another sampler of the same library, and none that learns."""
    return {"TPE": learned, "Gaussian process": _gaussian_process, "evenly spread": _spread}


def rates(world: World, budget: int, runs: int, seed: int, propose: Propose = learned) -> dict[str, Any]:
    """What came of so many searches.

    Returns:
        ``better`` and ``worse``: verdicts of the comparison on the other half; of planted surfaces also ``found``:
        the winner is within `NEAR` of the optimum; ``confirmed``: and called better; ``left``: mean share of the
        gap that the winner leaves.
    """
    outcomes = [_one(replace(world, seed=seed + number), budget, propose) for number in range(runs)]
    better = [outcome["verdict"] == "better" for outcome in outcomes]
    verdicts = {
        "runs": runs,
        "better": sum(better) / runs,
        "worse": sum(outcome["verdict"] == "worse" for outcome in outcomes) / runs,
    }
    if not world.gap:
        return verdicts
    found = [outcome["left"] <= NEAR for outcome in outcomes]
    return {
        **verdicts,
        "found": sum(found) / runs,
        "confirmed": sum(one and other for one, other in zip(found, better, strict=True)) / runs,
        "left": sum(outcome["left"] for outcome in outcomes) / runs,
    }


def _one(world: World, budget: int, propose: Propose) -> dict[str, Any]:
    def measure(step: Step) -> Done:
        return Done(step, float(world.values(step.mix, step.draw, "search") @ world.design().prompt_weights))

    search = world.search(budget)
    winner, written = chosen(search, go_on(search, measure, [], propose))
    if winner is None:
        raise AssertionError("every mix of this world can be measured")
    pair = compare(world.arm(winner, FRESH_DRAWS), world.arm(written, FRESH_DRAWS), world.design())
    left = (world.truth(winner) - world.best) / world.gap if world.gap else 0.0
    return {"verdict": pair.verdict, "left": left}


def _spread(dimensions: int, seed: int, number: int, _seen: Sequence[Any]) -> Sequence[float]:
    return spread(dimensions, seed, number)


def _gaussian_process(dimensions: int, seed: int, number: int, seen: Sequence[Any]) -> Sequence[float]:
    import optuna

    from curator._seed import stable_hash

    names = [f"x{at}" for at in range(dimensions)]
    space: dict[str, Any] = {name: optuna.distributions.FloatDistribution(0.0, 1.0) for name in names}
    sampler = optuna.samplers.GPSampler(seed=stable_hash(seed, number) % 2**32, n_startup_trials=1)
    study = optuna.create_study(sampler=sampler)
    for place, value in seen:
        params = dict(zip(names, place, strict=True))
        study.add_trial(optuna.trial.create_trial(params=params, distributions=space, value=value))
    asked = study.ask(space).params
    return [float(asked[name]) for name in names]
