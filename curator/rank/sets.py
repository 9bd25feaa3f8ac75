"""The calibration sets of a run, built or found again: one folder a recipe and draw."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator._files import write_json, write_jsonl
from curator._outputs import drop_damaged
from curator._progress import Narrator
from curator._seed import rng
from curator.adapters.stored_set import read_set, set_sha256
from curator.engine.local import usable_cores
from curator.export.folder import SET_FOLDER, write_set
from curator.export.manifest import tokenizer_facts
from curator.measure.heldout import Prompt, prompts_sha256
from curator.models.locate import model_name
from curator.pipeline.answers.ask import Answerer
from curator.pipeline.build import build_draws
from curator.pipeline.calibration_set import CalibrationSet
from curator.pipeline.source_state import sources_sha256
from curator.pipeline.sources import open_sources
from curator.pipeline.supply_check import check_supply
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


def recipe_state(loaded: LoadedRecipe) -> dict[str, str]:
    """What of a set's manifest says that it is of this recipe and these sources."""
    return {
        "recipe_hash": loaded.sha256,
        # A file that changed under the same name, even with its old time, is another source.
        "sources_hash": sources_sha256(loaded),
    }


def scarce_text(plan: Plan) -> list[str]:
    """Sources that have too little text for the draws of all looks, told before hours of the first.

    Without looks all sets are built at the start, and say themselves what they share.

    Raises:
        RecipeError: a source cannot be opened.
    """
    return [
        f"{loaded.recipe.name}: {line.source} has text for about {math.floor(line.ratio * plan.draws)} of "
        f"{plan.draws} draws; later draws repeat it, and so differ less than draws should"
        for loaded in (plan.recipes if plan.looks else ())
        for line in check_supply(loaded, plan.draws).lines
        if line.ratio is not None and line.ratio < 1
    ]


@dataclass(frozen=True, slots=True)
class SetMaker:
    """What every set of a run is made with.

    Attributes:
        plan: the run.
        tokenizer: the model's.
        prompts: held-out prompts; no set has text of theirs.
        narrator: is told what is built.
    """

    plan: Plan
    tokenizer: Tokenizer
    prompts: Sequence[Prompt]
    narrator: Narrator

    def of_recipe(self, loaded: LoadedRecipe, count: int) -> list[DrawnSet]:
        """The first ``count`` draws of a recipe, found again or built.

        Raises:
            RecipeError, InputError, DependencyError: the sets cannot be built.
        """
        tokenizer = self._tokenizer_for(loaded)
        found = self._found(loaded, count, tokenizer)
        drawn = [one for one in found if one is not None]
        if len(drawn) == count:
            return drawn
        # A draw goes on where the draws before it stopped, so that all are gone through again; what was scored or
        # answered for them is remembered.
        made = self._build(loaded, count, tokenizer)
        return [
            one or self._written(loaded, number, calibration_set, tokenizer)
            for number, (one, calibration_set) in enumerate(zip(found, made, strict=True))
        ]

    def random(self, count: int) -> list[DrawnSet]:
        """Uniform over the ids that are no special tokens, in sequences of the first recipe's size."""
        first = self.plan.recipes[0].recipe
        ids = self.tokenizer.ordinary_ids()
        drawn = []
        for number in range(count):
            random = rng(RANDOM, first.seed, number)
            rows = [random.choices(ids, k=length) for length in first.size.lengths()]
            folder = set_folder(self.plan, RANDOM, number)
            set_hash = set_sha256(rows)
            # The first recipe's size, and so these rows, may have changed since.
            if _stored(folder, {"set_hash": set_hash}) is None:
                write_jsonl(folder / "samples.jsonl", ({"input_ids": row} for row in rows))
                write_json(folder / "manifest.json", {"name": RANDOM, "set_hash": set_hash})
            drawn.append(DrawnSet(rows, set_hash, {"samples": first.size.count, "tokens": first.size.total}))
        return drawn

    def _tokenizer_for(self, loaded: LoadedRecipe) -> Tokenizer:
        return self.tokenizer if loaded.template is None else Tokenizer(self.plan.model, loaded.template)

    def _found(self, loaded: LoadedRecipe, count: int, tokenizer: Tokenizer) -> list[DrawnSet | None]:
        expected = {
            **recipe_state(loaded),
            "heldout_hash": prompts_sha256(self.prompts),
            "tokenizer": tokenizer_facts(tokenizer),
        }
        name = loaded.recipe.name
        return [_stored(set_folder(self.plan, name, number), expected) for number in range(count)]

    def _build(self, loaded: LoadedRecipe, count: int, tokenizer: Tokenizer) -> list[CalibrationSet]:
        plan, narrator = self.plan, self.narrator
        sources = open_sources(loaded, usable_cores())
        here = plan.serving.here
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
            return build_draws(loaded, tokenizer, count, self.prompts, advance, sources, answerer)

    def _written(self, loaded: LoadedRecipe, number: int, made: CalibrationSet, tokenizer: Tokenizer) -> DrawnSet:
        folder = set_folder(self.plan, loaded.recipe.name, number)
        # It lies in the run's own folder: what was cut off there is made again, nobody can choose another place.
        drop_damaged(folder, SET_FOLDER)
        content = write_set(made, tokenizer, self.prompts, folder, model_name(self.plan.model_name))
        return DrawnSet(made.rows, content["set_hash"], content)


def _stored(folder: Path, expected: dict[str, Any]) -> DrawnSet | None:
    if not (folder / "manifest.json").is_file():
        return None
    try:
        stored = read_set(folder)
    except InputError:
        return None
    if any(stored.manifest.get(key) != value for key, value in expected.items()):
        return None
    return DrawnSet(stored.rows, stored.manifest["set_hash"], stored.manifest)
