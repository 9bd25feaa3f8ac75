"""A recipe may start from another; a fault is named where the value was written."""

from __future__ import annotations

from pathlib import Path

import pytest
from recipe_files import BASE, problems, write

from curator._errors import InputError
from curator.recipe.load import load_recipe

MIXED = """\
name: base
title: of the base
seed: 3
size: {samples: 4, tokens: 64}
target:
  tasks: {chat: 0.5, code: 0.5}
sources:
  - {files: a.jsonl, task: chat}
  - {files: b.jsonl, task: code}
gates:
  language: {allow: [en]}
  length: {min_chars: 50}
"""


def child(folder: Path, text: str, base: str = MIXED) -> Path:
    write(folder, base, "base.yaml")
    return write(folder, "name: child\nextends: base.yaml\n" + text)


def test_mappings_merge_and_all_else_is_replaced(tmp_path: Path) -> None:
    path = child(
        tmp_path,
        "size: {tokens: 128}\ntarget: {tasks: {code: 0.25, chat: 0.75}}\n"
        "sources:\n  - {files: c.jsonl, task: chat}\n  - {files: d.jsonl, task: code}\n"
        "gates: {language: false}\n",
    )
    recipe = load_recipe(path).recipe
    assert (recipe.name, recipe.seed, recipe.size.samples, recipe.size.tokens) == ("child", 3, 4, 128)
    assert recipe.target.tasks == {"chat": 0.75, "code": 0.25}
    assert [source.files for source in recipe.sources] == ["c.jsonl", "d.jsonl"]
    assert recipe.gates.language is False
    assert recipe.gates.length and recipe.gates.length.min_chars == 50


def test_name_and_title_are_not_inherited(tmp_path: Path) -> None:
    assert load_recipe(child(tmp_path, "")).recipe.title == ""
    path = write(tmp_path, "extends: base.yaml\n", "nameless.yaml")
    assert problems(path) == ["nameless.yaml:1: name is missing; a recipe that extends base needs its own"]
    path = write(tmp_path, "# x\nextends: base.yaml\nname: base\n", "same.yaml")
    assert problems(path) == ["same.yaml:3: name 'base' is that of a recipe it extends; give it another"]


def test_null_takes_an_inherited_key_back(tmp_path: Path) -> None:
    path = child(
        tmp_path,
        "target: {tasks: {code: ~}}\nseed: null\nsources: [{files: a.jsonl, task: chat}]\ngates: {length: ~}\n",
    )
    recipe = load_recipe(path).recipe
    assert (recipe.target.tasks, recipe.seed) == ({"chat": 0.5}, 0)
    assert recipe.gates.length and recipe.gates.length.min_chars == 200
    assert problems(child(tmp_path, "model: ~\ncontinuity: ~\n")) == [
        "r.yaml:4: continuity must be a mapping of keys, not nothing"
    ]


def test_what_is_taken_back_and_needed_is_missing_at_the_line_of_the_null(tmp_path: Path) -> None:
    assert problems(child(tmp_path, "seed: 3\nsize: ~\n")) == ["r.yaml:4: size is missing; add it"]


def test_the_two_ways_to_give_a_size_replace_each_other(tmp_path: Path) -> None:
    mixed = "size: {mix: [{samples: 2, tokens: 64}, {samples: 1, tokens: 32}]}\n"
    assert load_recipe(child(tmp_path, mixed)).recipe.size.lengths() == [64, 64, 32]
    base = MIXED.replace("size: {samples: 4, tokens: 64}\n", mixed)
    assert load_recipe(child(tmp_path, "size: {samples: 3, tokens: 16}\n", base)).recipe.size.lengths() == [16] * 3


def test_a_chain_is_followed_and_told(tmp_path: Path) -> None:
    write(tmp_path, MIXED, "deep/base.yaml")
    write(tmp_path, "name: middle\nextends: base.yaml\nseed: 9\nsize: {samples: 5}\n", "deep/middle.yml")
    path = write(tmp_path, "name: top\nextends: deep/middle.yml\nsize: {tokens: 16}\n")
    loaded = load_recipe(path)
    assert (loaded.recipe.seed, loaded.recipe.size.samples, loaded.recipe.size.tokens) == (9, 5, 16)
    assert loaded.origin == (
        "extends middle, which extends base: takes seed, target, sources, gates; changes size",
    )
    assert [str(place) for place in loaded.places] == [
        f"{tmp_path}/deep/base.yaml:8",
        f"{tmp_path}/deep/base.yaml:9",
    ]
    assert {place.folder for place in loaded.places} == {tmp_path / "deep"}


