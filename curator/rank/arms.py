"""The arms of a run and their calibration sets, built or found again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError, RefusedError
from curator._files import write_json, write_jsonl
from curator._progress import Narrator
from curator._seed import rng
from curator.adapters.stored_set import read_set, set_sha256
from curator.engine.local import usable_cores
from curator.export.folder import write_set
from curator.export.manifest import tokenizer_facts
from curator.measure.heldout import Prompt, prompts_sha256
from curator.models.locate import model_name
from curator.pipeline.answers.ask import Answerer
from curator.pipeline.build import build_draws
from curator.pipeline.source_state import sources_sha256
from curator.pipeline.sources import open_sources
from curator.rank.plan import Plan
from curator.recipe.load import LoadedRecipe
from curator.recipe.quantize_settings import QuantizeSettings
from curator.serve.open import open_server
from curator.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Draw:
    """One calibration set of an arm and the folder that holds all made from it.

    Attributes:
        folder: its folder in the run.
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
    """One arm: a recipe or a null, with its draws."""

    name: str
    title: str
    null: bool
    has_draws: bool
    quantize: QuantizeSettings
    draws: tuple[Draw, ...]


def make_arms(plan: Plan, tokenizer: Tokenizer, prompts: Sequence[Prompt], narrator: Narrator) -> list[Arm]:
    """Build every set of the run, or read those already there.

    Raises:
        RefusedError: sets of unequal size without ``allow_unequal``.
    """
    arms = [_no_data(plan)] if "no-data" in plan.nulls else []
    for loaded in plan.recipes:
        # The first recipe's second draw stands in for a replicate when there is only one draw.
        extra = 1 if loaded is plan.recipes[0] and plan.draws == 1 and "second-draw" in plan.nulls else 0
        draws = _recipe_draws(plan, loaded, plan.draws + extra, tokenizer, prompts, narrator)
        arms.append(
            Arm(loaded.recipe.name, loaded.recipe.title, False, True, plan.quantize, tuple(draws[: plan.draws]))
        )
        if extra:
            title = f"a second draw of {loaded.recipe.name}: what chance alone does"
            arms.append(Arm("second-draw", title, True, True, plan.quantize, tuple(draws[plan.draws :])))
    if "random-tokens" in plan.nulls:
        arms.append(_random_tokens(plan, tokenizer))
    _check_equal(plan, arms)
    return arms


def _no_data(plan: Plan) -> Arm:
    draw = Draw(plan.out / "arms" / "no-data" / "draw-0", [], "", {})
    return Arm(
        "no-data",
        "round to nearest, every activation scale 1 (amax 2688)",
        True,
        False,
        plan.quantize.without_data(),
        (draw,),
    )


def _recipe_draws(
    plan: Plan,
    loaded: LoadedRecipe,
    count: int,
    tokenizer: Tokenizer,
    prompts: Sequence[Prompt],
    narrator: Narrator,
) -> list[Draw]:
    if loaded.template is not None:
        tokenizer = Tokenizer(plan.model, loaded.template)
    base = plan.out / "arms" / loaded.recipe.name
    folders = [base / f"draw-{number}" for number in range(count)]
    expected = {
        "recipe_hash": loaded.sha256,
        # A file that changed under the same name, even with its old time, is another source.
        "sources_hash": sources_sha256(loaded),
        "heldout_hash": prompts_sha256(prompts),
        "tokenizer": tokenizer_facts(tokenizer),
    }
    found = [_found(folder, expected) for folder in folders]
    if all(found):
        return [draw for draw in found if draw is not None]
    tokens = loaded.recipe.size.total * count
    sources = open_sources(loaded, usable_cores())
    here = plan.serving.launcher is None
    answerer = Answerer(
        lambda: open_server(
            plan.serving,
            plan.model,
            None,
            tokenizer.size,
            None,
            narrator,
            trust_remote_code=plan.trust_remote_code,
        ),
        lambda: plan.model if here else None,
        tokenizer,
        narrator.say,
    )
    with closing(answerer), narrator.bar(f"build {loaded.recipe.name}", tokens) as advance:
        made = build_draws(loaded, tokenizer, count, prompts, advance, sources, answerer)
    draws = []
    for folder, calibration_set in zip(folders, made, strict=True):
        content = write_set(calibration_set, tokenizer, prompts, folder / "set", model_name(plan.model_name))
        draws.append(Draw(folder, calibration_set.rows, content["set_hash"], content))
    return draws


def _found(folder: Path, expected: dict[str, Any]) -> Draw | None:
    if not (folder / "set" / "manifest.json").is_file():
        return None
    try:
        stored = read_set(folder / "set")
    except InputError:
        return None
    if any(stored.manifest.get(key) != value for key, value in expected.items()):
        return None
    return Draw(folder, stored.rows, stored.manifest["set_hash"], stored.manifest)


def _random_tokens(plan: Plan, tokenizer: Tokenizer) -> Arm:
    """Uniform over the ids that are no special tokens, in sequences of the first recipe's size."""
    size = plan.recipes[0].recipe.size
    ids = tokenizer.ordinary_ids()
    draws = []
    for number in range(plan.draws):
        random = rng("random-tokens", plan.recipes[0].recipe.seed, number)
        rows = [random.choices(ids, k=length) for length in size.lengths()]
        folder = plan.out / "arms" / "random-tokens" / f"draw-{number}"
        set_hash = set_sha256(rows)
        if not (folder / "set" / "manifest.json").is_file():
            write_jsonl(folder / "set" / "samples.jsonl", ({"input_ids": row} for row in rows))
            write_json(folder / "set" / "manifest.json", {"name": "random-tokens", "set_hash": set_hash})
        known = {"samples": size.count, "tokens": size.total}
        draws.append(Draw(folder, rows, set_hash, known))
    title = "token ids drawn uniformly from the vocabulary"
    return Arm("random-tokens", title, True, True, plan.quantize, tuple(draws))


def _check_equal(plan: Plan, arms: list[Arm]) -> None:
    sizes = {
        f"{arm.name} draw {number}": sorted(len(row) for row in draw.rows)
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
