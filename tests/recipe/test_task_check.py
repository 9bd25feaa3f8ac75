"""Sources of a task whose share was taken away are left out; typing errors are not mistaken for that."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe_files import problems, write

from curator.recipe.load import LoadedRecipe, load_recipe
from curator.recipe.render import to_yaml

MIX = """\
name: harbour
size: {samples: 4, tokens: 64}
target: {tasks: {chat: 0.5, qa: 0.3, uuid: 0.2}}
sources:
  - {corpus: python-qa}
  - {files: rows.jsonl, task: chat}
  - {generate: uuid}
  - {files: [a.jsonl, b.jsonl], task: qa, weight: 2}
"""


def kept(loaded: LoadedRecipe) -> list[int]:
    return [place.line for place in loaded.places]


@pytest.mark.parametrize(
    ("override", "lines", "notes"),
    [
        (
            "target.tasks={chat: 1.0}",
            [6],
            [
                "qa {}: its sources are left out (python-qa; a.jsonl, b.jsonl)",
                "uuid {}: its sources are left out (uuid)",
            ],
        ),
        ("target={tasks: {qa: 1.0, uuid: 1}}", [5, 7, 8], ["chat {}: its sources are left out (rows.jsonl)"]),
        ("target.tasks.chat=0.4", [5, 6, 7, 8], []),
    ],
)
@pytest.mark.parametrize("references", [False, True])
def test_the_command_line_takes_a_task_away(
    tmp_path: Path, override: str, lines: list[int], notes: list[str], references: bool
) -> None:
    for name in ("rows.jsonl", "a.jsonl", "b.jsonl") if references else ():
        write(tmp_path, "{}", name)
    loaded = load_recipe(write(tmp_path, MIX), [override], references=references)
    assert kept(loaded) == lines and len(loaded.recipe.sources) == len(lines)
    found = [note for note in loaded.notes if note.startswith("task ")]
    assert found == ["task " + note.format(f"has no share after --set {override}") for note in notes]
    # The recipe that is shown is that of the set.
    again = load_recipe(write(tmp_path, to_yaml(loaded), "shown.yaml"))
    assert again.sha256 == loaded.sha256 and kept(again) != []


def test_an_heir_takes_a_task_away(tmp_path: Path) -> None:
    write(tmp_path, MIX)
    heir = write(tmp_path, "name: heir\nextends: r.yaml\ntarget: {tasks: {qa: ~}}\n", "heir.yaml")
    loaded = load_recipe(heir)
    assert kept(loaded) == [6, 7]
    assert loaded.notes[-1] == (
        "task qa has no share after heir: its sources are left out (python-qa; a.jsonl, b.jsonl)"
    )
    # Its missing files are no fault of a recipe that does not use them.
    write(tmp_path, "{}", "rows.jsonl")
    assert load_recipe(heir, references=True).places == loaded.places
    assert kept(load_recipe(heir, ["target.tasks.qa=1"])) == [5, 6, 7, 8]


@pytest.mark.parametrize(
    ("overrides", "told"),
    [
        (
            ["target.tasks={chat: 0.5, qaa: 0.3}"],
            "{0}: task 'qaa' has a share but no source; did you mean qa? Else add a source with task: qaa",
        ),
        (["target.tasks={zzz: 1}"], "{0}: task 'zzz' has a share but no source; add a source with task: zzz"),
        (
            ["target.tasks={chat: 1}", "sources.1.task=qa"],
            "{1}: task 'qa' is not in target.tasks; tasks: chat",
        ),
        (
            ["target.tasks={chat: 1}", "sources=[{files: x, task: qa}, {files: y, task: chat}]"],
            "{1}: task 'qa' is not in target.tasks; tasks: chat",
        ),
    ],
)
def test_a_typing_error_is_still_one(tmp_path: Path, overrides: list[str], told: str) -> None:
    found = problems(write(tmp_path, MIX), overrides)
    assert told.replace("{0}", f"--set {overrides[0]}").replace("{1}", f"--set {overrides[-1]}") in found


def test_an_heir_without_the_task_that_writes_its_own_sources_is_told(tmp_path: Path) -> None:
    write(tmp_path, MIX)
    text = "name: heir\nextends: r.yaml\ntarget: {tasks: {qa: ~, uuid: ~}}\nsources:\n  - {files: x, task: qa}\n"
    found = problems(write(tmp_path, text + "  - {files: y, task: chat}\n", "heir.yaml"))
    assert found == ["heir.yaml:5: task 'qa' is not in target.tasks; tasks: chat"]
