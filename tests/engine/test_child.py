from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from curator._errors import DependencyError
from curator.engine.child import run_module

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs prctl")


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module file that a child can run by name."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path / "job_of_a_test.py"


def run(tmp_path: Path, *arguments: str) -> str:
    return run_module("job_of_a_test", list(arguments), tmp_path / "job.log", "the job")


def test_the_last_line_is_the_answer(module: Path, tmp_path: Path) -> None:
    module.write_text(
        "import os, sys\nprint('noise')\nprint('warned', file=sys.stderr)\n"
        "print(sys.argv[1], os.environ['PYTHONHASHSEED'])"
    )
    assert run(tmp_path, "given") == "given 0"
    assert (tmp_path / "job.log").read_text() == "warned\n"


def test_it_is_looked_at_while_it_runs(module: Path, tmp_path: Path) -> None:
    module.write_text(
        "import sys, time\nfrom pathlib import Path\n"
        "while not Path(sys.argv[1]).exists(): time.sleep(0.01)\nprint('end')"
    )
    seen = tmp_path / "seen"
    arguments = [str(seen)]
    assert run_module("job_of_a_test", arguments, tmp_path / "job.log", "the job", seen.touch) == "end"


def test_much_output_does_not_block(module: Path, tmp_path: Path) -> None:
    module.write_text("import sys\nsys.stderr.write('e' * 10**6)\nprint('o' * 10**6)\nprint('end')")
    assert run(tmp_path) == "end"


def test_no_output_is_an_empty_answer(module: Path, tmp_path: Path) -> None:
    module.write_text("")
    assert run(tmp_path) == ""


def test_a_failure_names_its_last_line_and_the_log(module: Path, tmp_path: Path) -> None:
    module.write_text("raise ValueError('no such layer')")
    with pytest.raises(DependencyError, match=r"the job failed \(ValueError: no such layer\); .*job\.log"):
        run(tmp_path)


def test_a_silent_failure_names_its_code(module: Path, tmp_path: Path) -> None:
    module.write_text("import os\nos._exit(7)")
    with pytest.raises(DependencyError, match="exit code 7"):
        run(tmp_path)


def test_a_killed_child_is_most_likely_out_of_memory(module: Path, tmp_path: Path) -> None:
    module.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)")
    with pytest.raises(DependencyError, match="out of memory"):
        run(tmp_path)


def test_a_child_that_a_signal_ended_names_it_and_not_what_it_wrote_before(module: Path, tmp_path: Path) -> None:
    module.write_text(
        "import os, signal, sys\nsys.stderr.write('a warning')\nsys.stderr.flush()\n"
        "os.kill(os.getpid(), signal.SIGTERM)"
    )
    with pytest.raises(DependencyError, match=r"the job failed \(ended by SIGTERM\)"):
        run(tmp_path)


PARENT = """
from pathlib import Path
from curator.engine.child import run_module
run_module("job_of_a_test", [{pid}], Path("job.log"), "the job")
"""
SLEEPER = """
import os, sys, time
from curator.engine.parent import die_with_parent
die_with_parent(os.getppid() if len(sys.argv) < 2 else int(sys.argv[1]))
open("ready.tmp", "w").write(str(os.getpid()))
os.rename("ready.tmp", "ready")
time.sleep(60)
"""


def start(module: Path, tmp_path: Path) -> tuple[subprocess.Popen[bytes], int]:
    """A parent that waits for a sleeping child; the child's process id."""
    module.write_text(SLEEPER)
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{Path.cwd()}"}
    script = textwrap.dedent(PARENT.format(pid=""))
    parent = subprocess.Popen(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, stderr=subprocess.DEVNULL
    )
    end = time.monotonic() + 30
    while not (tmp_path / "ready").exists():
        assert time.monotonic() < end
        time.sleep(0.02)
    return parent, int((tmp_path / "ready").read_text())


def ends(process: int, seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if (Path("/proc") / str(process) / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@LINUX
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_child_does_not_outlive_its_parent(module: Path, tmp_path: Path, how: signal.Signals) -> None:
    parent, child = start(module, tmp_path)
    parent.send_signal(how)
    parent.wait(20)
    assert ends(child)


@LINUX
def test_a_child_whose_parent_is_already_gone_ends_at_once(module: Path, tmp_path: Path) -> None:
    module.write_text(SLEEPER)
    with pytest.raises(DependencyError, match="failed"):
        # Not the number of its real parent.
        run(tmp_path, "1")
