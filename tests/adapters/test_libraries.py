"""What each library is given. That the libraries then keep to it is what scripts/audit-adapters shows."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from set_folders import RAGGED, model_of

import curator.adapters
from curator._errors import InputError
from curator.adapters import auto_round, gptqmodel, llm_compressor, modelopt
from curator.adapters.targets import TARGETS


@pytest.mark.parametrize("size", [1, 2, 4])
def test_llm_compressor_gets_ready_batches_in_order(size: int) -> None:
    arguments = llm_compressor.oneshot_arguments(RAGGED, model_of(), size)
    for _ in range(2):
        assert [row for batch in arguments["dataset"] for row in batch["input_ids"].tolist()] == RAGGED
    assert len(arguments["dataset"]) == len(list(arguments["dataset"]))
    assert (arguments["num_calibration_samples"], arguments["max_seq_length"]) == (7, 40)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_modelopt_s_loop_runs_every_row_each_time(size: int) -> None:
    import torch

    seen: list[list[int]] = []

    class Model(torch.nn.Module):
        config = model_of().config

        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(1))

        def forward(self, input_ids: Any, attention_mask: Any, use_cache: bool) -> None:
            assert not torch.is_grad_enabled()
            assert bool(attention_mask.all())
            assert not use_cache
            seen.extend(input_ids.tolist())

    loop = modelopt.forward_loop(RAGGED, size)
    loop(Model())
    loop(Model())
    assert seen == RAGGED * 2


@pytest.mark.parametrize("size", [1, 2, 4])
def test_gptqmodel_has_nothing_to_sort_drop_join_or_pad(size: int) -> None:
    model = model_of()
    model.prepare_dataset = lambda **settings: settings
    arguments = gptqmodel.quantize_arguments(RAGGED, model, size)
    assert [row for item in arguments["calibration"] for row in item["input_ids"]] == RAGGED
    assert all(set(item) == {"input_ids", "attention_mask"} for item in arguments["calibration"])
    assert all(len({len(row) for row in item["input_ids"]}) == 1 for item in arguments["calibration"])
    assert arguments["batch_size"] == 1
    assert arguments["calibration_sort"] is None
    assert arguments["calibration_concat_size"] is None
    # Short rows: the minimum has to reach the data preparation, even where `quantize` forgets it.
    assert model.prepare_dataset() == {"calibration_data_min_length": 0}


def test_gptqmodel_is_left_alone_where_no_row_is_short() -> None:
    model = model_of()
    model.prepare_dataset = prepare = object()
    gptqmodel.quantize_arguments([[1] * 11], model)
    assert model.prepare_dataset is prepare


def test_auto_round_drops_none_for_its_length_or_number() -> None:
    arguments = auto_round.auto_round_arguments(RAGGED, model_of(), 4)
    assert [batch["input_ids"].tolist() for batch in arguments["dataset"]] == [[row] for row in RAGGED]
    assert arguments["seqlen"] == 2
    assert arguments["nsamples"] == 7
    assert (arguments["batch_size"], arguments["gradient_accumulate_steps"]) == (1, 4)
    assert auto_round.auto_round_arguments(RAGGED, model_of(), 99)["gradient_accumulate_steps"] == 7
    with pytest.raises(InputError, match="batch_size"):
        auto_round.auto_round_arguments(RAGGED, model_of(), 0)


def test_every_adapter_refuses_what_the_model_does_not_take() -> None:
    small = model_of(vocabulary=5)
    for hand_over in (
        llm_compressor.oneshot_arguments,
        gptqmodel.quantize_arguments,
        auto_round.auto_round_arguments,
        lambda rows, model: modelopt.forward_loop(rows)(model),
    ):
        with pytest.raises(InputError, match="vocabulary"):
            hand_over([[1], [5]], small)


@pytest.mark.parametrize("name", TARGETS)
def test_printed_lines_are_python_that_calls_what_there_is(name: str) -> None:
    script = TARGETS[name].script(Path('sets/a "quoted" naïve 😀 name'))
    tree = ast.parse(script)
    ours = [
        node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "curator.adapters"
    ]
    names = {alias.name for node in ours for alias in node.names}
    assert "read_set" in names
    module = getattr(curator.adapters, (names - {"read_set"}).pop())
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and getattr(node.func.value, "id", "") == module.__name__.rpartition(".")[2]
    ]
    assert len(calls) == 1
    function = getattr(module, calls[0].func.attr)  # type: ignore[attr-defined]
    inspect.signature(function).bind(*calls[0].args)
    [folder] = [
        node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and "sets/" in str(node.value)
    ]
    assert folder == 'sets/a "quoted" naïve 😀 name'


@pytest.mark.parametrize("name", TARGETS)
def test_printed_lines_fit_on_a_terminal(name: str) -> None:
    assert max(map(len, TARGETS[name].script(Path("sets/coherent-mix")).splitlines())) <= 80


def test_rows_are_not_shared_with_the_caller() -> None:
    rows = [[1, 2]]
    model = SimpleNamespace(config=model_of().config, prepare_dataset=dict)
    calibration = gptqmodel.quantize_arguments(rows, model)["calibration"]
    calibration[0]["input_ids"][0].append(3)
    assert rows == [[1, 2]]
