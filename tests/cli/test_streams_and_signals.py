"""Narrow encodings, closed streams, full disks, signals: run as a user runs it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CURATE = str(Path(sys.executable).with_name("curate"))
ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
RECIPE = """\
name: odd
title: KL ‖ 模
size: {samples: 2, tokens: 32}
target: {tasks: {‖: 1}}
sources:
  - {files: rows.jsonl, task: ‖}
gates: {length: {min_chars: 10}}
continuity: {min: false}
"""


def shell(command: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """``command`` in bash, where $C is the installed command."""
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env={**os.environ, "C": CURATE, **environment},
        capture_output=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    rows = [f"Sentence number {number} tells of a boat, a bridge and a bell in the fog." for number in range(20)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    return tmp_path


@pytest.mark.parametrize("environment", [{"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}, ASCII])
def test_a_sign_that_the_encoding_lacks_is_escaped_and_json_stays_utf8(
    folder: Path, environment: dict[str, str]
) -> None:
    shown = shell("$C check r.yaml", folder, **environment)
    assert (shown.returncode, shown.stderr) == (0, b"")
    assert rb"\u2016" in shown.stdout
    listed = shell("$C check r.yaml --json", folder, **environment)
    assert json.loads(listed.stdout.decode("utf-8"))["recipes"][0]["sources"][0]["task"] == "‖"
    wrong = shell("$C check ‖.yaml", folder, **environment)
    assert wrong.returncode == 2
    assert b"no such file" in wrong.stderr


def test_a_name_that_is_not_utf8_comes_through_json(folder: Path) -> None:
    result = shell("cp r.yaml $'caf\\xe9.yaml'; $C check $'caf\\xe9.yaml' --json", folder)
    assert result.returncode == 0, result.stderr
    assert json.loads(result.stdout.decode("utf-8"))["recipes"][0]["recipe"] == "caf\udce9.yaml"


PRINTED = [
    "--version",
    "--help",
    "ls",
    "ls --json",
    "check r.yaml",
    "show r.yaml",
    "compare r.yaml r.yaml",
    "schema",
]
PRINTED += ["leaderboard --help", "check r.yaml --json", "compare r.yaml r.yaml --json"]


@pytest.mark.parametrize("command", PRINTED)
@pytest.mark.parametrize(("where", "why"), [(">&-", "closed"), ("> /dev/full", "No space left on device")])
def test_a_result_that_nothing_takes_is_a_failure_in_one_line(
    folder: Path, command: str, where: str, why: str
) -> None:
    result = shell(f"$C {command} {where}", folder)
    lost = "what was to be printed is lost, give it a file or a pipe that takes it"
    assert (result.returncode, result.stderr.decode()) == (4, f"curate: standard output: {why}; {lost}\n")


@pytest.mark.parametrize("command", ["ls <&- >&- 2>&-", "check r.yaml >&- 2>&-"])
def test_without_any_stream_the_exit_code_tells(folder: Path, command: str) -> None:
    result = shell(f"$C {command}", folder)
    assert (result.returncode, result.stderr) == (4, b"")


def test_a_closed_output_is_no_fault_of_a_verb_that_prints_nothing_on_it(folder: Path) -> None:
    result = shell("$C check absent.yaml >&-; $C ls <&- 2>&-", folder)
    assert result.returncode == 0
    assert b"coherent-mix" in result.stdout
    assert result.stderr.count(b"\n") == 1 and b"absent.yaml" in result.stderr


def test_a_reader_of_json_that_goes_away_is_no_error(folder: Path) -> None:
    result = shell("$C ls --json | true; exit ${PIPESTATUS[0]}", folder)
    assert (result.returncode, result.stderr) == (0, b"")


def test_no_columns_at_all_still_print_words(folder: Path) -> None:
    assert b"code-only" in shell("$C ls recipes", folder, COLUMNS="0").stdout


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("$C check $N", b"File name too long"),
        ("$C check $N.yaml", b"File name too long"),
        ("$C compare $N $N", b"File name too long"),
        ("$C heldout --out $N", b"File name too long"),
        ("$C build r.yaml --out s --model $N", b"File name too long"),
        ("$C build r.yaml --out s --heldout $N", b"File name too long"),
        ("ln -s loop loop; $C build r.yaml --out s --heldout loop", b"symbolic links"),
        ("$C build r.yaml --out s --heldout rows.jsonl/x", b"Not a directory"),
        ("mkfifo pipe; $C build r.yaml --out s --heldout pipe", b"a pipe or device"),
        ("$C build r.yaml --out s --heldout /dev/zero", b"a pipe or device"),
        ("rm rows.jsonl; mkfifo rows.jsonl; $C check r.yaml", b"a pipe or device"),
        ("$C heldout --out r.yaml", b"holds no frozen prompts"),
        ("$C rank r.yaml --margin inf", b"--margin inf: not a finite number"),
        ("$C rank r.yaml --margin nan", b"--margin"),
        ("$C check r.yaml --draws 10001", b"--draws"),
        ("$C score --baseline b --url http://h:99999", b"not an HTTP address"),
    ],
)
def test_names_and_values_that_lead_nowhere_exit_with_2(
    folder: Path, command: str, words: bytes, tiny_model: Path
) -> None:
    result = shell(command, folder, N="n" * 300)
    assert result.returncode == 2, result.stderr
    assert words in result.stderr
    assert b"Traceback" not in result.stderr
    assert (folder / "r.yaml").read_text(encoding="utf-8") == RECIPE


def _stopped(script: str, folder: Path, number: int) -> tuple[int, str]:
    """Send a signal once the script has said so, by creating ``ready``."""
    child = subprocess.Popen(
        [sys.executable, "-c", script, "check", "r.yaml"], cwd=folder, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (folder / "ready").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(number)
    _, told = child.communicate(timeout=60)
    return child.returncode, told


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_during_the_imports(folder: Path, number: int) -> None:
    # A module that takes its time stands for all of them, and swallows what is raised in it.
    (folder / "typer.py").write_text(
        "import pathlib, time\ntry:\n    pathlib.Path('ready').touch(); time.sleep(30)\n"
        "except BaseException: pass\n"
    )
    script = "import sys; sys.path.insert(0, '.'); from curator.cli.main import main; main()"
    code, told = _stopped(script, folder, number)
    assert (code, told.splitlines()) == (
        130,
        ["curate: interrupted before anything was done; the same command starts again"],
    )


@pytest.mark.parametrize(
    ("number", "ending", "verb", "words"),
    [
        (signal.SIGINT, "raise", "check", "the same command starts over"),
        (signal.SIGHUP, "raise", "rank", "the same command goes on"),
        # What a verb says that it keeps, and no other verb does.
        (
            signal.SIGINT,
            "from curator.cli import signals; signals.keep('the answers'); raise",
            "check",
            "the same command starts over, with the answers",
        ),
        # Libraries make other errors of what is raised inside them.
        (signal.SIGTERM, "raise ValueError('made of it')", "check", "the same command starts over"),
    ],
)
def test_a_signal_during_a_verb(folder: Path, number: int, ending: str, verb: str, words: str) -> None:
    script = f"""
