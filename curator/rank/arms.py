"""The arms of a run: every recipe under every method, and the null arms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from curator._errors import RefusedError
from curator._progress import Narrator
from curator.measure.heldout import Prompt
from curator.rank.pieces import piece_folder
from curator.rank.plan import Plan
from curator.rank.sets import RANDOM, DrawnSet, SetMaker
from curator.recipe.quantize_settings import QuantizeSettings
from curator.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Draw:
    """One calibration set of an arm, and the folder that holds all that is made of it under the arm's method.

    Attributes:
        folder: the piece's folder; see pieces.py.
        rows: token ids; empty for the arm without data.
        set_hash: hash of the rows; empty without data.
        manifest: the set's manifest, or the little that is known of a null set.
    """

    folder: Path
    rows: list[list[int]]
    set_hash: str
    manifest: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Arm:
    """One arm: a recipe or a null under one method, with its draws.

    Attributes:
        name: unique in the run: the recipe's name, with the method where there are several.
        title: one line for people.
        null: a null arm.
        has_draws: False for the arm without data.
        quantize: how its sets are quantised.
        draws: its sets.
        of: the recipe's or the null's own name, where ``name`` has the method too.
    """

    name: str
    title: str
    null: bool
    has_draws: bool
    quantize: QuantizeSettings
    draws: tuple[Draw, ...]
    of: str = ""

    @property
    def base(self) -> str:
        """The recipe's or the null's own name."""
        return self.of or self.name

    @property
    def recipe(self) -> str | None:
        """The recipe's name; ``None`` for a null arm."""
        return None if self.null else self.base


def make_arms(
    plan: Plan,
    tokenizer: Tokenizer,
    prompts: Sequence[Prompt],
    narrator: Narrator,
    draws: Mapping[str, int] | None = None,
) -> list[Arm]:
    """Build the sets of a run, or read those already there.

    Args:
        plan: the run.
        tokenizer: the model's.
        prompts: held-out prompts.
        narrator: is told what is built.
        draws: sets wanted of each recipe, by its name; those of the plan where left out.

    Returns:
        The null arm without data, then by method the recipes in the order given and the other null arms.

    Raises:
        RefusedError: sets of unequal size without ``allow_unequal``.
    """
    maker = SetMaker(plan, tokenizer, prompts, narrator)
    drawn: dict[str, list[DrawnSet]] = {}
    for loaded in plan.recipes:
        name = loaded.recipe.name
        count = plan.draws if draws is None else draws[name]
        second = loaded is plan.recipes[0] and has_second_draw(plan)
        sets = maker.of_recipe(loaded, count + second)
        drawn[name] = sets[:count]
        if second:
            drawn["second-draw"] = sets[count:]
    if RANDOM in plan.nulls:
        drawn[RANDOM] = maker.random(plan.first_look)
    arms = [_with_draws(plan, arm, drawn.get(arm.base, [])) for arm in planned_arms(plan)]
    _check_equal(plan, arms)
    return arms


def planned_arms(plan: Plan) -> list[Arm]:
    """The arms of a run, in its order, before there is any set: without draws."""
    arms = []
    if "no-data" in plan.nulls:
        # One for all methods: what it takes of the settings is the recipes', not the method's.
        title = "round to nearest, every activation scale 1 (amax 2688)"
        arms.append(Arm("no-data", title, True, False, plan.quantize[0].without_data(), ()))
    for settings in plan.quantize:
        for loaded in plan.recipes:
            arms.append(_arm(plan, settings, loaded.recipe.name, loaded.recipe.title, null=False))
            if loaded is plan.recipes[0] and has_second_draw(plan):
                title = f"a second draw of {loaded.recipe.name}: what chance alone does"
                arms.append(_arm(plan, settings, "second-draw", title, null=True))
        if "random-tokens" in plan.nulls:
            title = "token ids drawn uniformly from the vocabulary"
            arms.append(_arm(plan, settings, "random-tokens", title, null=True))
    return arms


def planned_draws(plan: Plan, arm: Arm) -> int:
    """Draws of an arm, the most where there are looks."""
    if not arm.has_draws or arm.base == "second-draw":
        return 1
    return plan.first_look if arm.null else plan.draws


def has_second_draw(plan: Plan) -> bool:
    """Whether the first recipe's second draw stands in for a replicate, as there is only one draw."""
    return plan.draws == 1 and "second-draw" in plan.nulls


def _arm(plan: Plan, settings: QuantizeSettings, base: str, title: str, *, null: bool) -> Arm:
    name = base if len(plan.quantize) == 1 else f"{base} ({settings.method})"
    return Arm(name, title, null, True, settings, (), base)


def _with_draws(plan: Plan, arm: Arm, sets: Sequence[DrawnSet]) -> Arm:
    if not arm.has_draws:
        return replace(arm, draws=(Draw(piece_folder(plan, arm.quantize, ""), [], "", {}),))
    draws = tuple(
        Draw(piece_folder(plan, arm.quantize, one.set_hash), one.rows, one.set_hash, one.manifest) for one in sets
    )
    return replace(arm, draws=draws)


def _check_equal(plan: Plan, arms: list[Arm]) -> None:
    sizes = {
        f"{arm.base} draw {number}": sorted(len(row) for row in draw.rows)
        for arm in arms
        for number, draw in enumerate(arm.draws)
        if draw.rows
    }
    if len({tuple(lengths) for lengths in sizes.values()}) > 1 and not plan.allow_unequal:
        words = "; ".join(f"{name}: {len(rows)} sequences, {sum(rows)} tokens" for name, rows in sizes.items())
        raise RefusedError(
            f"the sets are of unequal size ({words}); a larger set wins by size alone. Give each recipe more text "
            "or a smaller size, or pass --allow-unequal"
        )
