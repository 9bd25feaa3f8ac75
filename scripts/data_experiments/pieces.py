"""Several sets at once: each worker quantises with one and scores it, where the ranking goes on.

A piece is named by what goes into it (curator/rank/pieces.py), so that workers never meet, and a run that was
stopped does only what is missing. Of times that two write down at once, one may be lost: they decide nothing.
"""

from __future__ import annotations

import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass

from curator._lock import folder_lock
from curator._progress import Narrator, Silent
from curator.measure.baseline import Baseline
from curator.rank.arms import Draw, make_arms
from curator.rank.measure_arm import drop_checkpoint, is_measured, measure_draw
from curator.rank.plan import Plan, fix_plan
from curator.rank.prepare import frozen_prompts, take_baseline
from curator.recipe.quantize_settings import QuantizeSettings


@dataclass(frozen=True, slots=True)
class Piece:
    """What one worker is given.

    Attributes:
        plan: of the ranking.
        draw: the set.
        quantize: how it is quantised.
        label: for people.
        keep: keep the checkpoint: the ranking measures its floor on it.
    """

    plan: Plan
    draw: Draw
    quantize: QuantizeSettings
    label: str
    keep: bool


def measure_pieces(plan: Plan, workers: int, narrator: Narrator) -> int:
    """Measure the draws of all arms that are not measured yet, several at once.

    Args:
        plan: of the ranking.
        workers: how many; each quantises on the plan's device and scores with its part of the cores.
        narrator: told of each piece that is done.

    Returns:
        The number of pieces measured now.

    Raises:
        CurateError: as the steps say; the pieces done are kept.
    """
    with folder_lock(plan.out):
        pieces = waiting(plan, narrator)
        # A fresh process each: CUDA does not survive a fork.
        fresh = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=fresh, initializer=_share_cores, initargs=(workers,)) as pool:
            running = {pool.submit(measure_piece, piece): piece for piece in pieces}
            for number, done in enumerate(as_completed(running), 1):
                done.result()
                narrator.say(f"{number} of {len(pieces)}: {running[done].label}")
    return len(pieces)


def waiting(plan: Plan, narrator: Narrator) -> list[Piece]:
    """What is not measured yet, each set once, with the sets and the baseline that it needs made."""
    fix_plan(plan)
    tokenizer, prompts = frozen_prompts(plan, narrator)
    arms = make_arms(plan, tokenizer, prompts, narrator)
    baseline = take_baseline(plan, tokenizer, prompts, narrator)
    found: dict[str, Piece] = {}
    for arm in arms:
        for number, draw in enumerate(arm.draws):
            if not is_measured(plan, baseline, draw, arm.quantize):
                # Two arms may have the same set: one worker makes it.
                keep = plan.keep_checkpoints or (arm.recipe == plan.recipes[0].recipe.name and not number)
                piece = Piece(plan, draw, arm.quantize, f"{arm.name} draw {number}", keep)
                found.setdefault(str(draw.folder), piece)
    return list(found.values())


def _share_cores(workers: int) -> None:
    import torch

    cores = max(1, (os.cpu_count() or 1) // workers)
    # The quantiser is a process of its own, and takes it from here.
    os.environ["OMP_NUM_THREADS"] = str(cores)
    torch.set_num_threads(cores)


def measure_piece(piece: Piece) -> None:
    """Quantise with one set and score what it gives; run by a pool of processes."""
    baseline = Baseline(piece.plan.out / "baseline")
    measure_draw(piece.plan, baseline, piece.draw, piece.quantize, piece.label, Silent())
    if not piece.keep:
        drop_checkpoint(piece.draw)
