"""One evaluation: a draw of a mix built, quantised and scored on the search half, by the ranking's own steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from curator._errors import InputError, RefusedError
from curator._progress import Narrator
from curator.rank.arms import Draw, make_arms
from curator.rank.measure_arm import drop_checkpoint, measure_draw
from curator.rank.plan import Plan
from curator.rank.prepare import Prepared
from curator.rank.statistics import arm_mean
from curator.rank.values import arm_values, run_design
from curator.recipe.load import LoadedRecipe, load_recipe
from curator.search.mix import Mix
from curator.search.steps import Done, Step


class Evaluator:
    """Measures steps of a search. What was measured before is found again by its content.

    Args:
        plan: of the exploration; its recipe and draws are put in for each step.
        recipes: that were given, the searched one first.
        overrides: the ``--set`` options that they were read with.
        prepared: tokenizer, prompts and baseline of the search half.
        narrator: shows progress.
    """

    def __init__(
        self,
        plan: Plan,
        recipes: Sequence[LoadedRecipe],
        overrides: Sequence[str],
        prepared: Prepared,
        narrator: Narrator,
    ) -> None:
        self._plan, self._recipes, self._overrides = plan, tuple(recipes), tuple(overrides)
        self._prepared, self._narrator = prepared, narrator

    def __call__(self, step: Step) -> Done:
        """Measure one step; a mix of which no set can be made is no failure of the search."""
        try:
            return Done(step, self._measured(step))
        except (InputError, RefusedError) as error:
            # The first is the user's own recipe as it was written: its fault is to be told at once.
            if step.mix.written:
                raise
            why = str(error).split("\n", 1)[0]
            self._narrator.say(f"{step.mix.name}: {why}")
            return Done(step, None, why)

    def _measured(self, step: Step) -> float:
        loaded = recipe_of(step.mix, self._recipes, self._overrides)
        plan = replace(self._plan, recipes=(loaded,), draws=step.draw + 1)
        (arm,) = make_arms(plan, self._prepared.tokenizer, self._prepared.prompts, self._narrator)
        draw = arm.draws[step.draw]
        _check_size(loaded, draw)
        label = f"{arm.name} draw {step.draw}"
        measured = measure_draw(plan, self._prepared.baseline, draw, arm.quantize, label, self._narrator)
        if not plan.keep_checkpoints:
            drop_checkpoint(draw)
        baseline = self._prepared.baseline
        alone = replace(arm, draws=(draw,))
        values = arm_values(alone, [measured], plan.scheme, [prompt["id"] for prompt in baseline.prompts])
        return arm_mean(values, run_design(plan, baseline, [alone], {"used_sd": 0.0}))


def recipe_of(mix: Mix, recipes: Sequence[LoadedRecipe], overrides: Sequence[str], *more: str) -> LoadedRecipe:
    """The recipe that a mix stands for.

    Args:
        mix: one of a search.
        recipes: that were given.
        overrides: the ``--set`` options that they were read with.
        more: further ones.

    Raises:
        RecipeError: its values do not go together.
    """
    base = recipes[mix.recipe]
    if mix.written and not more:
        return base
    name = [] if mix.written else [f"name={mix.name}"]
    return load_recipe(base.path, [*overrides, *name, *mix.settings(), *more])


def _check_size(loaded: LoadedRecipe, draw: Draw) -> None:
    """Refuse a set that fell short: it would lose by its size."""
    size, rows = loaded.recipe.size, draw.rows
    if sorted(map(len, rows), reverse=True) != size.lengths():
        raise RefusedError(
            f"{loaded.recipe.name}: its sources give {len(rows)} sequences, {sum(map(len, rows))} tokens, of "
            f"{size.count} and {size.total} asked; give them more text or a smaller size"
        )
