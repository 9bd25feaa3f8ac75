"""What a run is going to do, without doing any of it."""

from __future__ import annotations

from typing import Any

from curator._durations import duration
from curator._errors import InputError
from curator._files import read_json
from curator._outputs import refuse_foreign
from curator.rank.arms import Arm, planned_arms, planned_draws
from curator.rank.budget import draw_plan, fitting, stored_draw_plan, stored_draws
from curator.rank.comparisons import comparison_words
from curator.rank.cost import Costs
from curator.rank.looks import planned_looks
from curator.rank.pieces import piece_folder
from curator.rank.plan import RUN_FOLDER, Plan, refuse_other_plan
from curator.rank.planned_prompts import PlannedPrompts, planned_prompts
from curator.rank.sets import recipe_state, set_folder
from curator.rank.statistics import MIN_DRAWS_RECIPES
from curator.rank.stored import ranked_draws, read_result


def notes(plan: Plan) -> list[str]:
    """What to know before hours of work: what was assumed of the recipes, and of the plan."""
    found = [f"{loaded.recipe.name}: {note}" for loaded in plan.recipes for note in loaded.notes]
    if "second-draw" in plan.nulls and plan.draws > 1:
        found.append("no arm second-draw: the draws of each recipe show what chance alone does")
    if not plan.looks and plan.budget is None and (there := _drawn_before(plan)) > plan.draws:
        found.append(
            f"{plan.out} has {there} draws of each recipe: the first {plan.draws} alone are ranked here; "
            f"--draws {there} ranks all of them again"
        )
    if plan.looks and plan.looks[0] < MIN_DRAWS_RECIPES:
        found.append(
            f"the first look has {plan.looks[0]} draws: its verdicts are provisional, since few draws tell little "
            f"of the spread between draws that they are judged by; --looks {MIN_DRAWS_RECIPES},8 is safer"
        )
    return found


def _drawn_before(plan: Plan) -> int:
    """Draws of each recipe in the ranking that the folder has; 0 where it has none."""
    return min(ranked_draws(read_result(plan.out / "ranking.json") or {}), default=0)


def overview(plan: Plan) -> dict[str, Any]:
    """Arms, draws, prompts, comparisons and the estimated time of a run.

    Returns:
        ``arms`` (``name``, ``recipe``, ``method``, ``kind``, ``draws``, ``measured`` before), ``comparisons``,
        ``looks`` or ``None``, ``budget`` or ``None``, ``prompts`` (by task), ``tokens_per_prompt``, ``estimate``
        (``seconds`` of the whole run, ``left`` of the sets not measured yet, ``words``), ``notes``; strict JSON.

    Raises:
        InputError, RefusedError: as a run says of the same plan.
    """
    refuse_foreign(plan.out, RUN_FOLDER)
    refuse_other_plan(plan)
    prompts = planned_prompts(plan)
    plan, budget = _decided(plan, prompts)
    arms = planned_arms(plan)
    costs = Costs(plan, prompts)
    lines = [{**_arm(plan, arm), "measured": _measured_before(plan, arm)} for arm in arms]
    whole = costs.whole()
    waiting = [(line["draws"] - line["measured"], arm) for line, arm in zip(lines, arms, strict=True)]
    left = sum(count * costs.piece(arm.quantize) for count, arm in waiting)
    words = whole.words()
    if any(line["measured"] for line in lines):
        words += f", {duration(left)} of it for sets not measured yet"
    return {
        "arms": lines,
        "comparisons": comparison_words(arms),
        "looks": None if not plan.looks else _looks(plan),
        "budget": budget,
        "prompts": prompts.by_task,
        "tokens_per_prompt": plan.tokens,
        "estimate": {"seconds": round(whole.seconds), "left": round(left), "words": words},
        "notes": notes(plan),
    }


def _decided(plan: Plan, prompts: PlannedPrompts) -> tuple[Plan, dict[str, Any] | None]:
    """The plan with the draws that its budget gives, and how it gives them."""
    if plan.budget is None:
        return plan, None
    stored = stored_draws(plan)
    if stored is not None:
        return stored, stored_draw_plan(plan)
    chosen, estimate = fitting(plan, prompts, plan.budget)
    told = draw_plan(chosen, estimate, plan.budget)
    if not estimate.timed:
        told["words"] += "; the run measures one set a method first and fixes its draws by that"
    return chosen, told


def _arm(plan: Plan, arm: Arm) -> dict[str, Any]:
    return {
        "name": arm.name,
        "recipe": arm.recipe,
        "method": arm.quantize.method,
        "kind": "null" if arm.null else "user",
        "draws": planned_draws(plan, arm),
    }


def _looks(plan: Plan) -> dict[str, Any]:
    return {"draws": list(plan.looks), "shares": list(planned_looks(plan.looks).shares)}


def _measured_before(plan: Plan, arm: Arm) -> int:
    """Draws of an arm whose scores lie in the run's folder; a run looks at them more closely."""
    return sum(set_hash is not None and _has_scores(plan, arm, set_hash) for set_hash in _set_hashes(plan, arm))


def _has_scores(plan: Plan, arm: Arm, set_hash: str) -> bool:
    folder = piece_folder(plan, arm.quantize, set_hash)
    return all((folder / f"{scheme}-batch-{plan.batch_size}.json").is_file() for scheme in plan.schemes)


def _set_hashes(plan: Plan, arm: Arm) -> list[str | None]:
    if not arm.has_draws:
        return [""]
    first = plan.recipes[0]
    loaded = next((one for one in plan.recipes if one.recipe.name == arm.recipe), None)
    if arm.base == "second-draw":
        return [_set_hash(plan, first.recipe.name, 1, recipe_state(first))]
    expected = recipe_state(loaded) if loaded else {}
    return [_set_hash(plan, arm.base, number, expected) for number in range(planned_draws(plan, arm))]


def _set_hash(plan: Plan, name: str, number: int, expected: dict[str, str]) -> str | None:
    file = set_folder(plan, name, number) / "manifest.json"
    if not file.is_file():
        return None
    try:
        manifest = read_json(file)
    except InputError:
        return None
    known = isinstance(manifest, dict) and all(manifest.get(key) == value for key, value in expected.items())
    return str(manifest.get("set_hash")) if known else None
