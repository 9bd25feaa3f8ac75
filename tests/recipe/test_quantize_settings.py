"""The ``quantize:`` part of a recipe: what it takes, what it refuses, and what the command line makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from curator._errors import RecipeError
from curator.recipe.all_methods import METHODS
from curator.recipe.json_schema import recipe_json_schema
from curator.recipe.load import load_recipe
from curator.recipe.quantize_overrides import quantize_settings
from curator.recipe.quantize_settings import QuantizeSettings

OWN_OPTIONS = {name for method in METHODS.values() for name in method.options}

RECIPE = """\
name: mine
size: {samples: 2, tokens: 32}
target: {tasks: {prose: 1}}
sources:
  - {files: rows.jsonl, task: prose}
"""


def settings(**values: Any) -> QuantizeSettings:
    return QuantizeSettings.model_validate(values)


def test_every_method_takes_its_own_options_and_no_other() -> None:
    values = {
        "damping": 0.1,
        "order": "none",
        "block_size": 64,
        "grid": 5,
        "duo_scaling": "both",
        "smoothing": 0.7,
        "rotation": "hadamard",
    }
    assert values.keys() <= OWN_OPTIONS
    for name, method in METHODS.items():
        for option, value in values.items():
            if option in method.options:
                assert settings(method=name, **{option: value}).used()[option] == value
            else:
                with pytest.raises(ValidationError, match=f"method {name} does not use {option}"):
                    settings(method=name, **{option: value})
        # Left out, an option has the method's default, and those of others are not spoken of.
        used = settings(method=name).used()
        assert {option: used[option] for option in method.options} == method.options
        assert not (OWN_OPTIONS - set(method.options)) & set(used)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"method": "awq", "grid": 2}, "grid 2 is too small for this duo_scaling; give 3 or more"),
        ({"method": "awq", "grid": 3, "duo_scaling": "both"}, "grid 3 is too small for this duo_scaling; give 4"),
        ({"method": "spinquant", "rotation": "random-matrix"}, "rotation"),
        ({"method": "rtn", "batch_size": 2}, "method rtn does not use batch_size; leave it out"),
        ({"method": "rtn", "kv_cache": "fp8"}, "does not use kv_cache"),
        ({"method": "rtn", "observer": "imatrix"}, "imatrix needs a set, method rtn uses none"),
        ({"method": "max", "scheme": "W4A16"}, "nothing that the set could change; use method rtn"),
        ({"method": "spinquant", "scheme": "W4A16", "experts": "all"}, "does not use experts"),
        ({"ignore": ["re:a("]}, "no regular expression"),
        ({"precision": [{"layers": "re:*", "format": "fp8"}]}, "no regular expression"),
        ({"precision": [{"layers": "Linear", "format": "int8"}]}, "nvfp4"),
        ({"damping": 0}, "greater than 0"),
        ({"batch_size": 0}, "greater than or equal to 1"),
        ({"methods": "gptq"}, "Extra inputs"),
    ],
)
def test_what_cannot_be_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        settings(**values)


def test_what_a_set_can_change_follows_from_all_settings() -> None:
    assert settings().data_acts == "weights"
    assert settings(method="max").data_acts == "activation-scales"
    assert settings(method="max", observer="imatrix", scheme="W4A16").data_acts == "weights"
    assert settings(method="max", kv_cache="fp8", scheme="W4A16").data_acts == "activation-scales"
    assert settings(method="rtn").data_acts == "nothing"
    assert not settings(method="spinquant", scheme="W4A16").needs_set
    assert settings(method="spinquant").needs_set


def test_the_arm_without_data_keeps_the_layers_and_their_formats() -> None:
    mix = [{"layers": "re:.*down_proj", "format": "fp8"}]
    plain = settings(method="gptq", damping=0.1, ignore=["a"], precision=mix, observer="imatrix").without_data()
    assert (plain.method, plain.ignore, plain.precision[0].format) == ("rtn", ["a"], "fp8")
    assert plain.data_acts == "nothing"


def test_a_recipe_is_refused_at_the_line(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(RECIPE + "quantize:\n  method: awq\n  dampings: 0.1\n  kv_cache: fp4\n")
    with pytest.raises(RecipeError) as caught:
        load_recipe(file)
    assert caught.value.problems == (
        f"{file}:8: unknown key quantize.dampings; did you mean damping?",
        f"{file}:9: quantize.kv_cache must be none or fp8, not 'fp4'",
    )
    file.write_text(RECIPE + "quantize:\n  method: awq\n  damping: 0.1\n")
    with pytest.raises(RecipeError, match=r"mine\.yaml:6: quantize: method awq does not use damping, an option"):
        load_recipe(file)


def test_how_a_set_is_quantised_does_not_change_which_set_it_is(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(RECIPE)
    plain = load_recipe(file)
    file.write_text(RECIPE + "quantize: {method: awq}\ntrust_remote_code: true\n")
    assert load_recipe(file).sha256 == plain.sha256
    assert load_recipe(file).recipe.quantize.method == "awq"


def test_the_schema_explains_every_key() -> None:
    properties = recipe_json_schema()["$defs"]["QuantizeSettings"]["properties"]
    assert set(properties) == set(QuantizeSettings.model_fields)
    assert all(value.get("description") for value in properties.values())


def test_the_command_line_changes_what_the_set_was_built_with() -> None:
    recipe = {"quantize": {"method": "gptq", "damping": 0.05, "batch_size": 4}, "trust_remote_code": True}
    assert quantize_settings({}, "m", []) == QuantizeSettings()
    changed = quantize_settings(recipe, "m", ["quantize.damping=0.1", "quantize.method=awq-gptq"])
    assert (changed.method, changed.damping, changed.batch_size) == ("awq-gptq", 0.1, 4)
    taken_back = quantize_settings(recipe, "m", ["quantize.method=awq", "quantize.damping=null"])
    assert (taken_back.method, taken_back.damping) == ("awq", None)


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["quantize.method=awq"], "--set quantize.method=awq: quantize: method awq does not use damping"),
        (["quantize.damping=2"], "--set quantize.damping=2: quantize.damping must be 1 or less, not 2"),
        (["quantize.dampin=2"], "--set quantize.dampin=2: unknown key quantize.dampin; did you mean damping?"),
        (["size.samples=4"], "--set size.samples=4: the set is built; only quantize.* can be changed here"),
        (["trust_remote_code=true"], "only quantize.* can be changed here"),
        (["quantize.damping.x=4"], "quantize.damping is a value, nothing is below it"),
    ],
)
def test_a_wrong_override_is_told_by_its_own_name(overrides: list[str], words: str) -> None:
    with pytest.raises(RecipeError) as caught:
        quantize_settings({"quantize": {"damping": 0.05}}, "set/manifest.json", overrides)
    assert words in caught.value.problems[0]


def test_a_manifest_changed_by_hand_is_told_by_its_place() -> None:
    for values in ({"quantize": {"damping": "x"}}, {"quantize": 3}):
        with pytest.raises(RecipeError, match=r"set/manifest\.json: quantize.* must be"):
            quantize_settings(values, "set/manifest.json", [])
