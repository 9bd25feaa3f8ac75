"""Options that `curate rank` and `curate search` share: how each arm is quantised and measured."""

from __future__ import annotations

from typing import Annotated

import typer

from curator.cli.options import MAX_BATCH, MAX_TOKENS
from curator.serve.interface import Dtype

TokensOption = Annotated[int, typer.Option("--tokens", min=1, max=MAX_TOKENS, help="Scored tokens a prompt.")]
BatchSizeOption = Annotated[
    int, typer.Option("--batch-size", min=1, max=MAX_BATCH, help="Prompts scored together.")
]
ComputeTypeOption = Annotated[
    Dtype | None,
    typer.Option("--dtype", help="Compute type; float32, on a GPU server the model's, when left out."),
]
DeviceOption = Annotated[
    str,
    typer.Option("--device", help="Where models are quantised: auto, cpu, cuda, or GPUs by number."),
]
KeepCheckpointsOption = Annotated[bool, typer.Option("--keep-checkpoints", help="Keep the quantised models.")]
