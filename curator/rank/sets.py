"""The calibration sets of a run, built or found again: one folder a recipe and draw."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError
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
from curator.pipeline.calibration_set import CalibrationSet
from curator.pipeline.source_state import sources_sha256
from curator.pipeline.sources import open_sources
from curator.rank.ledger import Ledger
from curator.rank.plan import Plan
from curator.recipe.load import LoadedRecipe
from curator.serve.open import open_server
from curator.tokens.tokenizer import Tokenizer

RANDOM = "random-tokens"


@dataclass(frozen=True, slots=True)
class DrawnSet:
    """One calibration set.

    Attributes:
        rows: token ids.
        set_hash: hash of the rows.
        manifest: the set's manifest, or the little that is known of a null set.
    """

    rows: list[list[int]]
    set_hash: str
    manifest: dict[str, Any]


def set_folder(plan: Plan, name: str, number: int) -> Path:
    """Where a draw of a recipe is kept."""
    return plan.out / "arms" / name / f"draw-{number}" / "set"


def recipe_sets(
    plan: Plan,
    loaded: LoadedRecipe,
    count: int,
    tokenizer: Tokenizer,
    prompts: Sequence[Prompt],
    narrator: Narrator,
) -> list[DrawnSet]:
    """The first ``count`` draws of a recipe.

    Raises:
        RecipeError, InputError, DependencyError: the sets cannot be built.
    """
    if loaded.template is not None:
        tokenizer = Tokenizer(plan.model, loaded.template)
    folders = [set_folder(plan, loaded.recipe.name, number) for number in range(count)]
    expected = {
        **recipe_state(loaded),
        "heldout_hash": prompts_sha256(prompts),
        "tokenizer": tokenizer_facts(tokenizer),
    }
    found = [_found(folder, expected) for folder in folders]
    drawn = [one for one in found if one is not None]
    if len(drawn) == count:
        return drawn
    made = _build(plan, loaded, count, tokenizer, prompts, narrator)
    return [
        one or _written(plan, tokenizer, prompts, folder, calibration_set)
        for one, folder, calibration_set in zip(found, folders, made, strict=True)
    ]


def recipe_state(loaded: LoadedRecipe) -> dict[str, str]:
    """What of a set's manifest says that it is of this recipe and these sources."""
    return {
        "recipe_hash": loaded.sha256,
        # A file that changed under the same name, even with its old time, is another source.
        "sources_hash": sources_sha256(loaded),
    }


def random_sets(plan: Plan, count: int, tokenizer: Tokenizer) -> list[DrawnSet]:
    """Uniform over the ids that are no special tokens, in sequences of the first recipe's size."""
    size = plan.recipes[0].recipe.size
    ids = tokenizer.ordinary_ids()
    drawn = []
    for number in range(count):
        random = rng(RANDOM, plan.recipes[0].recipe.seed, number)
        rows = [random.choices(ids, k=length) for length in size.lengths()]
        folder = set_folder(plan, RANDOM, number)
        set_hash = set_sha256(rows)
        # The first recipe's size, and so these rows, may have changed since.
        if _found(folder, {"set_hash": set_hash}) is None:
            write_jsonl(folder / "samples.jsonl", ({"input_ids": row} for row in rows))
            write_json(folder / "manifest.json", {"name": RANDOM, "set_hash": set_hash})
        drawn.append(DrawnSet(rows, set_hash, {"samples": size.count, "tokens": size.total}))
    return drawn


def _build(
    plan: Plan,
    loaded: LoadedRecipe,
    count: int,
    tokenizer: Tokenizer,
    prompts: Sequence[Prompt],
    narrator: Narrator,
) -> list[CalibrationSet]:
    sources = open_sources(loaded, usable_cores())
    here = plan.serving.launcher is None
    trust = plan.trust_remote_code
    answerer = Answerer(
        lambda: open_server(
            plan.serving, plan.model, None, tokenizer.size, None, narrator, trust_remote_code=trust
        ),
        lambda: plan.model if here else None,
        tokenizer,
        narrator.say,
    )
    name = loaded.recipe.name
    with (
        closing(answerer),
        narrator.bar(f"build {name}", loaded.recipe.size.total * count) as advance,
        Ledger(plan.out).timed("build", name, draws=count),
    ):
        return build_draws(loaded, tokenizer, count, prompts, advance, sources, answerer)


def _found(folder: Path, expected: dict[str, Any]) -> DrawnSet | None:
    if not (folder / "manifest.json").is_file():
        return None
    try:
        stored = read_set(folder)
    except InputError:
        return None
    if any(stored.manifest.get(key) != value for key, value in expected.items()):
        return None
    return DrawnSet(stored.rows, stored.manifest["set_hash"], stored.manifest)


def _written(
    plan: Plan, tokenizer: Tokenizer, prompts: Sequence[Prompt], folder: Path, made: CalibrationSet
) -> DrawnSet:
    content = write_set(made, tokenizer, prompts, folder, model_name(plan.model_name))
    return DrawnSet(made.rows, content["set_hash"], content)
