"""What a ranking measures, in pieces that do not wait for each other: the baseline, then every set.

A piece is named by what goes into it (curator/rank/pieces.py), so that workers never meet, and a run that was
stopped does only what is missing. Of times that two write down at once, one may be lost: they decide nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace

from curator._errors import InputError
from curator._files import read_json
from curator._progress import Narrator, Silent
from curator.export.manifest import tokenizer_facts
from curator.measure.baseline import Baseline
from curator.measure.heldout import Prompt, prompts_sha256
from curator.rank.arms import Arm, Draw, make_arms
from curator.rank.floors import FLOORS, measure_floors
from curator.rank.layer_error import record_layers
from curator.rank.ledger import Ledger
from curator.rank.measure_arm import Measured, drop_checkpoint, is_measured, measure_draw
from curator.rank.plan import Plan, fix_plan
from curator.rank.prepare import frozen_prompts, take_baseline
from curator.rank.sets import recipe_state, set_folder
from curator.tokens.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Piece:
    """What one worker is given.

    Attributes:
        plan: of the ranking.
        arm: with this one set.
        label: for people.
        layers: compare the checkpoint's layers with the model's.
        floors: measure the floors on it.
    """

    plan: Plan
    arm: Arm
    label: str
    layers: bool
    floors: bool

    @property
    def draw(self) -> Draw:
        """The set."""
        return self.arm.draws[0]


def stored_arms(plan: Plan, narrator: Narrator) -> list[Arm]:
    """The arms with their sets, all of which must be there: no text is read here.

    Raises:
        InputError: a set is missing, or is of another recipe, text, tokenizer or prompts.
        RefusedError: the folder holds a run with other settings.
    """
    fix_plan(plan)
    tokenizer, prompts = frozen_prompts(plan, narrator)
    refuse_unbuilt(plan, tokenizer, prompts)
    return make_arms(plan, tokenizer, prompts, narrator)


def refuse_unbuilt(plan: Plan, tokenizer: Tokenizer, prompts: Sequence[Prompt]) -> None:
    """Refuse what would first be built, perhaps of other texts than those of the machine that built it."""
    for loaded in plan.recipes:
        expected = {
            **recipe_state(loaded),
            "heldout_hash": prompts_sha256(prompts),
            "tokenizer": tokenizer_facts(tokenizer),
        }
        for number in range(plan.draws):
            folder = set_folder(plan, loaded.recipe.name, number)
            if not (folder / "manifest.json").is_file():
                raise InputError(f"{folder}: no set is there; build the sets first, here or elsewhere")
            manifest = read_json(folder / "manifest.json")
            other = [key for key, value in expected.items() if manifest.get(key) != value]
            if other:
                raise InputError(f"{folder}: the set was built with another {', '.join(other)}; build it again")


def take_stored_baseline(plan: Plan) -> None:
    """Take a run's baseline unless it is there; run by a pool of processes."""
    tokenizer, prompts = frozen_prompts(plan, Silent())
    take_baseline(plan, tokenizer, prompts, Silent())


def waiting(plan: Plan, arms: Sequence[Arm]) -> list[Piece]:
    """What is not measured yet, each set once, that of the floors first. The baseline is there."""
    baseline = Baseline(plan.out / "baseline")
    found: dict[str, Piece] = {}
    for arm in arms:
        for number, draw in enumerate(arm.draws):
            floors = arm.recipe == plan.recipes[0].recipe.name and not number
            done = is_measured(plan, baseline, draw, arm.quantize)
            if not done or (floors and not (draw.folder / FLOORS).is_file()):
                label = f"{arm.name} draw {number}"
                piece = Piece(plan, replace(arm, draws=(draw,)), label, not number, floors)
                # Two arms may have the same set: one worker makes it.
                found.setdefault(str(draw.folder), piece)
    return sorted(found.values(), key=lambda piece: not piece.floors)


def measure_piece(piece: Piece) -> None:
    """Quantise with one set and score it, with all that needs the checkpoint; run by a pool of processes."""
    plan, draw = piece.plan, piece.draw
    baseline = Baseline(plan.out / "baseline")
    measured = measure_draw(plan, baseline, draw, piece.arm.quantize, piece.label, Silent())
    if piece.layers:
        record_layers(plan.model, draw, measured.receipt)
    if piece.floors:
        _measure_floors(piece, baseline, measured)
    if not plan.keep_checkpoints:
        drop_checkpoint(draw)


def _measure_floors(piece: Piece, baseline: Baseline, measured: Measured) -> None:
    # A folder of its own for the second checkpoint: other experiments measure their floors in this run too.
    scratch = piece.plan.out / "again" / piece.draw.folder.name
    with Ledger(piece.plan.out).timed("floors", piece.draw.folder.name, method=piece.arm.quantize.method):
        measure_floors(replace(piece.plan, out=scratch), baseline, piece.arm, measured, Silent())
    shutil.rmtree(scratch, ignore_errors=True)
