"""Options of `curate score`: the candidate, what is measured of it, and the limits that it is held to."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curator.cli.options import MAX_BATCH
from curator.recipe.quantize_methods import Scheme
from curator.serve.interface import Dtype

BaselineOption = Annotated[Path, typer.Option("--baseline", help="Baseline folder.")]
CheckpointOption = Annotated[
    Path | None, typer.Option("--checkpoint", help="NVFP4 checkpoint, in this process or with --serve.")
]
SchemeOption = Annotated[
    Scheme | None, typer.Option("--scheme", help="W4A4 or W4A16; what the checkpoint stores when left out.")
]
BatchSizesOption = Annotated[
    list[int] | None,
    typer.Option(
        "--batch-size",
        min=1,
        max=MAX_BATCH,
        help="Repeat for several; all that the baseline has when left out.",
    ),
]
MaxKLOption = Annotated[
    float | None,
    typer.Option(
        "--max-kl",
        help="Exit 3 when the mean KL of a phase at a batch size is over this. The mean decides; its interval "
        "is shown.",
    ),
]
MinTop1Option = Annotated[
    float | None,
    typer.Option("--min-top1", help="Exit 3 when the top-1 agreement of one is under this share."),
]
BaselineTypeOption = Annotated[
    Dtype | None, typer.Option("--dtype", help="Compute type; the baseline's when left out.")
]
AllowOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        help="A fact that may differ; marks the result as not comparable. backend allows all that another "
        "backend brings, weights a gate over the baseline's own.",
    ),
]
RepeatsOption = Annotated[
    int,
    typer.Option(
        "--repeats",
        min=1,
        help="Measure so often, with --serve each time by a new server: how much the numbers move.",
    ),
]
