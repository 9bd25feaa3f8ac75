"""All checks before a quantiser starts, cheapest first."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from curator._errors import DependencyError
from curator.engine.memory import memory_in_all
from curator.models.load import refuse_own_code
from curator.quantize.preflight.disk import DiskRoom, checkpoint_bytes
from curator.quantize.preflight.estimate import Parts, estimate
from curator.quantize.preflight.folder import check_folder
from curator.quantize.preflight.hybrid import short_rows_note
from curator.quantize.preflight.memory import out_of_memory_words
from curator.quantize.preflight.skeleton import check_rows, skeleton
from curator.quantize.preflight.stored import check_stored
from curator.quantize.preflight.widths import check_widths, formats
from curator.recipe.quantize_settings import QuantizeSettings


def check_model(
    model: Path,
    rows: Sequence[Sequence[int]],
    settings: QuantizeSettings,
    out: Path,
    devices: Sequence[str] = ("cpu",),
    trust_remote_code: bool = False,
    room: DiskRoom | None = None,
) -> list[str]:
    """Refuse what cannot end well: the model, the recipe for it, the disk or the memory.

    Args:
        model: folder of the model.
        rows: token ids of the set; empty for a method without data.
        settings: how it is to be quantised.
        out: where the checkpoint goes.
        devices: what it is quantised on.
        trust_remote_code: run the model folder's own code.
        room: of the disks, where other checkpoints are written too.

    Returns:
        What is doubtful, one line each.

    Raises:
        InputError: the model or the recipe cannot be used as it is.
        DependencyError: too little disk or memory; says what needs less.
    """
    config = check_folder(model)
    check_stored(model, config)
    refuse_own_code(model, trust_remote_code)
    notes = short_rows_note(config, max(map(len, rows))) if rows else []
    layout = skeleton(model, trust_remote_code)
    if isinstance(layout, str):
        return [*notes, f"widths, disk and memory are not checked: the model cannot be laid out ({layout})"]
    if rows:
        check_rows(layout, rows)
    notes += check_widths(layout, settings)
    given = formats(layout, settings)
    (room or DiskRoom()).take(out, checkpoint_bytes(layout, given))
    _check_memory(estimate(layout, given, settings, [len(row) for row in rows]), settings, devices)
    return notes


def _check_memory(parts: Parts, settings: QuantizeSettings, devices: Sequence[str]) -> None:
    """Refuse when the estimate is over what this process can have, or over what a GPU has."""
    on_gpu = [name for name in devices if name != "cpu"]
    needed, free = parts.host() if on_gpu else parts.total(), memory_in_all()
    if needed > free:
        raise DependencyError(
            f"quantising needs about {needed / 1e9:.1f} GB of memory ({parts.words()}), {free / 1e9:.1f} GB can "
            f"be had; {out_of_memory_words(settings)}"
        )
    room = _gpu_bytes(on_gpu) if on_gpu else None
    if room is not None and parts.gpu() > room:
        raise DependencyError(
            f"quantising needs about {parts.gpu() / 1e9:.1f} GB on each GPU, of {', '.join(on_gpu)} one has "
            f"{room / 1e9:.1f} GB; {out_of_memory_words(settings)}"
        )


def _gpu_bytes(names: Sequence[str]) -> int | None:
    """Memory of the smallest GPU; ``None`` when none is seen from here."""
    import torch

    count = torch.cuda.device_count()
    numbers = [int(name.partition(":")[2] or 0) for name in names]
    if max(numbers) >= count:
        # A child process that was shown these GPUs alone counts them from 0.
        numbers = list(range(min(count, len(names))))
    return min((int(torch.cuda.get_device_properties(number).total_memory) for number in numbers), default=None)
