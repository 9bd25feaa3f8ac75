"""`curate inspect --coverage`: which experts of a model a set reaches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def measure_coverage(
    folder: Path,
    manifest: Mapping[str, Any],
    samples: Sequence[Mapping[str, Any]],
    model: str | None,
    trust_remote_code: bool,
) -> dict[str, Any]:
    """Run a set through its model, or through ``model``, and count the tokens of every expert.

    Args:
        folder: the set.
        manifest: its manifest.
        samples: its samples, with ``input_ids``.
        model: what ``--model`` says.
        trust_remote_code: run the code of the model's folder. Asked for here alone: a set that others made must
            not be able to say so.

    Returns:
        ``model``, its name, and what `expert_coverage` gives.

    Raises:
        InputError: no such model, or it does not take the set's rows.
        RefusedError: another tokenizer than the model's made the set.
    """
    from curator._errors import RefusedError
    from curator.cli.progress import narrator
    from curator.models.locate import DEFAULT_MODEL, locate_model, model_name
    from curator.quantize.audit.coverage import expert_coverage
    from curator.report._tables import of
    from curator.tokens.tokenizer import Tokenizer

    name = model or of(manifest, "recipe", "model") or DEFAULT_MODEL
    located = locate_model(name)
    stored, found = of(manifest, "tokenizer", "ids_fingerprint"), Tokenizer(located).ids_fingerprint
    if stored is not None and stored != found:
        raise RefusedError(
            f"{folder}: its token ids are of another tokenizer ({str(stored)[:12]}) than that of {name} "
            f"({found[:12]}); give the set's model with --model"
        )
    rows = [sample["input_ids"] for sample in samples]
    with narrator().bar("run the set through the model", sum(map(len, rows))) as advance:
        covered = expert_coverage(located, rows, trust_remote_code=trust_remote_code, advance=advance)
    return {"model": model_name(name), **covered}
