"""`curate convert`: a checkpoint in the other layout, or dequantised."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from curator._errors import InputError
from curator.cli.apart import refuse_overlap
from curator.cli.options import OutOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator

Target = Literal["compressed-tensors", "modelopt", "dequantised"]
TwinType = Literal["float32", "bfloat16"]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        epilog="Example: curate convert checkpoints/coherent-mix --to modelopt --out checkpoints/modelopt"
    )(convert)


def convert(
    checkpoint: Annotated[
        Path, typer.Argument(help="Checkpoint folder, of compressed-tensors or ModelOpt.", show_default=False)
    ],
    out: OutOption,
    to: Annotated[
        Target,
        typer.Option("--to", help="The other layout; or dequantised, plain weights for servers without FP4."),
    ],
    dtype: Annotated[
        TwinType | None,
        typer.Option(
            "--dtype",
            help="Of dequantised weights: float32 is exact, bfloat16 rounds them; float32 when left out.",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Write a checkpoint in the other layout, so that converting back gives the same tensors bit by bit."""
    if dtype is not None and to != "dequantised":
        raise InputError("--dtype is for --to dequantised alone: a change of layout changes no value")
    refuse_overlap({"--out": out}, {"the checkpoint": checkpoint})
    with narrator().bar(f"convert to {to}", None):
        result = _dequantised(checkpoint, out, dtype) if to == "dequantised" else _converted(checkpoint, out, to)
    result = {"checkpoint": str(checkpoint), "out": str(out), "to": to, **result}
    if json:
        print_json(result)
        return
    _print(result)


def _converted(checkpoint: Path, out: Path, to: Literal["compressed-tensors", "modelopt"]) -> dict[str, Any]:
    from curator._outputs import refuse_foreign
    from curator.quantize.checkpoint import CONVERTED_FOLDER, convert_checkpoint

    refuse_foreign(out, CONVERTED_FOLDER)
    made = convert_checkpoint(checkpoint, to, out)
    return {
        "layers": made.linears,
        "tensors_sha256": made.tensors_sha256,
        "kept_scales": made.kept,
        "notes": [],
    }


def _dequantised(checkpoint: Path, out: Path, dtype: TwinType | None) -> dict[str, Any]:
    from curator._outputs import refuse_foreign
    from curator.quantize.checkpoint import TWIN_FOLDER, write_twin

    refuse_foreign(out, TWIN_FOLDER)
    return {"dtype": dtype or "float32", "notes": write_twin(checkpoint, out, dtype or "float32")}


def _print(result: dict[str, Any]) -> None:
    out = console()
    if result["to"] == "dequantised":
        out.print(f"{result['out']}: weights in {result['dtype']}, no quantisation", markup=False)
    else:
        out.print(f"{result['out']}: {result['layers']} quantised layers as {result['to']} has them", markup=False)
        if result["kept_scales"]:
            out.print(
                f"curate-convert.json keeps the bits of {result['kept_scales']} numbers that the way back would "
                "not give again",
                markup=False,
            )
    for note in result["notes"]:
        out.print(f"note: {note}", markup=False)
    if result["to"] != "dequantised":
        next_step(f"curate verify {result['out']}")
