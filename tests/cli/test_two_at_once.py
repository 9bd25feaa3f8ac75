"""Two runs of a verb with one output: the second says so in one line, and touches nothing."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from test_bad_input import CURATE, RECIPE, curate, fails

from curator._lock import folder_lock, output_lock


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    rows = [f"Sentence number {number} tells of a boat, a bridge and a bell in the fog." for number in range(20)]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps({"text": row}) + "\n" for row in rows))
    (tmp_path / "recipe.yaml").write_text(RECIPE)
    return tmp_path


def test_the_second_build_of_a_set_is_refused(recipe: Path) -> None:
    with output_lock(recipe / "s"):
        before = sorted(path.name for path in recipe.iterdir())
        fails(curate("build", "recipe.yaml", "--out", "s", cwd=recipe), 2, "s: another curate is making it; wait")
        assert sorted(path.name for path in recipe.iterdir()) == before


def test_the_second_ranking_in_a_folder_is_refused(recipe: Path, tiny_model: Path) -> None:
    words = ["rank", "recipe.yaml", "--out", "r", "--model", str(tiny_model), "--null", "no-data"]
    with folder_lock(recipe / "r"):
        fails(curate(*words, cwd=recipe), 2, "r: another curate is at work here; wait for it")
        assert [path.name for path in (recipe / "r").iterdir()] == [".lock"]


@pytest.mark.full
def test_of_two_builds_at_once_one_is_made_and_nothing_is_left_beside_it(recipe: Path, tiny_model: Path) -> None:
    words = ["build", "recipe.yaml", "--model", str(tiny_model), "--json", "--out"]
    alone = json.loads(curate(*words, "alone", cwd=recipe).stdout)["set_hash"]
    running = [
        subprocess.Popen([CURATE, *words, "s"], cwd=recipe, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(3)
    ]
    told = [(*process.communicate(timeout=300), process.returncode) for process in running]
    made = [out for out, _, code in told if code == 0]
    # One that came after another had ended makes the same set once more.
    assert made and {json.loads(out)["set_hash"] for out in made} == {alone}
    for _, err, code in told:
        assert code in (0, 2) and b"Traceback" not in err
        assert code == 0 or err.rstrip().endswith(
            b"another curate is making it; wait for it or choose another --out"
        )
    assert not [path.name for path in recipe.iterdir() if path.name.startswith(".curate.")]
