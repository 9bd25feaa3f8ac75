"""Quantise a model with calibration sets: checkpoint folders, none of them half-written."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from curator import _errors
from curator._errors import CurateError, DependencyError
from curator._files import atomic_folder, open_to_others, read_json, refuse_at_work, write_json
from curator._outputs import Ours
from curator._progress import Advance, unseen
from curator.engine.child import run_module, run_python
from curator.engine.forks import kept
from curator.quantize.machine import device_environment
from curator.quantize.modelopt.environment import START, check_runs, modelopt_python
from curator.quantize.preflight.memory import out_of_memory_words
from curator.quantize.run_log import keep_log
from curator.recipe.quantize_settings import QuantizeSettings

RECEIPT = "curate.json"
_WORKER = "curator.quantize.worker"
# A model with code of its own keeps it in Python files.
_WRITTEN = ("*.safetensors", "*.json", "*.jinja", "*.model", "*.txt", "*.py", "recipe.yaml")
CHECKPOINT_FOLDER = Ours("a checkpoint of ours", RECEIPT, "tensors_sha256", _WRITTEN)
# What a method without data is fed: llm-compressor wants one row to make its observers; the scales it finds are
# discarded.
_NO_DATA_ROW = [[1, 2, 3, 4, 5, 6, 7, 8]]


@dataclass(frozen=True, slots=True)
class Job:
    """One checkpoint to make.

    Attributes:
        settings: method and options.
        rows: token ids of the set; empty for a method without data.
        set_hash: recorded in the receipt; empty without a set.
        out: checkpoint folder; takes its name only when whole and checked.
        tokenizer: fingerprint of the tokenizer that made the rows, to be the model's; empty when it is.
    """

    settings: QuantizeSettings
    rows: list[list[int]]
    set_hash: str
    out: Path
    tokenizer: str = ""

    @property
    def steps(self) -> int | None:
        """Units of a progress bar: per cents where the quantiser tells them, else ``None``."""
        return 100 if self.settings.needs_set and self.settings.about.library == "llm-compressor" else None

    @property
    def fed(self) -> list[list[int]]:
        """The rows that the model is run on."""
        return self.rows if self.settings.needs_set else _NO_DATA_ROW


@contextmanager
def kept_quantiser(devices: tuple[str, ...]) -> Iterator[Callable[[], None]]:
    """Within it every job is a fork of one process: imports, longer than the work on a small model, are made once.

    On a GPU each stays a process of its own: what has spoken to a GPU cannot be forked.

    Yields:
        Begins those imports; they are made when the first job needs them where it is not called.
    """
    if devices != ("cpu",):
        yield lambda: None
        return
    with kept(_WORKER, device_environment(devices)) as server:
        yield server.start


def quantize_model(
    model: Path,
    job: Job,
    *,
    devices: tuple[str, ...] = ("cpu",),
    trust_remote_code: bool = False,
    advance: Advance = unseen,
) -> dict[str, Any]:
    """Make one NVFP4 checkpoint; see `quantize_many`."""
    return quantize_many(model, [job], devices=devices, trust_remote_code=trust_remote_code, advance=advance)[0]


def quantize_many(
    model: Path,
    jobs: Sequence[Job],
    *,
    devices: tuple[str, ...] = ("cpu",),
    trust_remote_code: bool = False,
    advance: Advance = unseen,
) -> list[dict[str, Any]]:
    """Make several NVFP4 checkpoints of one model, which is loaded once when memory takes a copy of it.

    Each is, bit for bit, what a run of its own gives: every job works on a fresh copy.

    Args:
        model: folder of the BF16 model.
        jobs: what to make of it, each in a folder of its own, all by methods of one library.
        devices: see `find_devices`.
        trust_remote_code: run Python code of the model's folder.
        advance: called with the per cents of the work that were done since the last call, where they are known:
            see `Job.steps`.

    Returns:
        The receipts, also written to ``curate.json`` of each folder.

    Raises:
        InputError: the model folder is not whole, or cannot be quantised like this; another process writes there.
        RefusedError: other tokens than the set's reached the model, an expert saw none, or a checkpoint fails its
            checks.
        DependencyError: the quantiser failed, or memory is short.
        KeyboardInterrupt: checkpoints that were made before are kept, and named.
        A fault of one job keeps its folder from being made, and is raised when the others are done.
    """
    started = time.monotonic()
    for job in jobs:
        if job.settings.about.library == "modelopt":
            check_runs(job.settings, devices)
    receipts, faults, made = [], [], []
    with ExitStack() as stack:
        owners = [stack.enter_context(ExitStack()) for _ in jobs]
        folders = [owner.enter_context(atomic_folder(job.out)) for owner, job in zip(owners, jobs, strict=True)]
        for job in jobs:
            refuse_at_work(job.out)
        answers, stopped = _run(model, jobs, folders, devices, trust_remote_code, advance)
        for job, owner, folder, answer in zip(jobs, owners, folders, answers, strict=True):
            if stopped and not answer:
                continue
            try:
                receipt = _receipt(job, folder, answer) | {"model": str(model)}
                receipts.append(receipt | {"seconds": round(time.monotonic() - started, 1)})
                _lay(folder, receipts[-1])
                owner.close()
                made.append(str(job.out))
            except CurateError as error:
                faults.append(error)
        if stopped:
            raise KeyboardInterrupt(f"made before: {', '.join(made)}" if made else "") from stopped
        if faults:
            raise faults[0]
    return receipts


def _run(
    model: Path,
    jobs: Sequence[Job],
    folders: Sequence[Path],
    devices: tuple[str, ...],
    trust: bool,
    advance: Advance,
) -> tuple[list[dict[str, Any]], KeyboardInterrupt | None]:
    """Have a child process do the jobs; returns its answers, empty where an interrupt came first, and that."""
    stopped = None
    with tempfile.TemporaryDirectory() as scratch:
        answers = [Path(scratch) / f"answer-{number}.json" for number in range(len(jobs))]
        progress = [Path(scratch) / f"progress-{number}.json" for number in range(len(jobs))]
        task, log = Path(scratch) / "task.json", Path(scratch) / "log"
        orders = [
            {
                "settings": job.settings.model_dump(mode="json"),
                "rows": job.fed,
                "tokenizer": job.tokenizer,
                "out": str(folder / "checkpoint"),
                "progress": str(share),
                "answer": str(answer),
            }
            for job, folder, share, answer in zip(jobs, folders, progress, answers, strict=True)
        ]
        write_json(task, {"model": str(model), "trust_remote_code": trust, **_place(devices), "jobs": orders})
        failed: dict[str, Any] = {}
        try:
            _child(jobs[0].settings, task, log, _Watch(progress, advance))
        except KeyboardInterrupt as error:
            stopped = error
        except DependencyError as error:
            # What was done before is whole; a process that the kernel ends says nothing itself.
            words = str(error).replace(str(log), str(keep_log(log, jobs[0].out)))
            words += f"; {out_of_memory_words(jobs[0].settings)}" if "out of memory" in words else ""
            failed = {"fault": {"kind": "DependencyError", "words": words}}
        return [read_json(answer) if answer.is_file() else failed for answer in answers], stopped


def _place(devices: tuple[str, ...]) -> dict[str, Any]:
    """Where the child works."""
    return {
        # As the child sees them: it is shown these alone.
        "devices": [name if name == "cpu" else f"cuda:{at}" for at, name in enumerate(devices)],
        "environment": device_environment(devices),
        "parent": os.getpid(),
    }


class _Watch:
    """Reads how far the jobs are and tells what is new."""

    def __init__(self, files: Sequence[Path], advance: Advance) -> None:
        self._files, self._advance, self._told = files, advance, 0

    def __call__(self) -> None:
        shares = [read_json(file) for file in self._files if file.is_file()]
        done = int(100 * sum(shares) / len(self._files))
        if done > self._told:
            self._advance(done - self._told)
            self._told = done


def _child(settings: QuantizeSettings, task: Path, log: Path, look: Callable[[], None]) -> None:
    """Run the worker to its end, in the environment of the library that quantises."""
    what = f"quantising with {settings.method}"
    if settings.about.library == "modelopt":
        run_python(modelopt_python(), ["-P", str(START), str(task)], log, what, look)
    else:
        run_module(_WORKER, [str(task)], log, what, look)


def _receipt(job: Job, folder: Path, answer: Mapping[str, Any]) -> dict[str, Any]:
    """What is told of a checkpoint.

    Raises:
        CurateError: the job failed, in the child's words.
    """
    if "fault" in answer:
        kind: type[CurateError] = getattr(_errors, answer["fault"]["kind"])
        # The folder has its own name only when all is well.
        raise kind(answer["fault"]["words"].replace(str(folder / "checkpoint"), str(job.out)))
    return {
        "method": job.settings.method,
        "settings": job.settings.used(),
        "set_hash": job.set_hash,
        **answer,
        # Sums on a GPU may be made in another order each time.
        "repeatable": answer["machine"]["devices"] == ["cpu"],
    }


def _lay(folder: Path, receipt: Mapping[str, Any]) -> None:
    """Lay a checkpoint, which libraries write into a folder of its own, where it goes, with its receipt."""
    checkpoint = folder / "checkpoint"
    for file in sorted(checkpoint.iterdir()):
        # safetensors makes files that only the user may read: a server may be another.
        open_to_others(file)
        file.rename(folder / file.name)
    checkpoint.rmdir()
    write_json(folder / RECEIPT, receipt)
