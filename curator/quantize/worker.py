"""The child process that quantises: ``python -m curator.quantize.worker TASK.json``.

A process of its own, because llm-compressor patches modules and leaks, and ModelOpt needs another environment; all
that needs torch is done here, so that the parent need not load it too. The task holds ``model``,
``trust_remote_code``, ``devices``, ``environment``, ``parent`` and ``jobs``, each with ``settings``, ``rows``,
``out``, ``progress``: the file that takes the share of the job that is done, and ``answer``: the one that takes
what the receipt says, or a ``fault`` with the ``kind`` of error and its ``words``.
"""

from __future__ import annotations

import copy
import functools
import gc
import importlib
import os
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from curator._errors import CurateError, DependencyError, InputError, RefusedError, first_line
from curator._files import read_json, write_json
from curator.engine.parent import die_with_parent
from curator.quantize.preflight.disk import DiskRoom
from curator.recipe.quantize_settings import QuantizeSettings

_TELL_SECONDS = 0.5
# What a job of llm-compressor imports on its way.
_IMPORTED = (
    "accelerate",
    "transformers.models.auto.modeling_auto",
    "curator.models.load",
    "curator.quantize.judge",
    "curator.quantize.kv_headroom",
    "curator.quantize.llm_compressor.quantize",
    "curator.quantize.preflight.check",
    "curator.tokens.tokenizer",
)


def main() -> None:
    """Run the jobs of a task, one after another."""
    task = read_json(Path(sys.argv[1]))
    die_with_parent(task["parent"])
    _work(task)


def preload() -> None:
    """Import what a job needs, for `curator.engine.fork_server`. No thread is started that computes."""
    for name in _IMPORTED:
        importlib.import_module(name)


def forked() -> None:
    """As `main`, in a fork of a process that dies with the task's parent itself."""
    _work(read_json(Path(sys.argv[1])))


def _work(task: Mapping[str, Any]) -> None:
    # Before torch looks for devices, which it does once.
    os.environ.update(task["environment"])
    _quantize(task, _ready(task))


def _ready(task: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], list[str]]]:
    """The jobs that can start, with what is doubtful of each; the others are answered."""
    room = DiskRoom()
    told = [(job, _told(job, _checked, task, room)) for job in task["jobs"]]
    return [(job, notes) for job, notes in told if notes is not None]


def _checked(task: Mapping[str, Any], room: DiskRoom, job: Mapping[str, Any]) -> list[str]:
    """The checks before a start; returns what is doubtful."""
    _check_tokenizer(Path(task["model"]), job["tokenizer"])
    from curator.quantize.preflight.check import check_model

    return check_model(
        Path(task["model"]),
        job["rows"],
        QuantizeSettings.model_validate(job["settings"]),
        Path(job["out"]),
        task["devices"],
        task["trust_remote_code"],
        room,
    )


def _check_tokenizer(model: Path, made_by: str) -> None:
    """Refuse a set whose ids another tokenizer made: the same numbers would be other text."""
    # The template may be the recipe's own: what an id means does not depend on it.
    found = _ids_fingerprint(model) if made_by else ""
    if made_by != found:
        raise RefusedError(
            f"the set's token ids are of another tokenizer ({made_by[:12]}) than that of {model} ({found[:12]}); "
            "build the set for this model (curate build --model)"
        )


@functools.cache
def _ids_fingerprint(model: Path) -> str:
    from curator.tokens.tokenizer import Tokenizer

    return Tokenizer(model).ids_fingerprint


def _quantize(task: Mapping[str, Any], ready: list[tuple[Mapping[str, Any], list[str]]]) -> None:
    if not ready:
        return
    from curator.models.load import load_tokenizer

    folder, trust = Path(task["model"]), bool(task["trust_remote_code"])
    tokenizer = load_tokenizer(folder, trust)
    models = Models(lambda: _sound_model(folder, trust), len(ready))
    for number, (job, notes) in enumerate(ready):
        if number:
            # What the job before has left in circles.
            gc.collect()
        made = _told(job, _made, models, tokenizer, trust)
        if made is not None:
            _answer(job, {**made, "warnings": [*notes, *made["warnings"]]})


def _sound_model(folder: Path, trust: bool) -> Any:
    """The BF16 model, refused when a weight holds what no calibration can repair."""
    from curator.models.load import load_model
    from curator.quantize.finite import is_finite

    model = load_model(folder, "bfloat16", trust_remote_code=trust)
    broken = next((name for name, value in model.named_parameters() if not is_finite(value)), None)
    if broken is not None:
        raise InputError(f"model {folder}: weight {broken} holds NaN or infinity; fetch the model again")
    return model


