"""Bad input: one clear line, the right exit code, nothing left behind. Run as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from curator.adapters.stored_set import set_sha256
from curator.cli.app import app

CURATE = str(Path(sys.executable).with_name("curate"))
RECIPE = """\
name: small
size: {samples: 2, tokens: 32}
target: {tasks: {prose: 1}}
sources:
  - {files: rows.jsonl, task: prose}
gates: {length: {min_chars: 10}}
continuity: {min: false}
"""


def curate(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """The installed command, in another folder than the repository."""
    return subprocess.run(
        [CURATE, *arguments],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    rows = [f"Sentence number {number} tells of a boat, a bridge and a bell in the fog." for number in range(20)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    return tmp_path


def fails(result: subprocess.CompletedProcess[str], code: int, *words: str) -> None:
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr
    for word in words:
        assert word in result.stderr, result.stderr


def test_help_names_the_verbs_that_exist_and_no_other(tmp_path: Path) -> None:
    result = curate("--help", cwd=tmp_path)
    assert result.returncode == 0
    listed = [line.split()[0] for line in result.stdout.split("Commands:")[1].splitlines() if line.strip()]
    verbs = (
        "baseline build check compare convert doctor export heldout init inspect leaderboard ls mix profile push "
        "quantize rank schema score search sensitivity show sift verify"
    )
    # Lines that go on have no verb in front.
    assert sorted(set(listed)) == verbs.split()
    for verb in listed:
        assert CliRunner().invoke(app, [verb, "--help"]).exit_code == 0


def test_all_errors_of_a_recipe_at_once_with_lines(folder: Path) -> None:
    (folder / "bad.yaml").write_text(
        "name: bad\nsize: {samples: two, tokens: 32}\ntarget: {tasks: {prose: -1}}\n"
        "sources:\n  - {files: rows.jsonl, task: prose, wieght: 2}\nsede: 4\n"
    )
    result = curate("check", "bad.yaml", cwd=folder)
    fails(result, 2, "bad.yaml:2:", "bad.yaml:3:", "bad.yaml:5:", "did you mean weight?", "bad.yaml:6:", "seed")
    assert len(result.stderr.strip().splitlines()) == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("check", "missing.yaml"), ("missing.yaml", "no such file")),
        (("check", "coherent-mx"), ("did you mean coherent-mix?",)),
        (("build", "recipe.yaml", "--out", "s", "--model", "no-such-model"), ("no-such-model",)),
        (("build", "recipe.yaml"), ("--out",)),
        (("build", "recipe.yaml", "--out", "s", "--drw", "1"), ("--drw",)),
        (("score", "--baseline", "nowhere", "--checkpoint", "x"), ("nowhere",)),
        (("quantize", "--out", "q"), ("needs a calibration set",)),
        (("rank", "recipe.yaml", "--null", "nonsense"), ("nonsense", "no-data")),
        (("rank", "recipe.yaml", "recipe.yaml"), ("two recipes are called 'small'",)),
        (("compare", "coherent-mix", "."), ("neither a finished run",)),
    ],
)
def test_bad_arguments_exit_with_2(folder: Path, arguments: tuple[str, ...], words: tuple[str, ...]) -> None:
    before = {path.name for path in folder.iterdir()}
    fails(curate(*arguments, cwd=folder), 2, *words)
    assert {path.name for path in folder.iterdir()} == before


def test_method_under_which_data_changes_nothing_is_refused(folder: Path) -> None:
    fails(curate("rank", "recipe.yaml", "--method", "rtn", cwd=folder), 3, "nothing to rank")
    fails(curate("rank", "recipe.yaml", "--method", "max", "--scheme", "W4A16", cwd=folder), 3, "W4A16")


def test_empty_corpus_names_file_and_line(folder: Path, tiny_model: Path) -> None:
    (folder / "rows.jsonl").write_text("")
    result = curate("build", "recipe.yaml", "--out", "s", "--model", str(tiny_model), cwd=folder)
    fails(result, 2, "recipe.yaml:5:", "empty")
    assert not (folder / "s").exists()


def test_too_little_text_is_said_by_check_and_by_build(folder: Path, tiny_model: Path) -> None:
    (folder / "recipe.yaml").write_text(RECIPE.replace("samples: 2", "samples: 200"))
    fails(curate("check", "recipe.yaml", cwd=folder), 3, "needs 6400 tokens")
    built = curate("build", "recipe.yaml", "--out", "s", "--model", str(tiny_model), "--json", cwd=folder)
    assert built.returncode == 0, built.stderr
    summary = json.loads(built.stdout)
    assert summary["tokens"] < 6400
    assert any("asked 6400 tokens, got" in warning for warning in summary["warnings"])


def test_build_json_has_the_promised_keys_and_a_stable_hash(folder: Path, tiny_model: Path) -> None:
    hashes = set()
    for number in ("0", "1", "31"):
        result = curate(
            "build", "recipe.yaml", "--out", f"s{number}", "--model", str(tiny_model), "--json",
            cwd=folder, PYTHONHASHSEED=number,
        )  # fmt: skip
        assert result.returncode == 0, result.stderr
        summary = json.loads(result.stdout)
        assert {"set_hash", "samples", "tokens", "shares", "asked", "dropped", "out"} <= set(summary)
        assert (summary["samples"], summary["tokens"]) == (2, 64)
        hashes.add(summary["set_hash"])
    assert len(hashes) == 1


def test_full_disk_is_one_line_and_leaves_nothing(folder: Path, tiny_model: Path) -> None:
    # A limit on file size stands for a full disk: the kernel fails the write in the same place.
    script = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000));"
        "from curator.cli.main import main; sys.argv[0] = 'curate'; main()"
    )
    result = subprocess.run(
        [sys.executable, "-c", script, "build", "recipe.yaml", "--out", "s", "--model", str(tiny_model)],
        cwd=folder, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    fails(result, 4, "s:", "cannot be written")
    assert not (folder / "s").exists()
    assert not list(folder.glob(".s.*"))


def test_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    command = f"{Path(sys.executable).with_name('curate')} ls | head -1; exit ${{PIPESTATUS[0]}}"
    result = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr


def test_a_line_break_in_a_name_stays_in_one_line(tmp_path: Path) -> None:
    result = curate("check", "a\nb.yaml", cwd=tmp_path)
    fails(result, 2, "a\\nb.yaml: no such file")
    assert result.stderr.count("\n") == 1


def test_a_set_of_another_tokenizer_is_not_quantised(folder: Path, tiny_model: Path) -> None:
    rows = [[5, 6, 7, 8] * 4]
    (folder / "set").mkdir()
    (folder / "set/samples.jsonl").write_text(json.dumps({"input_ids": rows[0]}) + "\n")
    manifest = {"set_hash": set_sha256(rows), "tokenizer": {"ids_fingerprint": "0123456789abcdef"}}
    (folder / "set/manifest.json").write_text(json.dumps(manifest))
    result = curate("quantize", "set", "--model", str(tiny_model), "--out", "q", cwd=folder)
    fails(result, 3, "the set's token ids are of another tokenizer (0123456789ab)", "build the set for this model")
    assert not (folder / "q").exists()
