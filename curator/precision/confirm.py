"""The joint KL of a chosen mix, of NVFP4 everywhere and of random mixes, on prompts nothing was chosen by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._errors import InputError, RefusedError
from curator._files import json_sha256
from curator._progress import Narrator
from curator.measure.baseline import Baseline
from curator.models.fingerprint import model_fingerprint
from curator.precision.bench import Sample, opened, sample_of
from curator.precision.candidates import open_candidates
from curator.precision.choose import Assignment
from curator.precision.document import Sensitivity
from curator.precision.estimates import design_of
from curator.precision.evaluate import Evaluator
from curator.precision.formats import Format
from curator.precision.measured import Measured
from curator.precision.parts import layout_of
from curator.precision.replay import Replay
from curator.rank.statistics import ArmKL
from curator.rank.verdict import describe, rank_arms

MIX, UNIFORM, RANDOM = "mix", "uniform NVFP4", "random mix"


def modules_of(found: Sensitivity, mix: Mapping[str, Format]) -> dict[str, Format]:
    """The format of every linear layer."""
    return {name: mix[part.name] for part in found.parts for name in part.modules}


def confirm(
    folder: Path,
    found: Sensitivity,
    arms: Mapping[str, Sequence[Assignment]],
    document: dict[str, Any],
    out: Path,
    model: Path | None,
    narrator: Narrator,
) -> None:
    """Add the joint KL of the arms to a mix's document.

    Args:
        folder: of the sensitivity document.
        found: what that document says.
        arms: mixes by name.
        document: gets ``kl_mean`` and ``kl_ci`` of each arm, ``pairs``, ``conditions`` and warnings.
        out: where values are kept for the next time.
        model: the model's folder, where it is no longer at the place that the document names.
        narrator: told of the work.

    Raises:
        InputError: the model or its baseline is no longer there.
        RefusedError: the model is another one.
    """
    # An absolute path stays as it is.
    sample = sample_of(Baseline(folder / found.baseline), found.kept_prompts)
    values = _joint(model or Path(found.model_path), found, arms, sample, out, narrator)
    _judge(values, document, sample)
    document["conditions"] = (
        f"joint KL(BF16 || quantised), full vocabulary, {found.scheme}, {len(sample.ids)} prompts that no part "
        f"was measured on, {sample.scored} scored tokens, batch {found.batch_size}, {found.dtype}"
    )
    document["warnings"] += _warnings(document["pairs"])


def _judge(values: Mapping[str, NDArray[np.float64]], document: dict[str, Any], sample: Sample) -> None:
    """Means and pairs, by the statistics of a ranking: random mixes are the draws of a null arm."""
    made = [ArmKL(name, rows, name == RANDOM, name == RANDOM) for name, rows in values.items()]
    ranking = rank_arms(made, design_of(sample.tasks))
    for arm in document["arms"]:
        summary = next(one for one in ranking.arms if one.name == arm["name"])
        arm |= {"kl_mean": summary.mean, "kl_ci": list(summary.ci)}
    document["pairs"] += [
        {
            "a": pair.a,
            "b": pair.b,
            "diff": pair.diff,
            "se": pair.se,
            "ci": list(pair.ci),
            "p_adjusted": pair.p_adjusted,
            "verdict": pair.verdict,
            "words": describe(pair),
        }
        for pair in (*ranking.pairs, *ranking.null_pairs)
    ]


def _warnings(pairs: Sequence[Mapping[str, Any]]) -> list[str]:
    tied = {frozenset((pair["a"], pair["b"])) for pair in pairs if pair["verdict"] == "tied"}
    warnings = []
    if {MIX, RANDOM} in tied:
        warnings.append(
            "tied with random mixes of its size: here, choosing by sensitivity is not shown to be better than "
            "choosing at random; measure on more prompts, or take any mix"
        )
    if {MIX, UNIFORM} in tied:
        warnings.append("tied with NVFP4 everywhere: the larger mix is not shown to be better")
    return warnings


def _joint(
    folder: Path,
    found: Sensitivity,
    arms: Mapping[str, Sequence[Assignment]],
    sample: Sample,
    out: Path,
    narrator: Narrator,
) -> dict[str, NDArray[np.float64]]:
    """KL [mixes, prompts] of every arm, from the folder where it is there already."""
    if not folder.is_dir():
        raise InputError(f"{folder}: the model is no longer there; name its folder with --model")
    if model_fingerprint(folder) != found.model_hash:
        raise RefusedError(f"{folder}: not the model that the parts were measured on")
    windows = [[window.ids, window.start] for window in sample.windows]
    key = json_sha256([found.model_dump(mode="json", exclude={"baseline", "model_path"}), windows])
    measured = Measured(out / "measured.json", key)
    names = {
        (arm, number): json_sha256(modules_of(found, mix))
        for arm, mixes in arms.items()
        for number, mix in enumerate(mixes)
    }
    waiting = {name: modules_of(found, arms[arm][number]) for (arm, number), name in names.items()}
    waiting = {name: modules for name, modules in waiting.items() if name not in measured}
    if waiting:
        _measure(folder, found, sample, waiting, measured, narrator)
    return {
        arm: np.stack([measured[names[arm, number]] for number in range(len(mixes))])
        for arm, mixes in arms.items()
    }


def _measure(
    folder: Path,
    found: Sensitivity,
    sample: Sample,
    waiting: Mapping[str, Mapping[str, Format]],
    measured: Measured,
    narrator: Narrator,
) -> None:
    with ExitStack() as stack:
        with narrator.bar(f"load {found.model} and run it on {len(sample.windows)} windows", None):
            server = stack.enter_context(opened(folder, found.dtype, found.trust_remote_code))
            layout = layout_of(server.model, found.ignore)
            unknown = {name for part in found.parts for name in part.modules} - layout.linears.keys()
            if unknown:
                raise InputError(
                    f"{folder}: no linear layer {min(unknown)}; measure again with `curate sensitivity`"
                )
            checkpoint = None if found.checkpoint is None else Path(found.checkpoint)
            candidates = open_candidates(server.model, layout, found.activations, found.scheme, checkpoint, stack)
            replay = stack.enter_context(Replay(server.model, layout.layers))
            evaluator = Evaluator(replay, candidates, sample.windows, found.batch_size)
        with narrator.bar(f"joint KL of {len(waiting)} mixes", len(waiting)) as advance:
            for name, modules in waiting.items():
                measured.add(name, evaluator.kl(modules))
                advance(1)
