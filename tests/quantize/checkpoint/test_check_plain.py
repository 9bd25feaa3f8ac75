"""The checks of what is not quantised, each on a checkpoint with one mistake."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from checked import LAYOUTS, verified
from made_checkpoints import DOWN, Made, Q, make, plain_weights
from torch import Tensor

from curator._errors import InputError, RefusedError
from curator.quantize.checkpoint import convert_checkpoint, tensors_sha256, verify_checkpoint, write_twin

BESIDE = "the quantised weight, of which it is no part as we read it"
EMBEDDING, NORM = "model.embed_tokens.weight", "model.layers.1.input_layernorm.weight"


def whole(layout: str = "compressed-tensors") -> Made:
    weights = plain_weights(layers=3)
    weights |= {f"model.layers.{layer}.input_layernorm.weight": torch.ones(64) for layer in range(3)}
    made = make(layout, weights)
    made.config |= {"vocab_size": 32, "hidden_size": 64}
    return made


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_whole_has_no_fault(tmp_path: Path, layout: str) -> None:
    assert verified(whole(layout), tmp_path).faults == []


@pytest.mark.parametrize(
    ("name", "change", "fault"),
    [
        (
            EMBEDDING,
            lambda table: table.index_fill(0, torch.tensor(31), torch.nan),
            "has values that are not finite",
        ),
        ("model.norm.weight", lambda norm: norm / 0, "has values that are not finite"),
        (EMBEDDING, lambda table: table[:16].clone(), "has shape (16, 64), config.json says 32 ids of width 64"),
        (EMBEDDING, lambda table: table.T.contiguous(), "has shape (64, 32), config.json says 32 ids of width 64"),
        (EMBEDDING, lambda table: table.to(torch.int64), "has type I64, which is no weight"),
        (NORM, lambda norm: norm > 0, "has type BOOL, which is no weight"),
        (NORM, lambda norm: norm[:32].clone(), "has shape (32,), in other layers it is (64,)"),
        (NORM, None, "is missing, other layers have it"),
        (f"{Q}.bias", lambda _: torch.full((64,), torch.nan), "has values that are not finite"),
        (f"{Q}.weight_zero_point", lambda _: torch.ones(64, 4), f"lies beside {BESIDE}"),
        (f"{Q}.pre_quant_scale", lambda _: torch.ones(64), f"lies beside {BESIDE}"),
        (f"{Q}.weight_scale_2", lambda _: torch.ones(()), f"lies beside {BESIDE}"),
    ],
)
def test_a_broken_tensor_is_named(
    tmp_path: Path, name: str, change: Callable[[Tensor], Tensor] | None, fault: str
) -> None:
    made = whole()
    if change is None:
        del made.tensors[name]
    else:
        made.tensors[name] = change(made.tensors.get(name, torch.empty(0)))
    assert verified(made, tmp_path / "made").faults == [f"{name} {fault}"]
    with pytest.raises(RefusedError, match="1 fault"):
        write_twin(tmp_path / "made", tmp_path / "twin")
    assert not (tmp_path / "twin").exists()


def test_a_head_that_is_not_tied_is_not_missed(tmp_path: Path) -> None:
    made = whole()
    made.config["tie_word_embeddings"] = False
    (fault,) = verified(made, tmp_path / "without").faults
    assert fault.startswith("no head (lm_head.weight)")
    made.tensors["lm_head.weight"] = made.tensors[EMBEDDING].clone()
    assert verified(made, tmp_path / "with").faults == []
    del made.tensors[EMBEDDING]
    assert "no embedding is found under a name that is known" in verified(made, tmp_path / "table").warnings


def test_what_two_readers_would_take_differently_is_a_fault(tmp_path: Path) -> None:
    made = make(kv=True)
    made.tensors["model.layers.0.self_attn.k_proj.k_scale"] = torch.tensor(0.5)
    (fault,) = verified(made, tmp_path / "kv").faults
    assert fault.endswith("are the same scale in two spellings; keep one")
    whole().write(tmp_path / "index", shards=2)
    file = tmp_path / "index" / "model.safetensors.index.json"
    listed = json.loads(file.read_text())
    del listed["weight_map"][NORM]
    file.write_text(json.dumps(listed))
    assert (
        verify_checkpoint(tmp_path / "index")
        .faults[0]
        .startswith(f"{NORM} is not in model.safetensors.index.json")
    )


def test_what_nothing_can_be_computed_of_is_told(tmp_path: Path) -> None:
    made = make()
    for leaf, shape in (("weight_packed", (0, 64)), ("weight_scale", (0, 8))):
        kind = made.tensors[f"{DOWN}.{leaf}"].dtype
        made.tensors[f"{DOWN}.{leaf}"] = torch.empty(shape, dtype=kind)
    made.tensors[f"model.layers.0.mlp.experts.{'9' * 5000}.down_proj.weight_packed"] = torch.zeros(
        (64, 64), dtype=torch.uint8
    )
    faults = verified(made, tmp_path / "made").faults
    assert f"{DOWN} has 0 rows and 128 columns" in faults
    assert sum("9999.down_proj" in fault for fault in faults) >= 2
    (tmp_path / "pipe").mkdir()
    (tmp_path / "pipe" / "config.json").write_text(json.dumps(made.config))
    os.mkfifo(tmp_path / "pipe" / "model.safetensors")
    converted = partial(convert_checkpoint, to="modelopt", out=tmp_path / "out")
    for read in (verify_checkpoint, tensors_sha256, converted):
        with pytest.raises(InputError, match=r"model\.safetensors: a pipe or a device, which is not read"):
            read(tmp_path / "pipe")


@pytest.mark.parametrize("value", [torch.tensor([300.0], dtype=torch.float16), torch.tensor([3e38])])
def test_a_scale_of_another_type_or_beyond_sense_is_told(tmp_path: Path, value: Tensor) -> None:
    made = whole()
    scales = [name for name in made.tensors if name.endswith("weight_global_scale")]
    made.tensors |= {name: value.clone() for name in scales}
    words = "float16, the format has float32" if value.dtype == torch.float16 else "all weights less than"
    assert any(words in warning for warning in verified(made, tmp_path).warnings)
