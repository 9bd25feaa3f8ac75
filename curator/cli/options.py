"""Options that several verbs share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from curator.models.locate import DEFAULT_MODEL

# Far beyond use; larger numbers would only overflow.
MAX_DRAWS = 10_000
MAX_TOKENS = 1_048_576
MAX_BATCH = 65_536
MAX_PROMPTS = 100_000

ModelOption = Annotated[
    str, typer.Option("--model", help=f"Model folder, hub id, or the embedded {DEFAULT_MODEL}.", show_default=True)
]
OutOption = Annotated[Path, typer.Option("--out", help="Folder to write.")]
HeldoutOption = Annotated[
    Path | None,
    typer.Option("--heldout", help="Frozen prompts (JSON Lines); made from installed text when left out."),
]
TrustOption = Annotated[
    bool, typer.Option("--trust-remote-code", help="Run the Python code that comes with the model's folder.")
]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", min=1, max=256, help="Processes that read large files; all cores when left out."),
]
PhasesOption = Annotated[
    Literal["both", "prefill", "decode"],
    typer.Option("--phase", help="prefill: windows read at once; decode: token by token, as they were written."),
]
