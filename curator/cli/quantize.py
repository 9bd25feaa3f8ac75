"""`curate quantize`: an NVFP4 checkpoint from a model and a calibration set."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from curator.cli.apart import refuse_overlap
from curator.cli.options import ModelOption, OutOption, TrustOption
from curator.cli.output import JsonFlag, console, next_step, print_json
from curator.cli.progress import narrator
from curator.cli.recipe_options import SetOption, known_method
from curator.models.locate import DEFAULT_MODEL
from curator.recipe.quantize_methods import Scheme

if TYPE_CHECKING:
    from curator.adapters.stored_set import StoredSet
    from curator.recipe.quantize_settings import QuantizeSettings


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command(epilog="Example: curate quantize sets/coherent-mix --out checkpoints/coherent-mix")(quantize)


def quantize(
    out: OutOption,
    calibration_set: Annotated[
        Path | None,
        typer.Argument(metavar="[SET]", help="Set folder; none for a method without data.", show_default=False),
    ] = None,
    model: ModelOption = DEFAULT_MODEL,
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            help="How the weights are rounded (curate ls methods); the set's recipe says, else gptq.",
        ),
    ] = None,
    scheme: Annotated[
        Scheme | None,
        typer.Option("--scheme", help="W4A4, or W4A16 for weights alone; the set's recipe says, else W4A4."),
    ] = None,
    device: Annotated[
        str, typer.Option("--device", help="auto, cpu, cuda, or GPUs by number such as cuda:0,cuda:1.")
    ] = "auto",
    overrides: SetOption = None,
    trust_remote_code: TrustOption = False,
    twin: Annotated[
        Path | None,
        typer.Option("--twin", help="Also write the dequantised float32 twin, for servers without FP4."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Quantise every linear layer but the head to NVFP4, and check the checkpoint.

    Options beyond method and scheme are the quantize: keys of a recipe (`curate schema` explains them). The recipe
    that the set was built from gives them, and --set changes them, as in --set quantize.damping=0.1.
    """
    from curator._outputs import refuse_foreign
    from curator.models.locate import locate_model
    from curator.quantize.machine import find_devices
    from curator.quantize.run import CHECKPOINT_FOLDER, Job, quantize_model

    folder = locate_model(model, narrator())
    refuse_overlap({"--out": out, "--twin": twin}, {"SET": calibration_set, "--model": folder})
    refuse_foreign(out, CHECKPOINT_FOLDER)
    if twin:
        from curator.quantize.checkpoint import TWIN_FOLDER

        refuse_foreign(twin, TWIN_FOLDER)
    stored = _checked_set(calibration_set) if calibration_set else None
    settings = _asked(stored, calibration_set, method, scheme, overrides or [])
    _check_needs(settings, calibration_set)
    rows, set_hash = (stored.rows, str(stored.manifest["set_hash"])) if stored else ([], "")
    devices = find_devices(device)
    job = Job(settings, rows, set_hash, out, _made_by(stored))
    with narrator().bar(f"quantise with {settings.method}", job.steps) as advance:
        receipt = quantize_model(
            folder, job, devices=devices, trust_remote_code=trust_remote_code, advance=advance
        )
    if twin:
        from curator.quantize.checkpoint import write_twin

        receipt["warnings"] = [*receipt["warnings"], *write_twin(out, twin)]
    result = {**receipt, "out": str(out), "twin": str(twin) if twin else None}
    if json:
        print_json(result)
        return
    from curator.report.quantize_terminal import print_quantised

    print_quantised(result, console())
    # Only who has a baseline can score against it.
    scored = Path("baseline/baseline.json").is_file()
    next_step(f"curate {'score --baseline baseline --checkpoint' if scored else 'verify'} {out}")


def _checked_set(folder: Path) -> StoredSet:
    """A set, with a manifest in which all is of the type that it must be."""
    from curator.adapters.stored_set import read_set
    from curator.cli.set_manifest import check_manifest

    stored = read_set(folder)
    check_manifest(folder, stored.manifest)
    return stored


def _asked(
    stored: StoredSet | None,
    folder: Path | None,
    method: str | None,
    scheme: Scheme | None,
    overrides: list[str],
) -> QuantizeSettings:
    """The set's recipe, changed by the options."""
    from curator.recipe.quantize_overrides import quantize_settings

    known = None if method is None else known_method(method)
    typed = [f"quantize.{name}={value}" for name, value in (("method", known), ("scheme", scheme)) if value]
    # A set of random tokens has no recipe.
    recipe = stored.manifest.get("recipe", {}) if stored else {}
    return quantize_settings(recipe, f"{folder}/manifest.json", [*overrides, *typed])


def _made_by(stored: StoredSet | None) -> str:
    """The fingerprint of the tokenizer that made a set's ids; empty when it is not known."""
    facts = stored.manifest.get("tokenizer", {}) if stored else {}
    return str(facts.get("ids_fingerprint") or "")


def _check_needs(settings: QuantizeSettings, folder: Path | None) -> None:
    """Refuse a method that reads a set without one, and one that does not with one."""
    from curator._errors import InputError

    if settings.needs_set and folder is None:
        raise InputError(
            f"method {settings.method} needs a calibration set; `curate build RECIPE --out SET` makes one"
        )
    if not settings.needs_set and folder is not None:
        raise InputError(f"method {settings.method} ({settings.scheme}) uses no data; leave {folder} out")
