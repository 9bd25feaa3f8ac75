"""`curate heldout`: the frozen prompts that candidates are measured on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from curator.cli.output import JsonFlag, console, next_step, print_json


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate heldout --out heldout.jsonl")(heldout)


def heldout(
    out: Annotated[Path, typer.Option("--out", help="JSON Lines file to write.")],
    per_task: Annotated[int, typer.Option("--per-task", min=2, help="Prompts of each kind.")] = 16,
    json: JsonFlag = False,
) -> None:
    """Freeze held-out prompts (prose, code, questions) from packages and modules that no set may use."""
    from curator.measure.heldout import make_heldout, prompts_sha256, refuse_other_file, save_prompts

    refuse_other_file(out)
    prompts = make_heldout(per_task)
    save_prompts(out, prompts)
    result = {
        "prompts": len(prompts),
        "by_task": dict(Counter(prompt.task for prompt in prompts)),
        "sha256": prompts_sha256(prompts),
        "out": str(out),
    }
    if json:
        print_json(result)
        return
    counts = ", ".join(f"{count} {task}" for task, count in Counter(prompt.task for prompt in prompts).items())
    console().print(f"{out}: {len(prompts)} prompts ({counts}), {result['sha256']}", markup=False)
    next_step(f"curate baseline --heldout {out} --out baseline")
