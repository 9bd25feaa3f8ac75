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
    from curator.cli.progress import narrator
    from curator.cli.set_tokenizer import set_tokenizer
    from curator.models.locate import locate_model, model_name
    from curator.quantize.audit.coverage import expert_coverage

    name, located, _ = set_tokenizer(folder, manifest, model, locate_model)
    rows = [sample["input_ids"] for sample in samples]
    with narrator().bar("run the set through the model", sum(map(len, rows))) as advance:
        covered = expert_coverage(located, rows, trust_remote_code=trust_remote_code, advance=advance)
    return {"model": model_name(name), **covered}
