"""Cards, names and headers that mean harm: refused in one line, and nothing outside of the cache is touched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from loopback_hub import LoopbackHub

from curator._errors import CurateError, InputError, RecipeError
from curator.corpora.card_file import read_card
from curator.corpora.document import Document
from curator.corpora.hub.open_dataset import open_dataset
from curator.corpora.hub.place import DatasetPlace
from curator.corpora.reading import Reading
from curator.recipe.load import load_recipe

ROW = json.dumps({"text": "A row of text that is as long as a sentence is."}).encode() + b"\n"
# Nine levels of nine: 9**9 words, were they written out.
LAUGHS = "a0: &a0 [lol, lol]\n" + "".join(
    f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10)
)


def opened(hub: LoopbackHub, tmp_path: Path, **place: str) -> list[str]:
    corpus = open_dataset(
        DatasetPlace(id="o/n", **place),
        Reading(),
        seed=0,
        folder=tmp_path,
        task="prose",
        language="en",
        licence="MIT",
    )
    found = [record for shard in corpus.shards for record in shard.records()]
    return [record.text for record in found if isinstance(record, Document)]


@pytest.mark.parametrize(
    "name",
    [
        "../../../../evil.jsonl",
        "/tmp/evil.jsonl",
        "data/../../../../../evil.jsonl",
        "..\\..\\evil.jsonl",
        "a/./../../evil.jsonl",
    ],
)
def test_a_hub_s_file_names_lead_out_of_nothing(hub: LoopbackHub, tmp_path: Path, name: str) -> None:
    hub.add("o/n", {name: ROW, "good.jsonl": ROW})
    before = set(Path("/tmp").glob("evil*"))
    try:
        opened(hub, tmp_path)
    except CurateError as error:
        assert "\n" not in str(error)
    inside = {path.relative_to(tmp_path).parts[0] for path in tmp_path.rglob("*") if path.is_file()}
    # The caches of the hub library and ours, and nothing beside them.
    assert inside <= {"hf", "curate"}
    assert not list(tmp_path.parent.glob("evil*")) and set(Path("/tmp").glob("evil*")) == before


@pytest.mark.parametrize("pattern", ["../*.jsonl", "/etc/*", "a/../../x", "https://host/x.jsonl", "zip://x::y"])
def test_patterns_of_a_data_set_stay_in_it(hub: LoopbackHub, tmp_path: Path, pattern: str) -> None:
    hub.add("o/n", {"good.jsonl": ROW})
    with pytest.raises(InputError) as error:
        opened(hub, tmp_path, data_files=pattern)
    assert "\n" not in str(error.value)
    header = f"---\nconfigs:\n- config_name: default\n  data_files: {json.dumps(pattern)}\n---\n"
    hub.add("o/n", {"good.jsonl": ROW, "README.md": header.encode()})
    with pytest.raises(InputError):
        opened(hub, tmp_path)


def test_a_data_set_s_header_cannot_stop_the_parser(hub: LoopbackHub, tmp_path: Path) -> None:
    for header in (LAUGHS, "x: " + "[" * 100_000, "a: 1\n" * 2_000_000):
        hub.add("o/n", {"good.jsonl": ROW, "README.md": f"---\n{header}\nconfigs: *a9\n---\n".encode()})
        try:
            assert opened(hub, tmp_path) == [json.loads(ROW)["text"]]
        except InputError as error:
            assert "\n" not in str(error) and len(str(error)) < 500


def test_a_scripted_data_set_is_not_run(hub: LoopbackHub, tmp_path: Path) -> None:
    script = f"open({str(tmp_path / 'ran')!r}, 'w').close()\n".encode()
    hub.add("o/n", {"n.py": script, "data.jsonl": ROW})
    with pytest.raises(InputError, match=r"made by a script \(n\.py\), which is not run; read its files"):
        opened(hub, tmp_path)
    assert opened(hub, tmp_path, data_files="data.jsonl") == [json.loads(ROW)["text"]]
    assert not (tmp_path / "ran").exists()


def test_aliases_that_multiply_in_cards_and_recipes(tmp_path: Path) -> None:
    card = tmp_path / "c.yaml"
    card.write_text(
        "id: c\ntitle: *a9\ntask: prose\nlanguage: en\nlicence: MIT\norigin: here\noptions: {x: *a9}\n"
    )
    card.write_text(LAUGHS + card.read_text())
    with pytest.raises(RecipeError) as error:
        read_card(card)
    assert len(str(error.value)) < 5000
    recipe = tmp_path / "r.yaml"
    recipe.write_text(LAUGHS + "name: r\nsources: *a9\n")
    with pytest.raises(RecipeError, match=r"its aliases stand for .* values, more than"):
        load_recipe(recipe)


def test_a_recipe_as_large_as_a_disk_is_not_read(tmp_path: Path) -> None:
    recipe = tmp_path / "r.yaml"
    with recipe.open("wb") as handle:
        handle.truncate(1 << 40)
    with pytest.raises(InputError, match="more than the 262,144 that a recipe may have"):
        load_recipe(recipe)


@pytest.mark.parametrize("tag", ["!!python/object/apply:os.system ['true']", "!!python/name:os.system", "!x y"])
def test_tags_are_no_calls(tmp_path: Path, tag: str) -> None:
    for name, text in (("c.yaml", f"id: c\ntitle: {tag}\n"), ("r.yaml", f"name: {tag}\n")):
        (tmp_path / name).write_text(text)
        with pytest.raises(RecipeError):
            read_card(tmp_path / name) if name == "c.yaml" else load_recipe(tmp_path / name)


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "x\0y", "-flag", "a b", "", "n" * 65])
def test_a_recipe_s_name_is_no_path(tmp_path: Path, name: str) -> None:
    (tmp_path / "r.yaml").write_text(
        f"name: {json.dumps(name)}\ntarget: {{tasks: {{a: 1}}}}\nsources: [{{generate: uuid, task: a}}]\n"
    )
    with pytest.raises(RecipeError):
        load_recipe(tmp_path / "r.yaml")