def test_a_shipped_recipe_is_extended_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, "name: mine\nextends: coherent-mix\nsize: {samples: 2}\n")
    recipe, base = load_recipe(path).recipe, load_recipe(Path("recipes/coherent-mix.yaml").resolve()).recipe
    assert recipe.size.samples == 2
    assert (recipe.sources, recipe.target, recipe.seed) == (base.sources, base.target, base.seed)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("none.yaml", "extends: no such file none.yaml; a path starts from the folder of this file"),
        ("coherent-mx", "extends: no shipped recipe 'coherent-mx'; did you mean coherent-mix?"),
        ("base", "extends: no shipped recipe 'base'; did you mean base.yaml?"),
        ("[base.yaml]", "extends must be one recipe: a file, or the name of one that ships"),
        ("~", "extends must be one recipe: a file, or the name of one that ships"),
        ("3", "extends must be one recipe: a file, or the name of one that ships"),
        ("r.yaml", "extends goes in a circle (r.yaml, r.yaml); remove one of them"),
        ("ring.yaml", "extends goes in a circle (r.yaml, ring.yaml, other.yaml, ring.yaml); remove one of them"),
    ],
)
def test_extends_that_leads_nowhere_is_named_at_its_line(tmp_path: Path, given: str, words: str) -> None:
    write(tmp_path, MIXED, "base.yaml")
    write(tmp_path, "name: ring\nextends: other.yaml\n", "ring.yaml")
    write(tmp_path, "name: other\nextends: ring.yaml\n", "other.yaml")
    (found,) = problems(write(tmp_path, f"name: x\n# why\nextends: {given}\n"))
    line = 3 if "circle (r.yaml, ring" not in words else 2
    name = "other.yaml" if "circle (r.yaml, ring" in words else "r.yaml"
    assert found == f"{name}:{line}: {words}"


def test_a_circle_through_a_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "link.yaml").symlink_to(tmp_path / "r.yaml")
    assert "circle" in problems(write(tmp_path, "name: x\nextends: link.yaml\n"))[0]


def test_a_fault_is_named_in_the_file_that_wrote_it(tmp_path: Path) -> None:
    base = MIXED.replace("seed: 3", "seed: -3").replace("min_chars: 50", "min_chars: many")
    found = problems(child(tmp_path, "size: {tokens: 1}\ntarget:\n  tasks:\n    chat: 0\n", base))
    assert found == [
        "r.yaml:3: size.tokens must be 16 or more, not 1",
        "r.yaml:6: target.tasks.chat: a share is a positive number up to 1,000,000, not 0; "
        "leave out what has none",
        "base.yaml:3: seed must be 0 or more, not -3",
        "base.yaml:12: gates.length.min_chars must be a whole number, not 'many'",
    ]


def test_a_fault_of_the_base_that_the_child_mends_is_none(tmp_path: Path) -> None:
    assert load_recipe(child(tmp_path, "seed: 4\n", MIXED.replace("seed: 3", "seed: x"))).recipe.seed == 4


def test_a_task_fault_points_to_whoever_wrote_the_source(tmp_path: Path) -> None:
    found = problems(child(tmp_path, "target: {tasks: {code: ~}}\n"), ["sources.1.task=code"])
    assert found == ["--set sources.1.task=code: task 'code' is not in target.tasks; tasks: chat"]
    found = problems(child(tmp_path, "seed: 1\n", MIXED.replace("code: 0.5", "cod: 0.5")))
    assert found == ["base.yaml:9: task 'code' is not in target.tasks; did you mean cod?"]


def test_yaml_faults_of_a_base_have_its_name(tmp_path: Path) -> None:
    assert problems(child(tmp_path, "", MIXED + "seed: 4\n")) == [
        "base.yaml:13: key 'seed' is given twice (at lines 3 and 13), keep one"
    ]
    assert problems(child(tmp_path, "", "- a\n")) == [
        "base.yaml:1: a recipe is a mapping of keys; see `curate ls` for examples"
    ]
    (tmp_path / "base.yaml").unlink()
    (tmp_path / "base.yaml").mkdir()
    with pytest.raises(InputError, match="no such file"):
        load_recipe(tmp_path / "r.yaml")


def test_a_base_may_be_a_part(tmp_path: Path) -> None:
    write(tmp_path, "size: {samples: 4, tokens: 64}\n", "size.yaml")
    path = write(tmp_path, BASE.replace("size: {samples: 4, tokens: 64}", "extends: size.yaml"))
    assert load_recipe(path).recipe.size.tokens == 64


def test_the_hash_is_of_the_resolved_values(tmp_path: Path) -> None:
    write(tmp_path, BASE.replace("harbour", "other"), "base.yaml")
    heir = load_recipe(write(tmp_path, "extends: base.yaml\nname: harbour\n", "heir.yaml"))
    assert heir.sha256 == load_recipe(write(tmp_path, BASE)).sha256


def test_a_template_starts_from_the_file_that_names_it(tmp_path: Path) -> None:
    write(tmp_path, MIXED + "tokens: {template: chat.jinja}\n", "deep/base.yaml")
    path = write(tmp_path, "name: x\nextends: deep/base.yaml\ntokens: {bos: never}\n")
    assert load_recipe(path).template == tmp_path / "deep" / "chat.jinja"
    assert load_recipe(path, ["tokens.template=own.jinja"]).template == Path("own.jinja")
    assert load_recipe(path, ["tokens.template=model"]).template is None