class Models:
    """A fresh model for each job: copies of one that is kept, when memory takes two, else loaded again.

    llm-compressor leaves schemes, hooks and changed weights in a model: none is used twice.

    Args:
        load: loads it.
        count: jobs.
    """

    def __init__(self, load: Callable[[], Any], count: int) -> None:
        self._load = load
        self._left = count
        self._kept: Any = None

    def take(self) -> Any:
        """A model that nothing here refers to any more: it is gone as soon as its job lets go of it."""
        self._left -= 1
        kept, self._kept = self._load() if self._kept is None else self._kept, None
        if not self._left or not _takes_another(kept):
            return kept
        self._kept = kept
        return copy.deepcopy(kept)


def _takes_another(model: Any) -> bool:
    """Whether memory takes a copy of a model, with half as much again for the work on it."""
    from curator.engine.memory import available_memory

    size = sum(tensor.nbytes for tensor in (*model.parameters(), *model.buffers()))
    return bool(available_memory() > 1.5 * size)


def _made(models: Models, tokenizer: Any, trust: bool, job: Mapping[str, Any]) -> dict[str, Any]:
    """One checkpoint, checked; returns what its receipt says of it."""
    from curator.quantize.audit.watch import refusal_in
    from curator.quantize.judge import judged
    from curator.quantize.kv_headroom import KV_HEADROOM
    from curator.quantize.machine import machine_facts, peak_gpu_bytes
    from curator.quantize.preflight.memory import is_out_of_memory, out_of_memory_words

    settings, out = QuantizeSettings.model_validate(job["settings"]), Path(job["out"])
    try:
        model = models.take()
        answer = _by_its_library(model, tokenizer, settings, job, trust)
    except (RefusedError, RuntimeError, MemoryError) as error:
        # The library may have wrapped what we raised inside the model's forward pass.
        refused = refusal_in(error)
        if refused is not None:
            raise refused from error
        if is_out_of_memory(error):
            raise DependencyError(f"{first_line(error)}; {out_of_memory_words(settings)}") from error
        raise
    # The checks map the whole checkpoint: the model that it was made of would come on top.
    _empty(model)
    return {
        **judged(out, settings, job["rows"], answer),
        "pipeline": answer["pipeline"],
        "seed": answer["seed"],
        "machine": machine_facts(),
        "peak_gpu_bytes": peak_gpu_bytes(),
        **({"kv_headroom": KV_HEADROOM} if settings.kv_cache == "fp8" else {}),
    }


def _empty(model: Any) -> None:
    """Let go of a model's weights: llm-compressor's tracer leaves the model in the globals of its code."""
    for module in model.modules():
        # Past the library's own containers, which would load what they are to drop.
        module.__dict__["_parameters"], module.__dict__["_buffers"] = {}, {}


def _by_its_library(
    model: Any, tokenizer: Any, settings: QuantizeSettings, job: Mapping[str, Any], trust: bool
) -> dict[str, Any]:
    rows, out = job["rows"], Path(job["out"])
    if settings.about.library == "modelopt":
        from curator.quantize.modelopt import quantize as modelopt

        return modelopt.quantize(model, tokenizer, settings, rows, out)
    from curator.quantize.llm_compressor.quantize import quantize

    return quantize(model, tokenizer, settings, rows, out, remote_code=trust, tell=_teller(Path(job["progress"])))


def _teller(file: Path) -> Callable[[float], None]:
    """Writes the share of a job that is done, as often as the parent looks: each time waits for the disk."""
    last = -_TELL_SECONDS

    def tell(share: float) -> None:
        nonlocal last
        if time.monotonic() - last >= _TELL_SECONDS:
            last = time.monotonic()
            write_json(file, share)

    return tell


def _told(job: Mapping[str, Any], step: Callable[..., Any], *given: Any) -> Any:
    """What a step of a job returns; ``None`` when it fails, which becomes the job's answer."""
    try:
        return step(*given, job)
    except CurateError as error:
        _answer(job, fault(error))
        return None


def _answer(job: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
    write_json(Path(job["answer"]), answer)


def fault(error: CurateError) -> dict[str, Any]:
    """An error as an answer."""
    kind = next((kind for kind in (RefusedError, DependencyError) if isinstance(error, kind)), InputError)
    return {"fault": {"kind": kind.__name__, "words": str(error)}}


if __name__ == "__main__":
    main()
