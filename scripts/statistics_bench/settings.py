"""Which worlds are simulated: spreads of draws from 0.003 to 0.017 nats a token, equal arms and unequal ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from curator.rank.looks import planned_looks
from statistics_bench.worlds import World

DRAWS = (3, 5, 8)
PROMPTS = (48, 220)
LOOKS = planned_looks(DRAWS)
SPREADS = {
    "0.003": (0.003, 0.003),
    "0.010": (0.010, 0.010),
    "0.017": (0.017, 0.017),
    "0.003 and 0.017": (0.003, 0.017),
}
EFFECTS = (0.0, 0.01, 0.02, 0.03, 0.05)
LEVEL = 0.22
_TYPICAL = (0.010, 0.010)
FAMILIES = {
    "five equal": (LEVEL,) * 5,
    "four equal, one 0.05 worse": (LEVEL,) * 4 + (LEVEL + 0.05,),
    "five 0.02 apart": tuple(LEVEL + 0.02 * step for step in range(5)),
}


def null_pairs() -> Iterator[tuple[str, World]]:
    """Two recipes that are equal, with every spread; and skewed prompts."""
    for draws in DRAWS:
        for prompts in PROMPTS:
            for name, spread in SPREADS.items():
                world = World((LEVEL, LEVEL), spread, draws, prompts)
                yield f"draw SD {name}", world
            yield "draw SD 0.010, skewed prompts", replace(world, draw_sds=_TYPICAL, skewed=True)


def power_pairs() -> Iterator[tuple[str, World]]:
    """Two recipes further and further apart."""
    for draws in DRAWS:
        for prompts in PROMPTS:
            for effect in EFFECTS:
                yield f"apart {effect}", World((LEVEL, LEVEL + effect), _TYPICAL, draws, prompts)


def families() -> Iterator[tuple[str, World]]:
    """Whole rankings of five recipes, whose draws differ in spread."""
    spread = (0.003, 0.006, 0.010, 0.013, 0.017)
    for draws in DRAWS:
        for prompts in PROMPTS:
            for name, effects in FAMILIES.items():
                yield name, World(effects, spread, draws, prompts)


def staged() -> Iterator[tuple[str, World]]:
    """The same rankings in stages, up to the most draws."""
    return ((name, world) for name, world in families() if world.draws == LOOKS.draws[-1])


def unsettled() -> Iterator[tuple[str, World]]:
    """Pairs that five draws do not separate most of the time."""
    for prompts in PROMPTS:
        for effect in (0.01, 0.015):
            yield f"apart {effect}", World((LEVEL, LEVEL + effect), _TYPICAL, 5, prompts)
