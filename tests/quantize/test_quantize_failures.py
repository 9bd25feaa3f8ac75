"""What becomes of a run that fails: nothing half-written, and the reason told."""

from __future__ import annotations

import gc
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
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
        models = worker.Models(load, 3)
        given = [models.take() for _ in range(3)]
        assert len({id(model) for model in given}) == 3
        assert len(loaded) == loads
        # Nothing but its job holds a model, so that the checks of its checkpoint do without it.
        last = weakref.ref(given.pop())
        loaded.clear()
        gc.collect()
        assert last() is None


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
    def child(_model: Any, _jobs: Any, folders: Any, *_: Any) -> tuple[list[Any], None]:
        words = f"{folders[0] / 'checkpoint'}: 3 faults"
        return [worker.fault(RecipeError([words]) if kind is RecipeError else kind(words))], None

    monkeypatch.setattr(run, "_run", child)
    with pytest.raises(InputError if kind is RecipeError else kind, match=rf"^{tmp_path}/out: 3 faults$"):
        run.quantize_model(tmp_path, job("gptq", tmp_path / "out"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (
            DependencyError("failed (killed, most likely out of memory)"),
            "out of memory.*; it needs less memory with",
        ),
        (DependencyError("failed (KeyError)"), r"KeyError\)$"),
        (KeyboardInterrupt(), r"^made before: .*/one$"),
    ],
)
def test_a_child_that_ends_leaves_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: BaseException, words: str
) -> None:
    def child(_module: str, arguments: list[str], log: Path, *_: Any) -> str:
        log.write_text("why")
        first = json.loads(Path(arguments[0]).read_text())["jobs"][0]
        Path(first["out"]).mkdir()
        Path(first["answer"]).write_text(json.dumps({"machine": {"devices": ["cpu"]}}))
        raise reason

    monkeypatch.setattr(run, "run_module", child)
    with pytest.raises(type(reason), match=words):
        run.quantize_many(tmp_path, [job("max", tmp_path / "one"), job("max", tmp_path / "two")])
    assert (tmp_path / "one" / run.RECEIPT).is_file()
    logs = [] if isinstance(reason, KeyboardInterrupt) else ["one.log"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", *logs]


def test_a_job_that_the_disk_does_not_take_beside_the_others_is_refused_before_the_start(
    tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Each is below 1 MB and is given 64 MiB for its other files: two fit, three do not.
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=150 << 20))
    jobs = [
        {
            "settings": QuantizeSettings(method="max").model_dump(mode="json"),
            "rows": ROWS,
            "tokenizer": "",
            "out": str(tmp_path / name / "checkpoint"),
            "answer": str(tmp_path / f"{name}.json"),
        }
        for name in ("one", "two", "three")
    ]
    ready = worker._ready({"model": str(tiny_model), "devices": ["cpu"], "trust_remote_code": False, "jobs": jobs})
    assert [job["out"] for job, _ in ready] == [jobs[0]["out"], jobs[1]["out"]]
    words = json.loads((tmp_path / "three.json").read_text())["fault"]["words"]
    assert "needs about 0.1 GB beside 0.1 GB for those before it, 0.2 GB are free" in words


def test_a_folder_that_another_process_is_making_is_left_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def child(*_: Any) -> str:
        raise AssertionError("started")

    monkeypatch.setattr(run, "run_module", child)
    # The parent of this process lives as long as the test.
    other = tmp_path / f".curate.{os.getppid()}.out.x.tmp"
    other.mkdir()
    with pytest.raises(InputError, match=r"out: another process is writing it"):
        run.quantize_model(tmp_path, job("max", tmp_path / "out"))
    assert [path.name for path in tmp_path.iterdir()] == [other.name]


def test_a_failing_child_leaves_what_was_there_and_keeps_its_log(tiny_model: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "keep").write_text("old")
    (tmp_path / "out.log").write_text("a log of the user's")
    # Rows that no set has: the child fails in a way that nobody foresaw.
    rows: Any = [{"a": 1}]
    with pytest.raises(DependencyError, match=r"quantising with max failed .*the whole log is .*/out\.2\.log$"):
        run.quantize_model(tiny_model, run.Job(QuantizeSettings(method="max"), rows, "hash", tmp_path / "out"))
    assert (tmp_path / "out" / "keep").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.2.log", "out.log"]
    assert "Traceback" in (tmp_path / "out.2.log").read_text()
    assert (tmp_path / "out.log").read_text() == "a log of the user's"


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
    (tmp_path / "scratch").mkdir()
    parent = subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(tiny_model), str(tmp_path / "out")],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TMPDIR": str(tmp_path / "scratch")},
    )

    def log() -> int:
        return sum(file.stat().st_size for file in (tmp_path / "scratch").glob("*/log"))

    try:
        assert wait_for(lambda: workers_of(parent.pid), 60)
        (worker,) = workers_of(parent.pid)
        # Past its first imports, so that it has asked the kernel to end with its parent.
        assert wait_for(lambda: log() > 0, 120)
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
