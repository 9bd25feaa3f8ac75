"""Which devices a run is given."""

from __future__ import annotations

import pytest
import torch

from curator._errors import InputError
from curator.quantize import machine
from curator.quantize.machine import device_environment, find_devices, machine_facts


@pytest.mark.parametrize(
    ("text", "gpus", "found"),
    [
        ("auto", 0, ("cpu",)),
        ("auto", 2, ("cuda:0",)),
        ("cpu", 2, ("cpu",)),
        ("cuda", 1, ("cuda:0",)),
        ("cuda:1", 2, ("cuda:1",)),
        ("cuda:1, cuda:0", 2, ("cuda:1", "cuda:0")),
    ],
)
def test_devices_by_name(monkeypatch: pytest.MonkeyPatch, text: str, gpus: int, found: tuple[str, ...]) -> None:
    monkeypatch.setattr(machine, "_gpus", lambda: gpus)
    assert find_devices(text) == found


@pytest.mark.parametrize(
    ("text", "gpus", "words"),
    [
        ("cuda", 0, "has no GPU that torch can use"),
        ("cuda:2", 2, "has 2 GPUs"),
        ("cuda:1", 1, "has 1 GPU;"),
        ("cuda:0,cuda:0", 1, "names a GPU twice"),
        ("cuda:0,", 1, "'' is no device"),
        ("gpu", 1, "'gpu' is no device"),
        ("cpu,cuda:0", 1, "'cpu' is no device"),
        ("cuda:99999999999999999999", 1, "has 1 GPU"),
        ("cuda:٣", 9, "is no device"),
    ],
)
def test_devices_that_are_not_there(monkeypatch: pytest.MonkeyPatch, text: str, gpus: int, words: str) -> None:
    monkeypatch.setattr(machine, "_gpus", lambda: gpus)
    with pytest.raises(InputError, match=f"--device {text}: .*{words}"):
        find_devices(text)


def test_a_child_sees_the_devices_asked_for_and_no_other() -> None:
    assert device_environment(("cpu",), {"CUDA_VISIBLE_DEVICES": "3"}) == {"CUDA_VISIBLE_DEVICES": ""}
    assert device_environment(("cuda:1", "cuda:0"), {}) == {"CUDA_VISIBLE_DEVICES": "1,0"}
    # Numbers count within what this process was given.
    assert device_environment(("cuda:1",), {"CUDA_VISIBLE_DEVICES": "5,GPU-7"}) == {
        "CUDA_VISIBLE_DEVICES": "GPU-7"
    }


def test_what_bytes_depend_on_is_told() -> None:
    facts = machine_facts()
    assert facts["versions"]["torch"] == torch.__version__
    assert facts["threads"] == torch.get_num_threads()
    assert facts["devices"]
