"""The child process that quantises: ``python -m curator.quantize.worker TASK.json``.

A process of its own, because llm-compressor patches modules and leaks, and ModelOpt needs another environment; all
that needs torch is done here, so that the parent need not load it too. The task holds ``model``,
``trust_remote_code``, ``devices``, ``environment``, ``parent`` and ``jobs``, each with ``settings``, ``rows``,
``out`` and ``answer``: the file that takes what the receipt says, or a ``fault`` with the ``kind`` of error and
its ``words``.
"""

from __future__ import annotations

import copy
import gc
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from curator._errors import CurateError, DependencyError, InputError, RefusedError
from curator._files import read_json, write_json
from curator.engine.parent import die_with_parent
from curator.recipe.quantize_settings import QuantizeSettings


def main() -> None:
    """Run the jobs of a task, one after another."""
    task = read_json(Path(sys.argv[1]))
    die_with_parent(task["parent"])
    # Before torch is imported, which looks for devices once.
    os.environ.update(task["environment"])
    ready = [(job, notes) for job in task["jobs"] if (notes := _told(job, _checked, task)) is not None]
    try:
        _quantize(task, ready)
    except CurateError as error:
        for job, _ in ready:
            _answer(job, fault(error))


def _checked(task: Mapping[str, Any], job: Mapping[str, Any]) -> list[str]:
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
    )


def _check_tokenizer(model: Path, made_by: str) -> None:
    """Refuse a set whose ids another tokenizer made: the same numbers would be other text."""
    from curator.tokens.tokenizer import Tokenizer

    # The template may be the recipe's own: what an id means does not depend on it.
    found = Tokenizer(model).ids_fingerprint if made_by else ""
    if made_by != found:
        raise RefusedError(
            f"the set's token ids are of another tokenizer ({made_by[:12]}) than that of {model} ({found[:12]}); "
            "build the set for this model (curate build --model)"
        )


def _quantize(task: Mapping[str, Any], ready: list[tuple[Mapping[str, Any], list[str]]]) -> None:
    if not ready:
        return
    from transformers import AutoTokenizer

    from curator.models.load import load_model

    folder, trust = Path(task["model"]), bool(task["trust_remote_code"])
    tokenizer = AutoTokenizer.from_pretrained(folder, trust_remote_code=trust)
    models = _models(lambda: load_model(folder, "bfloat16", trust_remote_code=trust), len(ready))
    for (job, notes), model in zip(ready, models, strict=True):
        made = _told(job, _made, model, tokenizer, trust)
        if made is not None:
            _answer(job, {**made, "warnings": [*notes, *made["warnings"]]})
        del model
        gc.collect()


def _models(load: Callable[[], Any], count: int) -> Iterator[Any]:
    """A fresh model for each job: copies of one that is kept, when memory takes two, else loaded again.

    llm-compressor leaves schemes, hooks and changed weights in a model: none is used twice.
    """
    kept = load()
    for _ in range(count - 1):
        if kept is not None and _takes_another(kept):
            yield copy.deepcopy(kept)
        else:
            given, kept = kept if kept is not None else load(), None
            yield given
            # Two would be in memory while the next is loaded.
            del given
    yield kept if kept is not None else load()


def _takes_another(model: Any) -> bool:
    """Whether memory takes a copy of a model, with half as much again for the work on it."""
    from curator.quantize.preflight.memory import available_memory

    size = sum(tensor.nbytes for tensor in (*model.parameters(), *model.buffers()))
    return bool(available_memory() > 1.5 * size)


def _made(model: Any, tokenizer: Any, trust: bool, job: Mapping[str, Any]) -> dict[str, Any]:
    """One checkpoint, checked; returns what its receipt says of it."""
    from curator.quantize.audit.watch import refusal_in
    from curator.quantize.judge import judged
    from curator.quantize.machine import machine_facts
    from curator.quantize.preflight.memory import is_out_of_memory, out_of_memory_words

    settings, out = QuantizeSettings.model_validate(job["settings"]), Path(job["out"])
    try:
        answer = _by_its_library(model, tokenizer, settings, job["rows"], out, trust)
    except (RefusedError, RuntimeError, MemoryError) as error:
        # The library may have wrapped what we raised inside the model's forward pass.
        refused = refusal_in(error)
        if refused is not None:
            raise refused from error
        if is_out_of_memory(error):
            first = (str(error) or "out of memory").split("\n", 1)[0][:200]
            raise DependencyError(f"{first}; {out_of_memory_words(settings)}") from error
        raise
    return {
        **judged(out, settings, job["rows"], answer),
        "pipeline": answer["pipeline"],
        "seed": answer["seed"],
        "machine": machine_facts(),
    }


def _by_its_library(
    model: Any, tokenizer: Any, settings: QuantizeSettings, rows: list[list[int]], out: Path, trust: bool
) -> dict[str, Any]:
    if settings.about.library == "modelopt":
        from curator.quantize.modelopt import quantize as modelopt

        return modelopt.quantize(model, tokenizer, settings, rows, out)
    from curator.quantize.llm_compressor.quantize import quantize

    return quantize(model, tokenizer, settings, rows, out, remote_code=trust)


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
