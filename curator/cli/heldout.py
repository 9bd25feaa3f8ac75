"""`curate heldout`: the frozen prompts that candidates are measured on."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from curator.cli.options import MAX_PROMPTS, MAX_TOKENS, ModelOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.models.locate import DEFAULT_MODEL

if TYPE_CHECKING:
    from curator.measure.heldout import Prompt
    from curator.measure.heldout.match import Matched, Wish


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(
        epilog="Example: curate heldout --from-profile profile.json --max-tokens 4096 --out heldout.jsonl"
    )(heldout)


def heldout(
    out: Annotated[Path, typer.Option("--out", help="JSON Lines file to write.")],
    own: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Prompts of your own, instead of those made here.")
    ] = None,
    from_profile: Annotated[
        Path | None, typer.Option("--from-profile", help="Match a profile (curate profile EVAL --out PROFILE).")
    ] = None,
    items: Annotated[
        int, typer.Option("--items", min=2, help="Prompts to match a profile with; each cell gets one at least.")
    ] = 200,
    max_tokens: Annotated[
        int | None,
        typer.Option("--max-tokens", min=16, max=MAX_TOKENS, help="Shorten the profile's longer prompts to this."),
    ] = None,
    max_new: Annotated[
        int | None,
        typer.Option("--max-new", min=1, max=MAX_TOKENS, help="Shorten the profile's longer outputs to this."),
    ] = None,
    model: ModelOption = DEFAULT_MODEL,
    per_task: Annotated[
        int,
        typer.Option(
            "--per-task", min=2, max=MAX_PROMPTS, help="Prompts of each kind, where no profile is matched."
        ),
    ] = 16,
    json: JsonFlag = False,
) -> None:
    """Freeze held-out prompts from texts and wordings that no set may use, or from a file of your own."""
    from curator._outputs import refuse_unwritable
    from curator.measure.heldout import load_prompts, make_heldout, prompts_sha256, refuse_other_file, save_prompts
    from curator.measure.heldout.match import Wish

    refuse_unwritable(out)
    refuse_other_file(out)
    given = load_prompts(own) if own else None
    more: dict[str, Any] = {}
    if from_profile is not None:
        prompts, more = _match(from_profile, Wish(items, max_tokens, max_new), given, model)
    else:
        prompts = make_heldout(per_task) if given is None else given
    save_prompts(out, prompts)
    result = {
        "prompts": len(prompts),
        "by_task": dict(Counter(prompt.task for prompt in prompts)),
        "sha256": prompts_sha256(prompts),
        "out": str(out),
        **more,
    }
    if json:
        print_json(result)
        return
    from curator.report.heldout_terminal import print_heldout

    print_heldout(result, console())
    next_step(f"curate baseline --heldout {out} --out baseline")


def _match(path: Path, wish: Wish, given: list[Prompt] | None, model: str) -> tuple[list[Prompt], dict[str, Any]]:
    """Prompts like a profile's items, and what is to be told of them."""
    from curator._files import file_sha256
    from curator.measure.heldout.match import make_matched, match_own
    from curator.measure.heldout.told import cell_rows, notes_of
    from curator.models.locate import locate_tokenizer
    from curator.profile import load_profile
    from curator.tokens.tokenizer import Tokenizer

    profile = load_profile(path)
    folder = locate_tokenizer(model, narrator())
    tokenizer = Tokenizer(folder)

    def count(text: str) -> int:
        return tokenizer.count([text])[0]

    matched: Matched
    with narrator().bar("held-out prompts", max(wish.items, len(profile.cells))) as advance:
        if given is None:
            matched = make_matched(profile, wish, count, advance)
        else:
            matched = match_own(profile, wish, given, count, advance)
    told = {
        "profile": {"name": path.name, "sha256": file_sha256(path)},
        "cells": cell_rows(matched),
        "notes": notes_of(profile, wish, matched, tokenizer, folder),
    }
    return matched.prompts, told
