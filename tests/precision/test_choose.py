from __future__ import annotations

import itertools
import random
import re

import pytest

from curator._errors import InputError
from curator.precision.choose import Choice, choose, random_mix, size_of
from curator.precision.formats import BITS, Format
from curator.precision.fragment import fragment, precision_rules
from curator.recipe.render import yaml_of

FORMATS: tuple[Format, ...] = ("nvfp4", "fp8", "bf16")


def parts(seed: int, count: int) -> list[Choice]:
    """Sizes of a real model's kind; KL over four decades, once in a while FP8 by noise above NVFP4."""
    random_ = random.Random(seed)
    made = []
    for at in range(count):
        kl = 10 ** random_.uniform(-5, -1)
        values: dict[Format, float] = {"nvfp4": kl, "fp8": kl * random_.uniform(0.01, 1.1), "bf16": 0.0}
        made.append(Choice(f"p{at}", 576 * random_.choice([192, 576, 960, 1536, 3072]), values))
    return made


@pytest.mark.parametrize("seed", range(8))
def test_the_choice_is_that_of_trying_all(seed: int) -> None:
    choices = parts(seed, 7)
    total = sum(choice.weights for choice in choices)
    mixes = [
        dict(zip((choice.name for choice in choices), formats, strict=True))
        for formats in itertools.product(FORMATS, repeat=len(choices))
    ]
    for bits in (4.5, 4.6, 5.0, 6.123, 8.0, 11.0, 16.0):
        best = min(
            sum(choice.kl[mix[choice.name]] for choice in choices)
            for mix in mixes
            if size_of(choices, mix) <= bits * total
        )
        chosen = choose(choices, bits * total)
        assert size_of(choices, chosen) <= bits * total
        assert sum(choice.kl[chosen[choice.name]] for choice in choices) == pytest.approx(best, rel=1e-9, abs=0)


def test_sums_that_fill_the_budget_to_the_bit_fit() -> None:
    # 0.1 x 3 in floating point is not 0.3: the sizes are compared as whole numbers.
    choices = [Choice(str(at), 10**9 + 16, {"nvfp4": 1.0, "fp8": 0.5, "bf16": 0.0}) for at in range(3)]
    assert set(choose(choices, 3 * (10**9 + 16) * 8.0).values()) == {"fp8"}
    assert list(choose(choices, (10**9 + 16) * (4.5 + 8 + 8)).values()).count("fp8") == 2
    assert list(choose(choices, (10**9 + 16) * (4.5 + 8 + 8) - 1).values()).count("fp8") == 1


def test_too_small_a_budget_says_the_least() -> None:
    with pytest.raises(InputError, match=r"4\.4 bits a weight are asked, the least is 4\.5"):
        choose(parts(0, 3), 4.4 * sum(choice.weights for choice in parts(0, 3)))


def test_a_random_mix_has_the_formats_and_nearly_the_size_of_the_chosen_one() -> None:
    choices = parts(1, 60)
    total = sum(choice.weights for choice in choices)
    chosen = choose(choices, 6.5 * total)
    mixes = [random_mix(choices, chosen, seed) for seed in range(20)]
    largest = max(choice.weights for choice in choices)
    for mix in mixes:
        assert set(mix.values()) <= set(chosen.values())
        assert 0 <= size_of(choices, chosen) - size_of(choices, mix) <= 2 * 11.5 * largest
        assert mix != chosen
    assert mixes[0] == random_mix(choices, chosen, 0)
    assert len({tuple(mix.values()) for mix in mixes}) == 20
    # Every part gets its turn: not only those that come first.
    assert all(len({mix[choice.name] for mix in mixes}) > 1 for choice in choices)


def modules() -> dict[str, Format]:
    leaves = ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj", "self_attn.o_proj", "mlp.down_proj")
    return {f"model.layers.{layer}.{leaf}": "nvfp4" for layer in range(12) for leaf in leaves}


def matched(name: str, rules: list[dict[str, str]]) -> str:
    found = (rule["format"] for rule in rules if re.match(rule["layers"][3:], name))
    return next(found, "nvfp4")


def test_rules_are_merged_over_layers_and_over_leaves() -> None:
    mix = modules()
    for name in mix:
        if name.endswith("down_proj"):
            mix[name] = "fp8"
        elif ".1.self_attn" in name or ".11.self_attn" in name:
            mix[name] = "bf16" if "o_proj" not in name else "fp8"
    rules = precision_rules(mix, "model.layers")
    assert rules == [
        {"layers": r"re:model\.layers\.\d+\.mlp\.down_proj$", "format": "fp8"},
        {"layers": r"re:model\.layers\.(1|11)\.self_attn\.(q_proj|k_proj|v_proj)$", "format": "bf16"},
        {"layers": r"re:model\.layers\.(1|11)\.self_attn\.o_proj$", "format": "fp8"},
    ]
    assert {name: matched(name, rules) for name in mix} == mix
    whole: dict[str, Format] = {name: "fp8" if ".3." in name or ".10." in name else "nvfp4" for name in mix}
    assert precision_rules(whole, "model.layers") == [
        {
            "layers": r"re:model\.layers\.(3|10)\.(self_attn\.(q_proj|k_proj|v_proj|o_proj)|mlp\.down_proj)$",
            "format": "fp8",
        }
    ]


@pytest.mark.parametrize("seed", range(5))
def test_rules_say_exactly_the_mix(seed: int) -> None:
    random_, mix = random.Random(seed), modules()
    mix |= {
        f"model.layers.{layer}.mlp.experts.{expert}.{leaf}": "nvfp4"
        for layer in range(12)
        for expert in range(11)
        for leaf in ("w1", "w2")
    }
    of_layer: list[Format] = [random_.choice(FORMATS) for _ in range(12)]
    for name in mix:
        mix[name] = of_layer[int(name.split(".")[2])] if "experts" in name else random_.choice(FORMATS)
    rules = precision_rules(mix, "model.layers")
    assert {name: matched(name, rules) for name in mix} == mix
    assert len([rule for rule in rules if "experts" in rule["layers"]]) <= 2


def test_the_fragment_is_yaml_that_reads_back() -> None:
    from ruamel.yaml import YAML

    mix = modules()
    mix["model.layers.7.mlp.down_proj"] = "fp8"
    made = fragment(precision_rules(mix, "model.layers"))
    text = yaml_of(made)
    assert YAML(typ="safe").load(text) == made
    assert len(text.splitlines()) <= 4
    assert BITS["fp8"] == 8
