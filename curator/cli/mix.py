"""`curate mix`: formats for the parts of a model under a size."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curator.cli.options import MAX_DRAWS, OutOption
from curator.cli.output import JsonFlag, console, print_json
from curator.cli.progress import narrator


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate mix sensitivity/sensitivity.json --bits 5 --out mix")(mix)


def mix(
    sensitivity: Annotated[Path, typer.Argument(help="sensitivity.json of curate sensitivity, or its folder.")],
    out: OutOption,
    bits: Annotated[
        float | None, typer.Option("--bits", help="Average bits a weight of the parts: 4.5 NVFP4, 8 FP8, 16 BF16.")
    ] = None,
    size_gb: Annotated[
        float | None, typer.Option("--size-gb", help="Size of the whole model instead, in 10^9 bytes.")
    ] = None,
    random: Annotated[
        int, typer.Option("--random", min=3, max=MAX_DRAWS, help="Random mixes of the same size, to compare with.")
    ] = 3,
    model: Annotated[Path | None, typer.Option("--model", help="The model's folder, where it was moved.")] = None,
    confirm: Annotated[
        bool, typer.Option("--confirm/--no-confirm", help="Measure the joint KL of the chosen mix.")
    ] = True,
    json: JsonFlag = False,
) -> None:
    """Choose NVFP4, FP8 or BF16 for each part and confirm the choice by its joint KL, against random mixes."""
    import math

    from curator._errors import InputError
    from curator.precision.mix import MixPlan, run_mix

    if (bits is None) == (size_gb is None):
        raise InputError("give either --bits or --size-gb")
    for name, value in (("--bits", bits), ("--size-gb", size_gb)):
        if value is not None and not (math.isfinite(value) and value > 0):
            raise InputError(f"{name} {value}: give a number above 0")
    file = sensitivity / "sensitivity.json" if sensitivity.is_dir() else sensitivity
    document = run_mix(MixPlan(file, out, bits, size_gb, random, model, confirm), narrator())
    if json:
        print_json(document)
        return
    from curator.report.sensitivity_terminal import print_mix

    print_mix(document, console())
    console().print(f"\nfor the recipe: {out / 'recipe.yaml'}", markup=False, soft_wrap=True)
