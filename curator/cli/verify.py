"""`curate verify`: whether a quantised checkpoint can be served, and what it is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from curator._errors import RefusedError
from curator.cli.output import JsonFlag, console, print_json
from curator.cli.progress import narrator
from curator.recipe.quantize_methods import Scheme


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate verify checkpoints/coherent-mix --reference smollm2-135m-instruct")(verify)


def verify(
    checkpoint: Annotated[
        Path, typer.Argument(help="Checkpoint folder, of compressed-tensors or ModelOpt.", show_default=False)
    ],
    reference: Annotated[
        str | None,
        typer.Option("--reference", help="The model that was quantised: tells the error of each layer's weight."),
    ] = None,
    asked: Annotated[
        Scheme | None, typer.Option("--asked", help="The scheme to serve it in; W4A4 needs activation scales.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Check an NVFP4 checkpoint made here or elsewhere: scales, names, merged layers, heads, KV cache."""
    from curator.models.locate import locate_model
    from curator.quantize.checkpoint import open_checkpoint, verify_checkpoint
    from curator.report.verify_terminal import print_verification

    model = locate_model(reference, narrator()) if reference else None
    if model is None:
        found = verify_checkpoint(checkpoint, asked)
    else:
        with open_checkpoint(checkpoint) as opened:
            layers = len(opened.linears)
        with narrator().bar("compare layers", layers) as advance:
            found = verify_checkpoint(checkpoint, asked, model, advance)
    document = {"checkpoint": str(checkpoint), "asked": asked, "reference": reference, **found.document()}
    if json:
        print_json(document)
    else:
        print_verification(document, console())
    if found.faults:
        number = len(found.faults)
        raise RefusedError(
            f"{checkpoint}: {number} {'fault' if number == 1 else 'faults'}; mend it before it is served"
        )
