from __future__ import annotations

import pytest
from precision_models import random_model
from torch import nn

from curator._errors import InputError
from curator.precision.parts import layout_of, parts_of


class Expert(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.w1, self.w2, self.w3 = (nn.Linear(32, 32) for _ in range(3))


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.experts = nn.ModuleList([Expert() for _ in range(3)])
        self.router = nn.Linear(24, 3)


class Moe(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers, self.lm_head = nn.ModuleList([Layer(), Layer()]), nn.Linear(32, 100)


def test_groups_are_what_servers_merge() -> None:
    layout = layout_of(random_model("llama"))
    parts = parts_of(layout, "group")
    assert [part.name for part in parts[:4]] == [
        "layers.0.self_attn.qkv_proj",
        "layers.0.self_attn.o_proj",
        "layers.0.mlp.gate_up_proj",
        "layers.0.mlp.down_proj",
    ]
    assert len(parts) == 12
    assert parts[0].modules == tuple(f"model.layers.0.self_attn.{leaf}_proj" for leaf in "qkv")
    # 32 x 32 of q, 32 x 16 each of k and v.
    assert parts[0].weights == 2048
    assert [part.first for part in parts] == [0] * 4 + [1] * 4 + [2] * 4
    assert layout.merged["model.layers.1.mlp.up_proj"] == (
        "model.layers.1.mlp.gate_proj",
        "model.layers.1.mlp.up_proj",
    )
    # 3 x (2048 + 1024 + 3 x 2048); embedding, head, and 7 norms are the rest.
    assert layout.weights == 3 * 9216 == sum(part.weights for part in parts)
    assert layout.others == 2 * 300 * 32 + 7 * 32


def test_layers_and_patterns() -> None:
    layout = layout_of(random_model("llama"), ["model.layers.1.mlp.down_proj", r"re:.*\.o_proj"])
    layers = parts_of(layout, "layer")
    assert [(part.name, len(part.modules), part.first) for part in layers] == [
        ("layers.0", 6, 0),
        ("layers.1", 5, 1),
        ("layers.2", 6, 2),
    ]
    patterns = {part.name: part for part in parts_of(layout, "pattern")}
    assert list(patterns) == ["self_attn.qkv_proj", "mlp.gate_up_proj", "mlp.down_proj"]
    assert patterns["mlp.down_proj"].modules == ("model.layers.0.mlp.down_proj", "model.layers.2.mlp.down_proj")
    assert layout.spared["model.layers.2.self_attn.o_proj"] == "ignored"


def test_all_experts_of_a_layer_are_one_part_and_odd_widths_stay_in_bf16() -> None:
    layout = layout_of(Moe())
    assert layout.root == "layers"
    assert [(part.name, len(part.modules)) for part in parts_of(layout, "group")] == [
        ("layers.0.experts", 9),
        ("layers.1.experts", 9),
    ]
    assert layout.spared == {f"layers.{layer}.router": "24 columns, not a multiple of 16" for layer in (0, 1)}


def test_what_has_no_parts_is_refused() -> None:
    with pytest.raises(InputError, match="no list of decoder layers"):
        layout_of(nn.Sequential(nn.Linear(16, 16)))
    with pytest.raises(InputError, match=r"no linear layer is left .* --ignore"):
        layout_of(random_model("llama"), ["re:.*"])
    with pytest.raises(InputError, match=r"--ignore: 're:\(' is no regular expression"):
        layout_of(random_model("llama"), ["re:("])
