"""What becomes of a run that fails: nothing half-written, and the reason told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from curator._errors import CurateError, DependencyError, InputError, RecipeError, RefusedError
from curator.quantize import run, worker
from curator.quantize.checkpoint import check_checkpoint
from curator.quantize.judge import judged
from curator.quantize.rows import row_digest
from curator.recipe.quantize_settings import QuantizeSettings

pytestmark = pytest.mark.model

ROWS = [[(7 * row + 3 * column * column) % 290 + 2 for column in range(24 + row)] for row in range(6)]


def job(method: str, out: Path) -> run.Job:
    return run.Job(QuantizeSettings.model_validate({"method": method}), ROWS, "hash", out)


def test_a_model_too_large_to_be_held_twice_is_loaded_again(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[Any] = []

    def load() -> Any:
        loaded.append(torch.nn.Linear(2, 2))
        return loaded[-1]

    for held_twice, loads in ((True, 1), (False, 3)):
        loaded.clear()
        monkeypatch.setattr(worker, "_takes_another", lambda _model, held=held_twice: held)
        given = list(worker._models(load, 3))
        assert len({id(model) for model in given}) == 3
        assert len(loaded) == loads


def test_a_job_that_fails_leaves_the_others(tiny_model: Path, tmp_path: Path) -> None:
    wrong = QuantizeSettings(method="max", ignore=["re:.*no_such"])
    jobs = [run.Job(wrong, ROWS[:1], "hash", tmp_path / "wrong"), job("max", tmp_path / "right")]
    with pytest.raises(InputError, match=r"'re:\.\*no_such'"):
        run.quantize_many(tiny_model, jobs)
    assert check_checkpoint(tmp_path / "right").linears == 14
    assert sorted(path.name for path in tmp_path.iterdir()) == ["right"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda digests: digests[1:], "1 of 2 rows never reached"),
        (lambda digests: [*digests, "other"], "0 of 2 rows never .* 1 other rows did"),
        (lambda digests: [digests[0], "other"], "1 of 2 rows never .* 1 other rows did"),
    ],
)
def test_other_rows_than_the_sets_are_refused(tmp_path: Path, change: Any, words: str) -> None:
    answer = {"digests": change([row_digest(row) for row in ROWS[:2]])}
    with pytest.raises(RefusedError, match=words):
        judged(tmp_path, QuantizeSettings(), ROWS[:2], answer)


@pytest.mark.parametrize("kind", [InputError, RefusedError, DependencyError, RecipeError])
def test_what_the_child_says_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[CurateError]
) -> None:
    def child(_model: Any, _jobs: Any, folders: Any, *_: Any) -> list[Any]:
        words = f"{folders[0] / 'checkpoint'}: 3 faults"
        return [worker.fault(RecipeError([words]) if kind is RecipeError else kind(words))]

    monkeypatch.setattr(run, "_run", child)
    with pytest.raises(InputError if kind is RecipeError else kind, match=rf"^{tmp_path}/out: 3 faults$"):
        run.quantize_model(tmp_path, job("gptq", tmp_path / "out"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("killed, most likely out of memory", "out of memory.*; it needs less memory with"),
        ("KeyError", r"KeyError\)$"),
    ],
)
def test_a_child_that_ends_leaves_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, words: str
) -> None:
    def child(_module: str, arguments: list[str], _log: Path, what: str) -> str:
        first = json.loads(Path(arguments[0]).read_text())["jobs"][0]
        Path(first["out"]).mkdir()
        Path(first["answer"]).write_text(json.dumps({"machine": {"devices": ["cpu"]}}))
        raise DependencyError(f"{what} failed ({reason})")

    monkeypatch.setattr(run, "run_module", child)
    with pytest.raises(DependencyError, match=words):
        run.quantize_many(tmp_path, [job("max", tmp_path / "one"), job("max", tmp_path / "two")])
    assert (tmp_path / "one" / run.RECEIPT).is_file()
    assert not (tmp_path / "two").exists()


def test_a_failing_child_leaves_what_was_there_and_keeps_its_log(tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "keep").write_text("old")
    # Rows that no set has: the child fails in a way that nobody foresaw.
    rows: Any = [{"a": 1}]
    with pytest.raises(DependencyError, match=r"quantising with max failed .*the whole log is .*out\.log"):
        run.quantize_model(tiny_model, run.Job(QuantizeSettings(method="max"), rows, "hash", tmp_path / "out"))
    assert (tmp_path / "out" / "keep").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.log"]
    assert "Traceback" in (tmp_path / "out.log").read_text()


COMMAND = """
import sys
from pathlib import Path
from curator.quantize.run import Job, quantize_model
from curator.quantize.judge import judged
from curator.quantize.rows import row_digest
from curator.recipe.quantize_settings import QuantizeSettings
rows = [[(i * j) % 290 for i in range(200)] for j in range(1, 400)]
quantize_model(Path(sys.argv[1]), Job(QuantizeSettings(), rows, "hash", Path(sys.argv[2])))
"""


def workers_of(parent: int) -> list[int]:
    """Processes that ``parent`` started, from /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def gone(process: int) -> bool:
    try:
        return (Path("/proc") / str(process) / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def wait_for(condition: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def running(tiny_model: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    parent = subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(tiny_model), str(tmp_path / "out")], stderr=subprocess.DEVNULL
    )
    try:
        assert wait_for(lambda: (tmp_path / "out.log").exists() and workers_of(parent.pid), 60)
        (worker,) = workers_of(parent.pid)
        # Past its first imports, so that it has asked the kernel to end with its parent.
        assert wait_for(lambda: (tmp_path / "out.log").stat().st_size > 0, 120)
        yield parent, worker
    finally:
        parent.kill()
        parent.wait()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs prctl and /proc")
def test_the_child_dies_with_a_killed_parent(running: tuple[subprocess.Popen[bytes], int]) -> None:
    parent, worker = running
    parent.kill()
    parent.wait()
    assert wait_for(lambda: gone(worker), 10)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_ctrl_c_ends_the_child_and_leaves_no_folder(
    running: tuple[subprocess.Popen[bytes], int], tmp_path: Path
) -> None:
    parent, worker = running
    os.kill(parent.pid, signal.SIGINT)
    assert parent.wait(20) == -signal.SIGINT
    assert wait_for(lambda: gone(worker), 5)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))
