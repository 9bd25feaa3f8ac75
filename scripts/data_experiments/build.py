"""Everything before a model is quantised: texts, recipes, held-out prompts, and the sets of all draws."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evalset.items import make_items

from curator._files import read_json, write_json, write_jsonl
from curator._lock import folder_lock
from curator._progress import Narrator
from curator.measure.heldout import make_heldout, save_prompts
from curator.pipeline.supply_check import check_supply
from curator.rank.arms import Arm, make_arms
from curator.rank.plan import Plan, fix_plan
from curator.rank.prepare import frozen_prompts
from curator.rank.summary_warnings import MAX_OVERLAP, overlap
from curator.tokens.tokenizer import Tokenizer
from data_experiments.commands import curate, sift
from data_experiments.layout import ExperimentFolder
from data_experiments.texts import gate_rows, prose_rows, refused_rows, write_pool

# Of the stand-in evaluation set.
_ITEMS, _SEED = 150, 0
_DERIVED = "derived"


def build(place: ExperimentFolder, experiments: Sequence[str], narrator: Narrator) -> None:
    """Make what is not there yet.

    Raises:
        CurateError: as the steps say.
    """
    arms = [arm for name in experiments for arm in place.registered.experiments[name].arms]
    for arm in arms:
        if arm != _DERIVED:
            place.place_recipe(arm)
    _make_pools(place, arms, narrator)
    _make_evaluation(place, narrator)
    for name in experiments:
        build_sets(place.plan(name), narrator)


def build_sets(plan: Plan, narrator: Narrator) -> list[Arm]:
    """Say whether there is enough text, build the sets of all draws or find them again, and tell their overlap."""
    for loaded in plan.recipes:
        for line in check_supply(loaded, plan.draws).lines:
            if line.ratio is not None:
                narrator.say(f"{loaded.recipe.name}: {line.source} has {line.ratio:.1f} times what is needed")
    with folder_lock(plan.out):
        fix_plan(plan)
        tokenizer, prompts = frozen_prompts(plan, narrator)
        arms = make_arms(plan, tokenizer, prompts, narrator)
    for arm in arms:
        if arm.recipe:
            void = f", above {MAX_OVERLAP:.0%}: void" if overlap(arm) > MAX_OVERLAP else ""
            short = sum(bool(draw.manifest.get("short")) for draw in arm.draws)
            words = f", {short} of {len(arm.draws)} draws short" if short else ""
            narrator.say(f"{arm.name}: {len(arm.draws)} draws, overlap {overlap(arm):.1%}{void}{words}")
    return arms


def _make_pools(place: ExperimentFolder, arms: Sequence[str], narrator: Narrator) -> None:
    file, facts = place.texts / "pools.json", {}
    if file.is_file():
        facts = read_json(file)
    if "prose" not in facts:
        with narrator.bar("read prose", None):
            facts["prose"] = write_pool(place.texts / "prose.jsonl", prose_rows(books=place.scale.books))
        write_json(file, facts)
    if "gate-on" in arms and "refused" not in facts:
        with narrator.bar("read the gate's pool, and sift it", None):
            rows, pool = list(gate_rows()), place.texts / "gate.jsonl"
            facts["gate"] = write_pool(pool, rows)
            refused = refused_rows(rows, sift(pool, place.recipes / "gate-on.yaml"))
            facts["refused"] = write_pool(place.texts / "refused.jsonl", refused)
            facts["refused"]["shuffled"] = sum(row["shuffled"] for row in refused)
            facts["gate"]["shuffled"] = sum(row["shuffled"] for row in rows)
        write_json(file, facts)
    narrator.say(f"texts: {facts}")


def _make_evaluation(place: ExperimentFolder, narrator: Narrator) -> None:
    """Both files of prompts, and the recipe that is derived from a stand-in evaluation set."""
    # By its name where it has one: the recipe that names it is also used on other machines.
    wanted, model = place.registered.prompts, place.model or place.scale.model
    general, evaluation = place.prompts("general"), place.prompts("evaluation")
    if not general.is_file():
        save_prompts(general, make_heldout(wanted.general.per_task))
    items, profile = place.texts / "eval.jsonl", place.texts / "profile.json"
    derived = place.recipes / f"{_DERIVED}.yaml"
    if not items.is_file():
        with narrator.bar("a stand-in evaluation set", None):
            _write_items(place, items, wanted.evaluation.evaluation_tokens)
    if not derived.is_file():
        size = ("--samples", place.scale.samples, "--tokens", place.scale.tokens)
        curate("profile", items, "--model", model, "--out", profile, "--derive", derived, *size)
    if not evaluation.is_file():
        most = ("--items", wanted.evaluation.items, "--max-tokens", wanted.evaluation.most)
        curate("heldout", "--from-profile", profile, *most, "--model", model, "--out", evaluation)


def _write_items(place: ExperimentFolder, file: Path, tokens: int) -> None:
    tokenizer = Tokenizer(place.model_folder)
    items = make_items(_ITEMS, tokens, _SEED, lambda text: len(tokenizer.encode(text)))
    write_jsonl(file, (item.row() for item in items))
