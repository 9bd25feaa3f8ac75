from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest
import torch
from made_checkpoints import make
from safetensors.torch import save_file

from curator._errors import InputError
from curator.quantize.checkpoint import Tensors, tensors_sha256


def read(folder: Path) -> dict[str, tuple[tuple[int, ...], str, int]]:
    with ExitStack() as stack:
        tensors = Tensors(folder, stack)
        return {name: (tensors.shape(name), tensors.dtype(name), tensors.size(name)) for name in tensors}


def test_shards_are_read_as_one_and_a_second_copy_is_not(tmp_path: Path) -> None:
    made = make()
    whole, parts = made.write(tmp_path / "whole"), made.write(tmp_path / "parts", shards=3)
    # Some publishers put the same weights in once more under other names.
    save_file({"layers.0.wq.weight": torch.ones(2, 2)}, parts / "consolidated.safetensors")
    assert read(whole) == read(parts)
    assert tensors_sha256(whole) == tensors_sha256(parts)
    assert read(parts)["model.layers.0.mlp.down_proj.weight_packed"] == ((64, 64), "U8", 4096)
    assert read(parts)["model.layers.0.mlp.down_proj.weight_scale"] == ((64, 8), "F8_E4M3", 512)
    assert read(parts)["model.norm.weight"] == ((64,), "F32", 256)


def test_the_hash_is_of_tensors_not_of_files(tmp_path: Path) -> None:
    made = make()
    one = made.write(tmp_path / "one")
    made.tensors = dict(reversed(made.tensors.items()))
    made.config["note"] = "other config"
    assert tensors_sha256(made.write(tmp_path / "two")) == tensors_sha256(one)
    name = "model.layers.0.mlp.down_proj.weight_packed"
    made.tensors[name] = made.tensors[name].clone()
    made.tensors[name][0, 0] ^= 1
    assert tensors_sha256(made.write(tmp_path / "three")) != tensors_sha256(one)


@pytest.mark.parametrize("content", [b"", b"\x08\x00\x00\x00\x00\x00\x00\x00not json", b"x" * 100, None])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes | None) -> None:
    file = make().write(tmp_path) / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-50] if content is None else content)
    with pytest.raises(InputError, match=r"model\.safetensors: not a readable safetensors"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda index: index.pop("weight_map"), "weight_map must give"),
        (lambda index: index["weight_map"].update(x="../other.safetensors"), "weight_map must give"),
        (lambda index: index["weight_map"].update(x="gone.safetensors"), r"gone\.safetensors, which is missing"),
        (lambda index: index["weight_map"].update(x="model-00001-of-00002.safetensors"), "says that x is in"),
    ],
)
def test_an_index_that_lies_is_named(tmp_path: Path, change: object, words: str) -> None:
    file = make().write(tmp_path, shards=2) / "model.safetensors.index.json"
    index = json.loads(file.read_text())
    change(index)  # type: ignore[operator]
    file.write_text(json.dumps(index))
    with pytest.raises(InputError, match=words):
        read(tmp_path)


def test_one_name_in_two_files_and_no_file_at_all(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no \*\.safetensors file"):
        read(tmp_path)
    for file in ("a.safetensors", "b.safetensors"):
        save_file({"w": torch.ones(2)}, tmp_path / file)
    with pytest.raises(InputError, match=r"w is in both .*a\.safetensors and .*b\.safetensors"):
        read(tmp_path)
