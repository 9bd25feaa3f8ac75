"""The lock of the scripts' environments: exact versions, without a trace of where they came from."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[2]
LOCKS = ("constraints.txt", "constraints-sglang.txt")
# Made of this repository, or installed apart (see environment.sh).
OWN = {"curate-nvfp4"}


def pins(name: str) -> dict[str, Version]:
    lines = (ROOT / "scripts" / name).read_text().splitlines()
    assert re.fullmatch(r"# Written by scripts/lock\. Python 3\.\d+\.\d+\.", lines[0])
    found = [re.fullmatch(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([A-Za-z0-9.!_-]+)", line) for line in lines[1:]]
    assert all(found), "only NAME==VERSION: no address, no path, no label of a build"
    made = {canonicalize_name(one[1]): Version(one[2]) for one in found if one}
    assert len(made) == len(lines) - 1
    return made


def requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    listed = [*project["dependencies"], *(line for extra in extras.values() for line in extra)]
    return [Requirement(line) for line in listed]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_versions_and_nothing_else(name: str) -> None:
    assert len(pins(name)) > 50


def test_every_dependency_has_a_lower_and_an_upper_bound() -> None:
    for needed in requirements():
        kinds = {one.operator for one in needed.specifier}
        exact = "==" in kinds
        assert exact or (kinds & {">=", ">"} and kinds & {"<", "<=", "~="}), f"{needed}: a bound is missing"


def test_what_was_tested_lies_within_the_bounds() -> None:
    locked = pins("constraints.txt")
    for needed in requirements():
        version = locked.get(canonicalize_name(needed.name))
        assert version is None or needed.specifier.contains(version, prereleases=True), (
            f"{needed}: {version} locked"
        )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    missing = {canonicalize_name(Requirement(line).name) for line in project["dependencies"]} - set(locked)
    assert not missing, f"scripts/lock main: {missing} are not in it"


def test_the_lock_agrees_with_the_pins_of_the_scripts() -> None:
    server = pins("constraints-sglang.txt")
    for name in ("requirements.txt", "requirements-nodeps.txt"):
        for line in (ROOT / "scripts" / "sglang_cpu" / name).read_text().splitlines():
            if line and not line.startswith("#"):
                needed = Requirement(line)
                version = server[canonicalize_name(needed.name)]
                assert needed.specifier.contains(version, prereleases=True), f"{line}: {version} locked"
    torch = re.search(r'cpu_torch="torch==([0-9.]+)"', (ROOT / "scripts" / "environment.sh").read_text())
    assert torch and Version(torch[1]) == pins("constraints.txt")["torch"]


def in_shell(text: str, tmp_path: Path, **settings: str) -> str:
    """A piece of shell with the functions of environment.sh, without a GPU unless a pretended one is there."""
    done = subprocess.run(
        ["bash", "-c", f"set -euo pipefail; source {ROOT}/scripts/environment.sh; venv={tmp_path}; {text}"],
        capture_output=True,
        text=True,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin", **settings},
        check=True,
    )
    return done.stdout.strip()


def test_setups_are_held_to_the_lock_and_a_gpu_brings_its_own_torch(tmp_path: Path) -> None:
    lock = f"{ROOT}/scripts/constraints.txt"
    nvidia = tmp_path / "nvidia-smi"
    nvidia.write_text("#!/bin/sh\nexit 1\n")
    nvidia.chmod(0o755)
    assert in_shell('locked "$constraints"', tmp_path) == f"--constraint={lock}"
    assert in_shell('locked "$constraints"', tmp_path, CURATE_UNLOCKED="1") == ""
    nvidia.write_text("#!/bin/sh\nexit 0\n")
    assert in_shell('locked "$constraints"', tmp_path) == f"--constraint={tmp_path}/.constraints.txt"
    held = (tmp_path / ".constraints.txt").read_text()
    assert "\ntransformers==" in held and "\ntorch==" not in held


def test_scripts_are_shell() -> None:
    for name in ("lock", "check", "test", "environment.sh", "sglang-cpu"):
        subprocess.run(["bash", "-n", ROOT / "scripts" / name], check=True)


def check_audit(tmp_path: Path, output: str, status: int, **settings: str) -> subprocess.CompletedProcess[str]:
    """`scripts/check --audit` in a copy of the repository's scripts, with a pip-audit that says ``output``."""
    scripts = tmp_path / "scripts"
    scripts.mkdir()
    for name in ("check", "environment.sh", *LOCKS):
        (scripts / name).write_bytes((ROOT / "scripts" / name).read_bytes())
    (scripts / "check").chmod(0o755)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    (tmp_path / "said").write_text(output)
    python.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\ncat {tmp_path}/said\nexit {status}\n')
    python.chmod(0o755)
    environment = {"PATH": "/usr/bin:/bin", **settings}
    return subprocess.run([scripts / "check", "--audit"], capture_output=True, text=True, env=environment)


def test_the_audit_tells_faults_from_a_network_that_is_not_there(tmp_path: Path) -> None:
    for place, (output, status, settings, code, told) in enumerate(
        [
            ("No known vulnerabilities found\n", 0, {}, 0, "No known vulnerabilities found"),
            ("Found 1 known vulnerability in 1 package\nName Version ID\nx 1 CVE-1\n", 1, {}, 1, "CVE-1"),
            ("requests.exceptions.ConnectionError: no route\n", 1, {}, 0, "not audited: the advisory service"),
            ("ConnectionError: no route\n", 1, {"CURATE_REQUIRE_AUDIT": "1"}, 1, "not audited"),
            ("Traceback: something else\n", 1, {}, 1, "something else"),
        ]
    ):
        folder = tmp_path / str(place)
        folder.mkdir()
        done = check_audit(folder, output, status, **settings)
        assert (done.returncode, told in done.stderr) == (code, True), done.stderr
        assert "-m pip_audit --requirement scripts/constraints.txt --no-deps" in (folder / "asked").read_text()
