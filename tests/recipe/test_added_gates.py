"""A gate in one file of somebody's own package: in the schema, in a recipe, in a run; and what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from throwaway_package import curate, install, python

# All that its author writes.
GATE = '''
from pydantic import Field

from curator.corpora.reading import Strict
from curator.recipe.added_gates import AddedGate


class Capitals(Strict):
    """Refuse text that shouts.

    ``max_share``: the largest share of letters that may be capitals.
    """

    max_share: float = Field(default=0.5, gt=0, le=1)


def share(text):
    letters = [letter for letter in text if letter.isalpha()]
    return sum(letter.isupper() for letter in letters) / max(len(letters), 1)


GATE = AddedGate(Capitals, "capitals", share, lambda settings: settings.max_share)
'''
RECIPE = """
name: mine
size: {samples: 2, tokens: 32}
target: {tasks: {prose: 1}}
sources: [{files: rows.jsonl, task: prose}]
continuity: {min: false}
gates: {length: false, leakage: false, capitals: {max_share: 0.3}}
"""
CALM = "The river rises in the hills and runs through three valleys before it meets the sea."
# 20 of its 40 letters are capitals.
LOUD = "abcdefghij KLMNOPQRST uvwxyzabcd EFGHIJKLMN"


def installed(folder: Path, text: str = GATE, entry: str = "capitals = shouting:GATE") -> Path:
    return install(folder, "gates", entry, text, name="shouting")


def test_a_gate_of_ones_own_is_in_the_schema_and_judges_rows(tmp_path: Path) -> None:
    folder = installed(tmp_path)
    schema = json.loads(curate(folder, "schema").stdout)
    assert schema["$defs"]["Capitals"]["properties"]["max_share"]["description"].startswith("The largest share")
    (folder / "rows.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in (CALM, LOUD)))
    (folder / "r.yaml").write_text(RECIPE)
    done = curate(folder, "sift", "rows.jsonl", "--recipe", "r.yaml", "--json")
    assert done.returncode == 0, done.stderr
    rows: list[dict[str, Any]] = [json.loads(line) for line in done.stdout.splitlines()]
    told = [(row["keep"], row.get("reason"), row["scores"]["capitals"]) for row in rows if "keep" in row][:2]
    # One capital in 68 letters, and 20 in 40.
    assert told == [(True, None, pytest.approx(1 / 68, abs=1e-3)), (False, "capitals", 0.5)]
    (folder / "r.yaml").write_text(RECIPE.replace("max_share: 0.3", "max_share: 3"))
    wrong = curate(folder, "check", "r.yaml")
    assert wrong.returncode == 2 and "r.yaml:7: gates.capitals" in wrong.stderr.replace("curate: ", "")


@pytest.mark.parametrize(
    ("text", "entry", "told"),
    [
        (
            "raise ValueError('broken')",
            "capitals = shouting:GATE",
            "gate capitals of the package shouting cannot be loaded (broken)",
        ),
        ("GATE = 1", "capitals = shouting:GATE", "gate capitals of the package shouting is no AddedGate"),
        (GATE, "length = shouting:GATE", "the name is taken"),
        (GATE.replace("share(text)", "share()"), "capitals = shouting:GATE", "measure must take 1 argument: "),
        (
            GATE.replace("AddedGate(Capitals,", "AddedGate(dict,"),
            "capitals = shouting:GATE",
            "settings is no model",
        ),
        (
            GATE.replace("max_share)", "max_share, 'sideways')"),
            "capitals = shouting:GATE",
            "refused is 'sideways'",
        ),
        (GATE, "copy = shouting:GATE", "the name is taken"),
        (GATE, "capitals = !!!", "names no object: '!!!', instead of module:object"),
        ("raise SystemExit(3)", "capitals = shouting:GATE", "cannot be loaded (it asks to exit with 3)"),
    ],
)
def test_a_package_that_is_wrong_is_named(tmp_path: Path, text: str, entry: str, told: str) -> None:
    done = curate(installed(tmp_path, text, entry), "show", "coherent-mix")
    assert done.returncode == 4 and told in done.stderr and "Traceback" not in done.stderr


def test_a_recipe_brings_no_gate_and_its_hash_does_not_hang_on_packages(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps({"text": CALM}) + "\n")
    (tmp_path / "r.yaml").write_text(RECIPE)
    unknown = curate(tmp_path, "check", "r.yaml")
    assert unknown.returncode == 2 and "capitals" in unknown.stderr
    print_hash = (
        "from pathlib import Path; from curator.recipe.load import load_recipe; "
        "print(load_recipe(Path('plain.yaml')).sha256)"
    )
    (tmp_path / "plain.yaml").write_text(RECIPE.replace(", capitals: {max_share: 0.3}", ""))

    before = python(tmp_path, print_hash).stdout
    installed(tmp_path)
    assert len(before) == 65 and python(tmp_path, print_hash).stdout == before
