"""A quantisation method in one file of a package: what it makes, where it is known, what goes wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from throwaway_package import curate, install, python

# All that its author writes: max calibration whose weights' ranges are searched wider or less wide.
METHOD = '''
from pydantic import Field

from curator.corpora.reading import Strict
from curator.recipe.quantize_methods import Method, Step


class Options(Strict):
    """How far is searched.

    ``shrink``: the largest share that a block's range is cut by.
    """

    shrink: float = Field(default=0.2, gt=0, lt=1)


def make(options, layers):
    from llmcompressor.modifiers.quantization import QuantizationModifier

    weights = layers["config_groups"]["nvfp4"].weights
    weights.observer, weights.observer_kwargs = "memoryless_mse", {"maxshrink": options["shrink"]}
    return QuantizationModifier(**layers)


METHOD = Method("max calibration, ranges searched as far as shrink says", "scales", (Step(make, Options),))
'''
ENTRY = "searched = mine:METHOD"
RECIPE = """
name: mine
size: {samples: 2, tokens: 32}
target: {tasks: {prose: 1}}
sources: [{files: rows.jsonl, task: prose}]
quantize: {method: searched, shrink: 0.3}
"""
# Checkpoints of the model argv[1]: as the method is, with another option, and what these should be the same as.
MAKE = """
import json, sys
from pathlib import Path
from curator.quantize.run import Job, quantize_many
from curator.recipe.quantize_settings import QuantizeSettings
rows = [[(7 * row + 3 * at * at) % 290 + 2 for at in range(32)] for row in range(3)]
mine, shipped = {"method": "searched"}, {"method": "max"}
asked = [mine, {**mine, "shrink": 0.01}, {**shipped, "observer": "mse"}, shipped]
jobs = [Job(QuantizeSettings(**one), rows, "", Path(f"made-{at}")) for at, one in enumerate(asked)]
print(json.dumps(quantize_many(Path(sys.argv[1]), jobs)))
"""
# What a ranking knows a checkpoint by.
PIECE = """
import json
from pathlib import Path
from types import SimpleNamespace
from curator.rank.pieces import piece_folder
from curator.recipe.quantize_settings import QuantizeSettings
plan = SimpleNamespace(model_hash="m", out=Path("run"))
settings = [QuantizeSettings(method=name) for name in ("searched", "max")]
print(json.dumps([[one.used().get("package"), str(piece_folder(plan, one, "set"))] for one in settings]))
"""


def test_it_makes_the_checkpoint_that_it_says(tmp_path: Path, tiny_model: Path) -> None:
    done = python(install(tmp_path, "methods", ENTRY, METHOD), MAKE, str(tiny_model))
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    same, shipped = made[0], made[2]
    # llm-compressor's search cuts by up to 0.2 too, in steps of 0.01 from 0: these are shipped methods' bytes.
    searched, barely, as_searched, as_plain = (one["tensors_sha256"] for one in made)
    assert searched == as_searched != barely == as_plain
    assert same["linears"] == 14 and same["reached_model"]["tokens"] == 96
    assert (same["settings"]["package"], same["settings"]["shrink"]) == ("mine 1.0", 0.2)
    assert json.loads((tmp_path / "made-1/curate.json").read_text())["settings"]["shrink"] == 0.01
    assert "package" not in shipped["settings"]


def test_it_is_in_the_schema_in_recipes_and_on_the_command_line(tmp_path: Path, tiny_model: Path) -> None:
    folder = install(tmp_path, "methods", ENTRY, METHOD)
    keys = json.loads(curate(folder, "schema").stdout)["$defs"]["QuantizeSettings"]["properties"]
    assert keys["shrink"]["description"] == "The largest share that a block's range is cut by."
    assert "searched" in keys["method"]["enum"]
    (folder / "rows.jsonl").write_text('{"text": "The river rises in the hills."}\n')
    (folder / "r.yaml").write_text(RECIPE)
    assert "shrink: 0.3" in curate(folder, "show", "r.yaml").stdout
    (folder / "r.yaml").write_text(RECIPE.replace("0.3", "3"))
    wrong = curate(folder, "check", "r.yaml")
    assert wrong.returncode == 2 and "r.yaml:6: quantize.shrink must be less than 1, not 3" in wrong.stderr
    (folder / "r.yaml").write_text(RECIPE.replace("method: searched", "method: gptq"))
    unused = curate(folder, "check", "r.yaml")
    assert "method gptq does not use shrink, an option of searched" in unused.stderr
    verb = ("quantize", "--model", str(tiny_model), "--out", "made", "--method")
    assert "method searched needs a calibration set" in curate(folder, *verb, "searched").stderr
    unknown = curate(folder, *verb, "serched")
    assert unknown.returncode == 2 and "no such method; did you mean searched?" in unknown.stderr


def test_a_ranking_makes_the_checkpoints_of_another_version_anew(tmp_path: Path) -> None:
    found = {}
    for version in ("1.0", "1.1"):
        install(tmp_path, "methods", ENTRY, METHOD, version=version)
        found[version] = json.loads(python(tmp_path, PIECE).stdout)
    (one, shipped), (other, shipped_again) = found.values()
    assert [one[0], other[0]] == ["mine 1.0", "mine 1.1"] and one[1] != other[1]
    assert shipped == shipped_again and shipped[0] is None


def test_without_the_package_a_recipe_is_told_which_methods_there_are(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(RECIPE.replace(", shrink: 0.3", ""))
    done = curate(tmp_path, "check", "r.yaml")
    assert done.returncode == 2 and "quantize.method must be gptq, max, rtn, awq" in done.stderr.replace("'", "")


@pytest.mark.parametrize(
    ("text", "entry", "told"),
    [
        ("raise ValueError('broken')", ENTRY, "cannot be loaded (broken)"),
        ("METHOD = 'rtn'", ENTRY, "is no Method"),
        (METHOD, "gptq = mine:METHOD", "cannot be called that: the name is taken"),
        (METHOD, "a,b = mine:METHOD", "cannot be called that: no space, comma or slash"),
        (METHOD.replace("make(options, layers)", "make(options)"), ENTRY, "make must take 2 arguments"),
        (METHOD.replace("shrink", "damping"), ENTRY, "its option damping is taken"),
        (METHOD.replace("default=0.2, ", ""), ENTRY, "option shrink has no default"),
        (METHOD.replace('"scales"', '"biases"'), ENTRY, "data is one of weights, scales, nothing"),
    ],
)
def test_a_package_that_is_wrong_is_named(tmp_path: Path, text: str, entry: str, told: str) -> None:
    done = curate(install(tmp_path, "methods", entry, text), "show", "coherent-mix")
    name = entry.partition(" ")[0]
    assert done.returncode == 4 and "Traceback" not in done.stderr
    assert f"method {name} of the package mine" in done.stderr and told in done.stderr
    assert "mend the package or remove it (pip uninstall mine)" in done.stderr


def test_a_step_that_fails_is_named_when_it_is_asked(tmp_path: Path, tiny_model: Path) -> None:
    install(tmp_path, "methods", ENTRY, METHOD.replace("return QuantizationModifier(**layers)", "return layers"))
    done = python(tmp_path, MAKE, str(tiny_model))
    told = (
        "DependencyError: method searched of the package mine 1.0 cannot be used: make gave dict, no modifier of"
    )
    assert told in done.stderr
