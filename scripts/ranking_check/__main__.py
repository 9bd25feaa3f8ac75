"""Measures with the tool's own steps, checks, prints and writes the results."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from data_experiments.build import build_sets
from data_experiments.pieces import stored_arms
from data_experiments.pool import Ranking, measure_together
from numpy.typing import NDArray
from rich.console import Console

from curator._files import write_json
from curator._progress import Narrator, Silent
from curator.cli.progress import narrator
from curator.measure.baseline import Baseline
from curator.measure.summary import prompt_means
from curator.models.locate import DEFAULT_MODEL
from curator.rank.arms import Arm, make_arms
from curator.rank.experiment import run
from curator.rank.measure_arm import measure_draw
from curator.rank.plan import Plan
from curator.rank.prepare import frozen_prompts, take_baseline
from curator.rank.statistical_design import ArmKL
from curator.rank.values import run_design
from ranking_check.checks import Measured, half_splits, list_orders, same_recipe
from ranking_check.plans import RECIPES, check_plan

_Row = NDArray[np.float64]
_OUT = Console(width=130, highlight=False, markup=False)
_RESULTS = Path(__file__).parent / "results.json"


def main() -> None:
    """Build the sets, measure and check; each step finds again what is there."""
    asked = _asked()
    plan = check_plan(asked.out, asked.model, asked.device, asked.recipes)
    if asked.only != "measure":
        build_sets(plan, narrator())
    if asked.only == "build":
        return
    stored_arms(plan, Silent())
    if asked.workers > 1:
        measure_together([Ranking("check", plan, _in_its_folder)], asked.workers, narrator())
    found = {"model": plan.model_name, "draws": plan.draws, "tokens": plan.tokens, **check(plan, narrator())}
    write_json(asked.json, found)
    show(found)


def _in_its_folder(_plan: Plan) -> None:
    """The ranking stays there."""


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="scripts/check_ranking")
    parser.add_argument("recipes", nargs="*", default=RECIPES)
    parser.add_argument("--out", type=Path, default=Path("check-ranking"), help="run folder")
    parser.add_argument("--json", type=Path, default=_RESULTS)
    parser.add_argument("--model", default=DEFAULT_MODEL, help="the embedded one, or its folder")
    parser.add_argument("--device", default="cpu", help="as `curate rank --device`")
    parser.add_argument("--workers", type=int, default=1, help="sets quantised and scored at once")
    parser.add_argument("--only", choices=("build", "measure"), help="sets may be built on another machine")
    return parser.parse_args()


def check(plan: Plan, shown: Narrator) -> dict[str, Any]:
    """Rank, find the tables again, and check."""
    floors = run(plan, shown)["floors"]
    tokenizer, prompts = frozen_prompts(plan, Silent())
    arms = make_arms(plan, tokenizer, prompts, Silent())
    baseline = take_baseline(plan, tokenizer, prompts, Silent())
    design = run_design(plan, baseline, arms, floors)
    measured = [_measured(plan, baseline, arm) for arm in arms]
    return {
        "prompts": len(baseline.prompts),
        "top_k": baseline.top_k,
        "same_recipe": [same_recipe(arm.exact, design) for arm in measured],
        "half_splits": half_splits([arm.exact for arm in measured], design),
        "lists": list_orders(measured, design),
    }


def _measured(plan: Plan, baseline: Baseline, arm: Arm) -> Measured:
    ids = [prompt["id"] for prompt in baseline.prompts]
    tables = [
        measure_draw(plan, baseline, draw, arm.quantize, arm.name, Silent()).tables[plan.scheme]
        for draw in arm.draws
    ]
    kl, union, lumped = (
        [prompt_means(table, column, ids) for table in tables] for column in ("kl", "kl_union", "kl_lumped")
    )
    return Measured(_arm(arm, kl), _arm(arm, union, lumped))


def _arm(arm: Arm, values: list[_Row], lower: list[_Row] | None = None) -> ArmKL:
    bounds = None if lower is None else np.stack(lower)
    return ArmKL(arm.name, np.stack(values), arm.has_draws, arm.null, bounds)


def show(found: dict[str, Any]) -> None:
    """Print the counts."""
    _OUT.print(
        f"{found['model']}: {found['draws']} draws, {found['prompts']} prompts, {found['tokens']} tokens each"
    )
    for row in found["same_recipe"]:
        _OUT.print(
            f"  {row['arm']}: six draws as three and three: {row['false']} of {row['splits']} splits called "
            f"different, by prompts alone {row['false_prompts_only']}; largest difference {row['largest']:.4f}"
        )
    halves, lists = found["half_splits"], found["lists"]
    kept = "none" if halves["kept"] is None else f"{halves['kept']:.1%}"
    _OUT.print(
        f"  {halves['splits']} halves of the prompts: {halves['separated']} pairs separated, {kept} keep the sign"
    )
    _OUT.print(
        f"  top-{found['top_k']} lists: {lists['same_order']} of {lists['called']} called pairs in that order, "
        f"{lists['called_from_lists']} called from lists too, {lists['called_otherwise']} called otherwise"
    )


if __name__ == "__main__":
    main()
