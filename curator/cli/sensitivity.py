"""`curate sensitivity`: what each part of a model loses when it alone is quantised."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from curator.cli.options import (
    MAX_BATCH,
    MAX_PROMPTS,
    MAX_TOKENS,
    HeldoutOption,
    ModelOption,
    OutOption,
    TrustOption,
)
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.models.locate import DEFAULT_MODEL
from curator.precision.formats import By, QuantisedFormat
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype

_BY = (
    "What one part is. group: what servers merge (q/k/v, gate/up), any other matrix alone, or all experts of a "
    "layer; about 4 parts a layer. layer: a whole decoder layer. pattern: the same group in all layers; about 4 "
    "parts in all. Each part is measured once in each format, by running the model from the part's first layer on."
)
_PROMPTS = (
    "Held-out prompts to measure on, spread over the tasks; as many others are kept for curate mix. Time grows "
    "with them, the standard error falls with their square root: four times the prompts halve it."
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate sensitivity sets/coherent-mix --by group --prompts 24 --out sensitivity")(
        sensitivity
    )


def sensitivity(
    out: OutOption,
    calibration_set: Annotated[
        Path | None,
        typer.Argument(metavar="[SET]", help="Set folder, for activation scales.", show_default=False),
    ] = None,
    model: ModelOption = DEFAULT_MODEL,
    by: Annotated[By, typer.Option("--by", help=_BY)] = "group",
    formats: Annotated[
        str, typer.Option("--formats", help="Formats that each part is measured in: nvfp4, or nvfp4,fp8.")
    ] = "nvfp4,fp8",
    scheme: Annotated[Scheme, typer.Option("--scheme", help="W4A16 leaves activations alone.")] = "W4A4",
    checkpoint: Annotated[
        Path | None,
        typer.Option("--from", help="NVFP4 checkpoint whose weights and scales to use, by GPTQ for one."),
    ] = None,
    prompts: Annotated[int, typer.Option("--prompts", min=2, help=_PROMPTS)] = 12,
    tokens: Annotated[int, typer.Option("--tokens", min=1, max=MAX_TOKENS, help="Scored tokens a prompt.")] = 64,
    rows: Annotated[
        int, typer.Option("--rows", min=1, max=MAX_PROMPTS, help="Rows of the set for activation scales.")
    ] = 8,
    batch_size: Annotated[
        int, typer.Option("--batch-size", min=1, max=MAX_BATCH, help="Prompts run together.")
    ] = 8,
    heldout: HeldoutOption = None,
    baseline: Annotated[
        Path | None, typer.Option("--baseline", help="A baseline of this model, instead of decoding one here.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", help="Name or re: pattern of layers left in BF16; repeatable.")
    ] = None,
    dtype: Annotated[Dtype, typer.Option("--dtype", help="Compute type.")] = "float32",
    trust_remote_code: TrustOption = False,
    json: JsonFlag = False,
) -> None:
    """Measure KL(BF16 || one part alone quantised) for every part; the same command goes on where it stopped."""
    from curator._errors import InputError
    from curator.adapters.stored_set import read_set
    from curator.models.fingerprint import model_fingerprint
    from curator.models.locate import locate_model
    from curator.precision.activation_amax import spread_rows
    from curator.precision.plan import SensitivityPlan
    from curator.precision.sensitivity import run_sensitivity
    from curator.quantize.checkpoint import tensors_sha256

    if calibration_set is None and checkpoint is None and scheme == "W4A4":
        raise InputError(
            "W4A4 needs activation scales: give a set folder, or --from CHECKPOINT, or --scheme W4A16"
        )
    if heldout is not None and baseline is not None:
        raise InputError("give either --heldout or --baseline: a baseline has prompts of its own")
    stored = None if calibration_set is None else read_set(calibration_set)
    folder = locate_model(model, narrator())
    plan = SensitivityPlan(
        model=folder,
        model_name=model,
        model_hash=model_fingerprint(folder),
        out=out,
        rows=() if stored is None else tuple(map(tuple, spread_rows(stored.rows, rows))),
        set_hash="" if stored is None else str(stored.manifest["set_hash"]),
        checkpoint=checkpoint,
        checkpoint_hash="" if checkpoint is None else tensors_sha256(checkpoint),
        by=by,
        formats=_formats(formats),
        scheme=scheme,
        prompts=prompts,
        tokens=tokens,
        batch_size=batch_size,
        heldout=heldout,
        baseline=baseline,
        ignore=tuple(ignore or ()),
        dtype=dtype,
        trust_remote_code=trust_remote_code,
    )
    document = run_sensitivity(plan, narrator())
    if json:
        print_json(document)
        return
    from curator.report.sensitivity_terminal import print_sensitivity

    print_sensitivity(document, console())
    console().print(f"\nreport: {out / 'report.html'}", markup=False, soft_wrap=True)
    next_step(shlex.join(["curate", "mix", str(out / "sensitivity.json"), "--bits", "5", "--out", f"{out}-mix"]))


def _formats(text: str) -> tuple[QuantisedFormat, ...]:
    from curator._errors import InputError

    known: dict[str, tuple[QuantisedFormat, ...]] = {"nvfp4": ("nvfp4",), "nvfp4,fp8": ("nvfp4", "fp8")}
    names = ",".join(name.strip() for name in text.split(","))
    if names not in known:
        raise InputError(f"--formats {text!r}: give nvfp4 or nvfp4,fp8")
    return known[names]