import pathlib, sys, time
import curator.recipe.load
def slow(name):
    try:
        pathlib.Path('ready').touch(); time.sleep(30)
    except BaseException:
        {ending}
curator.recipe.load.find_recipe = slow
sys.argv[1] = {verb!r}
from curator.cli.main import main
main()
"""
    code, told = _stopped(script, folder, number)
    (line,) = told.splitlines()
    assert code == 130
    assert line.startswith("curate: interrupted; ")
    assert line.endswith(words)


@pytest.mark.parametrize("number", SIGNALS[:1])
def test_a_signal_after_the_verb_changes_nothing(folder: Path, number: int) -> None:
    script = (
        "import atexit, pathlib, time; from curator.cli.main import main\n"
        "atexit.register(lambda: (pathlib.Path('ready').touch(), time.sleep(1)))\nmain()"
    )
    assert _stopped(script, folder, number) == (0, "")


def test_what_nohup_ignores_stays_ignored(folder: Path) -> None:
    script = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + (
        "import curator.recipe.load, pathlib, time\ninner = curator.recipe.load.find_recipe\n"
        "def slow(name):\n    pathlib.Path('ready').touch(); time.sleep(1); return inner(name)\n"
        "curator.recipe.load.find_recipe = slow\nfrom curator.cli.main import main\nmain()"
    )
    assert _stopped(script, folder, signal.SIGHUP) == (0, "")
