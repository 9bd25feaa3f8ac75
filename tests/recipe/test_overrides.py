"""``--set``: one value from the command line, under the same rules as in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recipe_files import BASE, problems, write

from curator._errors import RecipeError
from curator.recipe.load import load_all, load_recipe
from curator.recipe.overrides import apply_override, parse_overrides
from curator.recipe.render import recipe_values


def value(folder: Path, override: str, *keys: str | int) -> Any:
    found: Any = recipe_values(load_recipe(write(folder, BASE), [override]).recipe)
    for key in keys:
        found = found[key]
    return found


@pytest.mark.parametrize(
    ("override", "keys", "expected"),
    [
        ("size.samples=32", ("size", "samples"), 32),
        ("sources.0.weight=2", ("sources", 0, "weight"), 2.0),
        ("sources.0.weight=1e-3", ("sources", 0, "weight"), 0.001),
        ("title=no", ("title",), "no"),
        ("title='1e3'", ("title",), "1e3"),
        ("title=a=b", ("title",), "a=b"),
        ("title=", ("title",), None),
        ("gates.language.allow=[en, no]", ("gates", "language", "allow"), ["en", "no"]),
        ("gates.length=false", ("gates", "length"), False),
        ("continuity.min=false", ("continuity", "min"), False),
        ("size={mix: [{samples: 1, tokens: 32}]}", ("size", "mix"), [{"samples": 1, "tokens": 32}]),
        ('target.tasks={"a.b": 1, chat: 1}', ("target", "tasks", "chat"), 1.0),
    ],
)
def test_a_value_is_yaml(tmp_path: Path, override: str, keys: tuple[str | int, ...], expected: Any) -> None:
    if expected is None:
        assert problems(write(tmp_path, BASE), [override]) == [
            f"--set {override}: title must be text, not nothing"
        ]
    elif '"a.b"' in override:
        (found,) = problems(write(tmp_path, BASE), [override])
        assert found.endswith("task 'a.b' has a share but no source; add a source with task: a.b")
    else:
        assert value(tmp_path, override, *keys) == expected


def test_a_step_in_quotes_may_hold_dots(tmp_path: Path) -> None:
    text = BASE.replace("{chat: 1}", "{a.b: 1, chat: 1}") + "  - {files: x, task: a.b}\n"
    for quote in "\"'":
        loaded = load_recipe(write(tmp_path, text), [f"target.tasks.{quote}a.b{quote}=3"])
        assert loaded.recipe.target.tasks == {"a.b": 3.0, "chat": 1.0}


def test_later_ones_win_and_all_are_told(tmp_path: Path) -> None:
    loaded = load_recipe(write(tmp_path, BASE), ["seed=1", "size.samples=2", "seed=2"])
    assert (loaded.recipe.seed, loaded.recipe.size.samples) == (2, 2)
    assert loaded.origin == ("--set seed=1", "--set size.samples=2", "--set seed=2")
    assert (
        loaded.sha256
        == load_recipe(write(tmp_path, BASE.replace("samples: 4", "samples: 2") + "seed: 2\n")).sha256
    )


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("size.samples=abc", "size.samples must be a whole number, not 'abc'"),
        ("size.samples=0", "size.samples must be 1 or more, not 0"),
        ("size.samples=1e3", "size.samples must be a whole number, not 1000.0; write 1000"),
        ("size.sample=3", "unknown key size.sample; did you mean samples?"),
        ("sze.samples=3", "unknown key sze; did you mean size?"),
        ("sources.0.wieght=3", "unknown key sources.0.wieght; did you mean weight?"),
        (
            "gates.continuity.min=3",
            "unknown key gates.continuity; continuity stands at the top of a recipe: write continuity.min",
        ),
        ("target.size=3", "unknown key target.size; size stands at the top of a recipe: write size"),
        ("sources.1.weight=3", "sources has one entry, number 0; there is no sources.1"),
        ("sources.-1.weight=3", "sources has one entry, number 0; there is no sources.-1"),
        ("sources.first.weight=3", "sources has one entry, number 0; there is no sources.first"),
        ("name.x=3", "name is a value, nothing is below it; set name itself"),
        ("gates.language.allow=[xx]", "gates.language.allow.0: 'xx' is no BCP 47 language; did you mean xh?"),
        ("title=2026-01-02", "2026-01-02 is a date in YAML; put it in quotes"),
        ("title=!!python/name:os.system", "the tag !!python/name:os.system is not allowed; write the plain value"),
        ("size={samples: 1, samples: 2}", "key 'samples' is given twice (at lines 1 and 1), keep one"),
        ("seed=017", "017 is read differently by different programs; write a plain decimal, or put it in quotes"),
        ("seed", "a path and a value are needed; write it as size.samples=32"),
        ("=3", "a path and a value are needed; write it as size.samples=32"),
        ("size..samples=3", "a path and a value are needed; write it as size.samples=32"),
        ("extends=x", "extends can be given in a file only; name the other recipe instead"),
    ],
)
def test_a_fault_begins_with_what_was_typed(tmp_path: Path, override: str, words: str) -> None:
    assert problems(write(tmp_path, BASE), [override]) == [f"--set {override}: {words}"]


def test_faults_of_the_file_and_of_several_overrides_come_together(tmp_path: Path) -> None:
    found = problems(write(tmp_path, BASE + "sede: 1\n"), ["size.samples=x", "size.tokens=y"])
    assert found == [
        "r.yaml:7: unknown key sede; did you mean seed?",
        "--set size.samples=x: size.samples must be a whole number, not 'x'",
        "--set size.tokens=y: size.tokens must be a whole number, not 'y'",
    ]


def test_several_recipes_get_the_same_override_and_one_line_for_its_fault(tmp_path: Path) -> None:
    paths = [write(tmp_path, BASE, name) for name in ("a.yaml", "b.yaml")]
    assert [loaded.recipe.seed for loaded in load_all(paths, ["seed=5"])] == [5, 5]
    with pytest.raises(RecipeError) as caught:
        load_all(paths, ["seed=x"])
    assert caught.value.problems == ("--set seed=x: seed must be a whole number, not 'x'",)


def test_paths_of_an_override_start_from_the_working_folder(tmp_path: Path) -> None:
    path = write(tmp_path, BASE)
    (place,) = load_recipe(path, ["sources.0.files=x.jsonl"]).places
    assert (place.folder, str(place)) == (Path(), "--set sources.0.files=x.jsonl")
    (place,) = load_recipe(path, ["sources.0.weight=2"]).places
    assert place.folder == tmp_path
    (place,) = load_recipe(path, ["sources=[{files: x, task: chat}]"]).places
    assert (place.folder, str(place)) == (Path(), "--set sources=[{files: x, task: chat}]")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (f"sources.{'9' * 5000}.files=x", "sources has one entry, number 0; there is no sources.999"),
        (".".join("a" * 3000) + "=1", "a path of 3000 keys, at most 32 lead anywhere"),
        ("a" * 70_000 + "=1", "unknown key"),
        ("si\nze=1", "unknown key"),
    ],
)
def test_an_absurd_option_is_one_short_line(tmp_path: Path, option: str, words: str) -> None:
    with pytest.raises(RecipeError) as caught:
        load_recipe(write(tmp_path, BASE), [option])
    (line,) = caught.value.problems
    assert line.startswith("--set ") and words in line
    assert len(line) < 600 and "\n" not in line


WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\"'.=", categories=["L", "N", "P"]), min_size=1)


@given(st.lists(WORDS, min_size=1, max_size=4), st.integers(-(2**40), 2**40))
def test_any_path_is_made_where_it_is_missing(steps: list[str], number: int) -> None:
    if steps[0] == "extends":
        return
    (override,) = parse_overrides([".".join(steps) + f"={number}"])
    values: dict[str, Any] = {}
    apply_override(values, override)
    found: Any = values
    for step in steps:
        found = found[step]
    assert found == number
