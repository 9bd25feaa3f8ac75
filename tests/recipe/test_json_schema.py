"""The JSON Schema takes what the loader takes, and refuses what an editor should mark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from recipe_files import BASE, write

from curator.recipe.json_schema import recipe_json_schema
from curator.recipe.load import load_recipe, shipped_recipes
from curator.recipe.positions import load_yaml, parse_yaml

SCHEMA = recipe_json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
HEIR = "name: x\nextends: coherent-mix\n"


def valid(text: str) -> bool:
    return bool(VALIDATOR.is_valid(parse_yaml(text).values))


def test_it_is_a_schema_of_its_draft() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("path", shipped_recipes(), ids=lambda path: path.stem)
def test_every_shipped_recipe_is_valid(path: Path) -> None:
    VALIDATOR.validate(load_yaml(path).values)


@pytest.mark.parametrize(
    "text",
    [
        BASE,
        BASE.replace("{samples: 4, tokens: 64}", "{mix: [{samples: 1, tokens: 64}]}"),
        BASE + "gates: {language: {allow: [en, zh-Hant]}, length: false, licence: {forbid: [unknown]}}\n",
        BASE + "continuity: {min: false}\nmodel: x\ntokens: {pack: bfd, reasoning: inline}\n",
        BASE + "  - {dataset: a/b, task: chat, columns: {prompt: q, response: a}, revision: abc}\n",
        BASE + "  - {generate: niah, options: {needles: words}, task: chat}\n",
        HEIR,
        HEIR + "size: {samples: 3}\ntarget: {tasks: {qa: ~, prose: 2}}\ngates: {language: ~}\ntokens: ~\n",
    ],
)
def test_good_recipes_are_valid(tmp_path: Path, text: str) -> None:
    if "qa: ~" not in text:
        load_recipe(write(tmp_path, text))
    VALIDATOR.validate(parse_yaml(text).values)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: harbour\n", ""),
        ("name: harbour", "name: -x"),
        ("name: harbour", "nam: harbour\nname: x"),
        ("samples: 4, ", ""),
        ("samples: 4", "samples: 0"),
        ("samples: 4", "samples: four"),
        ("tokens: 64", "tokens: 15"),
        ("tokens: 64", "tokens: 64, mix: [{samples: 1, tokens: 64}]"),
        ("{chat: 1}", "{chat: 0}"),
        ("{chat: 1}", "{}"),
        ("task: chat}", "task: chat, weight: -1}"),
        ("task: chat}", "task: chat, wieght: 1}"),
        ("task: chat}", "task: chat, language: en_US}"),
        ("{files: rows.jsonl, task: chat}", "{task: chat}"),
        ("{files: rows.jsonl, task: chat}", "{files: a, corpus: b, task: chat}"),
        ("task: chat}", "task: chat}\ngates: {length: true}"),
        ("task: chat}", "task: chat}\ngates: {licence: {}}"),
        ("task: chat}", "task: chat}\ntokens: {pack: most}"),
        ("task: chat}", "task: chat}\nexport: [csv]"),
        ("task: chat}", "task: chat}\nextends: [a, b]"),
    ],
)
def test_bad_recipes_are_not(old: str, new: str) -> None:
    assert old in BASE
    assert not valid(BASE.replace(old, new))


def test_only_an_heir_may_give_a_part() -> None:
    assert valid(HEIR)
    assert not valid("name: x\n")
    assert not valid(BASE.replace("size: {samples: 4, tokens: 64}\n", ""))


def test_every_key_of_a_recipe_is_described() -> None:
    models: dict[str, Any] = {"Recipe": SCHEMA, **SCHEMA["$defs"]}
    for name, model in models.items():
        assert model["description"]
        if name in {"Columns", "Reading"}:
            continue
        missing = [key for key, value in model.get("properties", {}).items() if not value.get("description")]
        # What `columns`, `encoding` and `join` share with cards is described where it is defined.
        assert not set(missing) - {"columns", "encoding"}, (name, missing)
    assert "``" not in str(SCHEMA)


def test_its_examples_load(tmp_path: Path) -> None:
    from ruamel.yaml import YAML

    for number, example in enumerate(SCHEMA["examples"]):
        VALIDATOR.validate(example)
        path = tmp_path / f"{number}.yaml"
        YAML(typ="safe", pure=True).dump(example, path)
        assert load_recipe(path, references=True).recipe.name == example["name"]


def test_words_of_a_choice_are_listed() -> None:
    tokens = SCHEMA["$defs"]["Tokens"]["properties"]
    assert tokens["pack"]["enum"] == ["concat", "bfd", "none"]
    assert tokens["pack"]["description"].startswith("concat lays documents end to end")
    assert "niah" in SCHEMA["$defs"]["GenerateSource"]["properties"]["generate"]["examples"]
