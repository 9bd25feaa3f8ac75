"""Which GPUs and which interpreter a server would get."""

from __future__ import annotations

import sys
from pathlib import Path

import launching
import pytest

from curator._errors import DependencyError, InputError
from curator.serve.launch import interpreter
from curator.serve.launch.interpreter import installed_in, server_python
from curator.serve.launch.launcher import Launcher
from curator.serve.launch.machine import GPU, find_gpus, visible, what_runs

LISTED = """\
0, GPU-aaaa1111, NVIDIA H200, 9.0
1, GPU-bbbb2222, NVIDIA RTX PRO 6000 Blackwell, 12.0
2, GPU-cccc3333, NVIDIA B200, 10.0
"""
H200, PRO, B200 = (
    GPU("NVIDIA H200", (9, 0)),
    GPU("NVIDIA RTX PRO 6000 Blackwell", (12, 0)),
    GPU("NVIDIA B200", (10, 0)),
)


@pytest.mark.parametrize(
    ("only", "found"),
    [
        (None, (H200, PRO, B200)),
        ("", ()),
        ("-1", ()),
        ("2,0", (B200, H200)),
        ("GPU-bbbb", (PRO,)),
        # As CUDA does: nothing after the first that is not there.
        ("1,7,0", (PRO,)),
    ],
)
def test_visible_gpus_come_in_the_order_asked(only: str | None, found: tuple[GPU, ...]) -> None:
    assert visible(LISTED, only) == found
    assert [gpu.native_fp4 for gpu in (H200, PRO, B200)] == [False, True, True]


def test_the_driver_is_asked_and_one_that_fails_means_none(tmp_path: Path) -> None:
    assert find_gpus({"PATH": str(tmp_path)}) == ()
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{LISTED}END\n")
    program.chmod(0o755)
    assert find_gpus({"PATH": str(tmp_path), "CUDA_VISIBLE_DEVICES": "2"}) == (B200,)
    program.write_text("#!/bin/sh\necho no devices were found\nexit 6\n")
    assert find_gpus({"PATH": str(tmp_path)}) == ()


def test_what_runs_names_the_schemes_and_what_is_missing() -> None:
    assert what_runs((), "") == ("BF16 models, and checkpoints as dequantised twins (W4A16), on the CPU", "")
    assert what_runs((H200,), "")[1] == "its torch is a CPU build: install one for CUDA to use NVIDIA H200"
    assert "W4A16: no FP4 tensor cores), on NVIDIA H200 (SM90)" in what_runs((H200,), "13.0")[0]
    assert "W4A4 and W4A16 checkpoints, on NVIDIA RTX PRO 6000 Blackwell (SM120)" in what_runs((PRO,), "13.0")[0]


def test_the_interpreter_named_first_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = launching.fake_python(tmp_path)
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "bin" / "python").symlink_to(python)
    named = {"CURATE_SERVER_PYTHON": str(python), "CURATE_SGLANG_ENV": str(tmp_path / "env")}
    assert server_python(tmp_path / "env", named) == tmp_path / "env" / "bin" / "python"
    assert server_python(None, named) == python
    # A link is not followed: it is what makes the packages of its environment found.
    assert server_python(None, {"CURATE_SGLANG_ENV": str(tmp_path / "env")}).parent == tmp_path / "env" / "bin"
    with pytest.raises(InputError, match=r"--server-python .*/nowhere: no Python there"):
        server_python(tmp_path / "nowhere", named)
    monkeypatch.setattr(interpreter, "_DEFAULT", tmp_path / "none")
    with pytest.raises(DependencyError, match="no Python with SGLang; scripts/sglang-cpu setup"):
        server_python(None, {})


def test_an_interpreter_is_asked_what_it_has(tmp_path: Path) -> None:
    assert installed_in(launching.fake_python(tmp_path)).sglang == "0.5.23"
    with pytest.raises(DependencyError, match="has no SGLang; scripts/sglang-cpu setup makes"):
        installed_in(Path(sys.executable))
    broken = tmp_path / "broken"
    broken.write_text("#!/bin/sh\necho Segmentation fault >&2\nexit 139\n")
    broken.chmod(0o755)
    with pytest.raises(DependencyError, match=r"no usable Python \(Segmentation fault\)"):
        installed_in(broken)


def test_a_cpu_is_used_without_a_gpu_without_cuda_and_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = launching.fake_python(tmp_path)
    monkeypatch.setattr("curator.serve.launch.launcher.find_gpus", lambda: (H200,))
    assert Launcher(python).find()[1] is None
    text = python.read_text().replace('"cuda": ""', '"cuda": "13.0"')
    python.write_text(text)
    assert Launcher(python).find()[1] == H200
    assert Launcher(python, ("--device cpu",)).find()[1] is None
