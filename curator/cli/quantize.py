"""`curate quantize`: an NVFP4 checkpoint from a model and a calibration set."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from curator.cli.options import ModelOption, OutOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.models.locate import DEFAULT_MODEL
from curator.quantize.methods import METHODS, MethodName


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate quantize sets/coherent-mix --method gptq --out checkpoints/coherent-mix")(
        quantize
    )


def quantize(
    out: OutOption,
    calibration_set: Annotated[
        Path | None, typer.Argument(metavar="[SET]", help="Set folder; none for --method rtn.", show_default=False)
    ] = None,
    model: ModelOption = DEFAULT_MODEL,
    method: Annotated[MethodName, typer.Option("--method", help="How the weights are rounded.")] = "gptq",
    twin: Annotated[
        Path | None,
        typer.Option("--twin", help="Also write the dequantised float32 twin, for servers without FP4."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Quantise every linear layer but the head to NVFP4 (W4A4) by llm-compressor, and check the checkpoint."""
    from curator._errors import InputError
    from curator._outputs import refuse_foreign
    from curator.adapters.stored_set import read_set
    from curator.models.locate import locate_model
    from curator.quantize.run import CHECKPOINT_FOLDER, quantize_model
    from curator.quantize.twin import TWIN_FOLDER, write_twin

    needs = METHODS[method].needs_set
    if needs and calibration_set is None:
        raise InputError(f"--method {method} needs a calibration set; `curate build RECIPE --out SET` makes one")
    if not needs and calibration_set is not None:
        raise InputError(f"--method {method} uses no data; leave {calibration_set} out")
    folder = locate_model(model)
    _check_apart({"--out": out, "--twin": twin, "SET": calibration_set, "--model": folder})
    refuse_foreign(out, CHECKPOINT_FOLDER)
    if twin:
        refuse_foreign(twin, TWIN_FOLDER)
    stored = read_set(calibration_set) if calibration_set else None
    rows, set_hash = (stored.rows, str(stored.manifest["set_hash"])) if stored else ([], "")
    _check_ids(folder, rows, calibration_set)
    if stored:
        _check_tokenizer(folder, stored.manifest, calibration_set)
    with narrator().bar(f"quantise with {method}", None):
        receipt = quantize_model(folder, method, rows, set_hash, out)
    if twin:
        write_twin(out, twin)
    result = {**receipt, "out": str(out), "twin": str(twin) if twin else None}
    if json:
        print_json(result)
        return
    console().print(f"{out}: {receipt['linears']} NVFP4 layers in {receipt['seconds']} s", markup=False)
    for warning in receipt["warnings"]:
        console().print(f"warning: {warning}", markup=False)
    next_step(f"curate score --baseline baseline --checkpoint {out}")


def _check_apart(folders: dict[str, Path | None]) -> None:
    """Refuse an output folder that is, or contains, another folder of this command."""
    from curator._errors import InputError

    resolved = {name: path.resolve() for name, path in folders.items() if path is not None}
    for name in ("--out", "--twin"):
        for other, path in resolved.items():
            mine = resolved.get(name)
            if mine and other != name and path.is_relative_to(mine):
                raise InputError(f"{name} is or contains {other}, which writing it would remove; keep them apart")


def _check_ids(model: Path, rows: list[list[int]], folder: Path | None) -> None:
    """Refuse ids that the model does not have, before the quantiser indexes its embedding with them."""
    from curator._errors import InputError
    from curator._files import read_json

    config = read_json(model / "config.json")
    size = config.get("vocab_size") or (config.get("text_config") or {}).get("vocab_size")
    largest = max((max(row) for row in rows), default=0)
    if size and largest >= size:
        raise InputError(
            f"{folder}: token id {largest} is not in the model's vocabulary of {size}; build for this model"
        )


def _check_tokenizer(model: Path, manifest: dict[str, Any], folder: Path | None) -> None:
    """Refuse a set whose ids another tokenizer made: the same numbers would be other text."""
    from curator._errors import RefusedError
    from curator.tokens.tokenizer import Tokenizer

    # The template may be the recipe's own: what an id means does not depend on it.
    made_by = (manifest.get("tokenizer") or {}).get("ids_fingerprint")
    found = Tokenizer(model).ids_fingerprint
    if made_by and made_by != found:
        raise RefusedError(
            f"{folder}: its token ids are of another tokenizer ({str(made_by)[:12]}) than that of {model} "
            f"({found[:12]}); build the set for this model (curate build --model)"
        )
