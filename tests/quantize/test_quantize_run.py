"""Real quantisation of the tiny model, in the child process as users run it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from curator._errors import DependencyError, InputError, RefusedError
from curator.quantize import run
from curator.quantize.checkpoint import (
    Tensors,
    check_checkpoint,
    dequantized,
    linear_names,
    quantization_config,
    stored_scheme,
    tensors_sha256,
)
from curator.quantize.twin import write_twin
from curator.serve.in_process import InProcess
from curator.serve.interface import Window

pytestmark = pytest.mark.model

ROWS = [[(7 * row + 3 * column * column) % 290 + 2 for column in range(24 + row)] for row in range(6)]


@pytest.fixture(scope="module")
def checkpoints(tiny_model: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("quantised")
    receipts = {
        "gptq": run.quantize_model(tiny_model, "gptq", ROWS, "hash", folder / "gptq"),
        "again": run.quantize_model(tiny_model, "gptq", ROWS, "hash", folder / "again"),
        "rtn": run.quantize_model(tiny_model, "rtn", [], "", folder / "rtn"),
        "max": run.quantize_model(tiny_model, "max", ROWS, "hash", folder / "max"),
    }
    return {"folder": folder, "receipts": receipts}


@pytest.fixture
def gptq(checkpoints: dict[str, Any]) -> Path:
    folder: Path = checkpoints["folder"] / "gptq"
    return folder


def test_the_folder_is_a_whole_checkpoint(gptq: Path, tiny_model: Path) -> None:
    assert quantization_config(gptq)["format"] == "nvfp4-pack-quantized"
    assert stored_scheme(quantization_config(gptq)) == "W4A4"
    assert check_checkpoint(gptq, asked="W4A4").linears == 14
    assert {"config.json", "model.safetensors", "tokenizer.json", "curate.json"} <= {
        file.name for file in gptq.iterdir()
    }
    assert not list(gptq.parent.glob(".*"))
    assert not list(gptq.parent.glob("*.log"))


def test_head_embedding_and_norms_stay_as_they_were(gptq: Path, tiny_model: Path) -> None:
    with ExitStack() as stack:
        made, source = Tensors(gptq, stack), Tensors(tiny_model, stack)
        assert "model.embed_tokens.weight" in made
        packed = set(linear_names(made))
        assert not any("lm_head" in name or "embed" in name for name in packed)
        for name in source:
            if name.removesuffix(".weight") not in packed:
                assert made[name].dtype == torch.bfloat16
                assert torch.equal(made[name], source[name])


def test_quantising_twice_gives_the_same_tensors(checkpoints: dict[str, Any]) -> None:
    receipts = checkpoints["receipts"]
    assert receipts["gptq"]["tensors_sha256"] == receipts["again"]["tensors_sha256"]
    assert receipts["gptq"]["tensors_sha256"] == tensors_sha256(checkpoints["folder"] / "gptq")
    assert len({receipts[name]["tensors_sha256"] for name in ("gptq", "rtn", "max")}) == 3


def test_the_receipt_counts_what_reached_the_model(checkpoints: dict[str, Any]) -> None:
    receipts = checkpoints["receipts"]
    tokens = sum(map(len, ROWS))
    assert receipts["gptq"]["reached_model"] == {"sequences": 6, "tokens": tokens}
    assert receipts["max"]["reached_model"] == {"sequences": 6, "tokens": tokens}
    assert receipts["rtn"]["reached_model"] is None
    stored = json.loads((checkpoints["folder"] / "gptq" / "curate.json").read_text())
    assert stored == receipts["gptq"]


def test_rtn_has_no_data_in_it(checkpoints: dict[str, Any]) -> None:
    folder = checkpoints["folder"]
    with ExitStack() as stack:
        rtn, maximum = Tensors(folder / "rtn", stack), Tensors(folder / "max", stack)
        for name in rtn:
            if name.endswith("input_global_scale"):
                assert rtn[name].tolist() == [1.0]
                assert maximum[name].item() != 1.0
            else:
                # Max calibration and round to nearest differ in activation scales only.
                assert torch.equal(rtn[name].view(torch.uint8), maximum[name].view(torch.uint8))


def test_gptq_changes_weights(checkpoints: dict[str, Any]) -> None:
    with ExitStack() as stack:
        one, other = (Tensors(checkpoints["folder"] / name, stack) for name in ("gptq", "rtn"))
        name = "model.layers.1.mlp.down_proj.weight_packed"
        assert not torch.equal(one[name], other[name])


def loaded_by_transformers(folder: Path) -> Any:
    from transformers import AutoModelForCausalLM

    # BF16, because compressed-tensors unpacks to BF16 whatever is asked.
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()
    # compressed-tensors unpacks in a hook of the root module: one call makes the weights readable.
    model(input_ids=torch.tensor([[5, 6, 7]]))
    return model


@pytest.fixture(scope="module")
def transformers_model(checkpoints: dict[str, Any]) -> Any:
    return loaded_by_transformers(checkpoints["folder"] / "gptq")


@pytest.mark.parametrize("module", ["model.layers.0.self_attn.q_proj", "model.layers.1.mlp.down_proj"])
def test_our_unpacking_equals_transformers(gptq: Path, transformers_model: Any, module: str) -> None:
    theirs = transformers_model.get_submodule(module).weight.detach()
    with ExitStack() as stack:
        ours = dequantized(Tensors(gptq, stack), module)
    assert torch.equal(ours.to(theirs.dtype), theirs)


def windows() -> list[Window]:
    return [Window(tuple(row), 1) for row in ROWS]


def assert_w4a4_logits_equal(folder: Path, dtype: Any, theirs: Any, tolerance: float) -> None:
    for window, scores in zip(windows(), InProcess(folder, "W4A4", dtype).score(windows(), 8, 1), strict=True):
        with torch.inference_mode():
            logits = theirs(input_ids=torch.tensor([window.ids])).logits[0, :-1].float()
        assert scores.logits is not None
        np.testing.assert_allclose(scores.logits, logits.numpy(), rtol=0, atol=tolerance)


def test_w4a4_logits_equal_transformers_own_in_bfloat16(gptq: Path, transformers_model: Any) -> None:
    assert_w4a4_logits_equal(gptq, "bfloat16", transformers_model, W4A4_TOLERANCE)


def test_w4a4_logits_equal_transformers_own_in_float32(gptq: Path) -> None:
    """The weights unrounded, as ours are: what is left to compare is the quantising of activations."""
    # transformers' own .float() refuses quantised models.
    model = torch.nn.Module.float(loaded_by_transformers(gptq))
    with ExitStack() as stack:
        tensors = Tensors(gptq, stack)
        for name in linear_names(tensors):
            model.get_submodule(name).weight.data = dequantized(tensors, name)
    assert_w4a4_logits_equal(gptq, "float32", model, W4A4_TOLERANCE)


# Measured: 0 in both dtypes. A fused kernel on another machine may round elsewhere.
W4A4_TOLERANCE = 1e-4


def test_w4a16_logits_equal_the_twins_exactly(gptq: Path, tmp_path: Path) -> None:
    write_twin(gptq, tmp_path / "twin")
    candidate, twin = InProcess(gptq, "W4A16"), InProcess(tmp_path / "twin")
    for one, other in zip(candidate.score(windows(), 8, 3), twin.score(windows(), 8, 3), strict=True):
        assert one.logits is not None
        assert other.logits is not None
        np.testing.assert_array_equal(one.logits, other.logits)


def test_the_scheme_changes_the_logits(gptq: Path) -> None:
    (w4a4,) = InProcess(gptq, "W4A4").score(windows()[:1], 8, 1)
    (w4a16,) = InProcess(gptq, "W4A16").score(windows()[:1], 8, 1)
    assert w4a4.logits is not None
    assert w4a16.logits is not None
    assert np.abs(w4a4.logits - w4a16.logits).max() > 1e-3


def edited(source: Path, out: Path, change: Any) -> Path:
    """A copy of a checkpoint with its tensors and config changed."""
    from safetensors.torch import save_file

    out.mkdir()
    with ExitStack() as stack:
        tensors = Tensors(source, stack)
        held = {name: tensors[name] for name in tensors}
    settings = json.loads((source / "config.json").read_text())
    change(held, settings)
    save_file(held, out / "model.safetensors")
    (out / "config.json").write_text(json.dumps(settings))
    return out


def test_w4a4_of_a_weight_only_checkpoint_is_refused(gptq: Path, tmp_path: Path) -> None:
    def no_scales(tensors: dict[str, Any], _settings: Any) -> None:
        for name in [name for name in tensors if name.endswith("input_global_scale")]:
            del tensors[name]

    def weight_only(tensors: dict[str, Any], settings: Any) -> None:
        no_scales(tensors, settings)
        for group in settings["quantization_config"]["config_groups"].values():
            group["input_activations"] = None

    with pytest.raises(InputError, match="weight-only"):
        InProcess(edited(gptq, tmp_path / "a", weight_only), "W4A4")
    with pytest.raises(InputError, match="no input_global_scale"):
        InProcess(edited(gptq, tmp_path / "b", no_scales), "W4A4")
    assert InProcess(tmp_path / "a", "W4A16")


def test_an_untied_model_without_its_head_is_refused(gptq: Path, tmp_path: Path) -> None:
    def untie(_tensors: Any, settings: Any) -> None:
        settings["tie_word_embeddings"] = False

    with pytest.raises(InputError, match=r"does not fit its config\.json: lm_head\.weight"):
        InProcess(edited(gptq, tmp_path / "untied", untie), "W4A16")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda digests: digests[1:], "1 of 2 rows never reached"),
        (lambda digests: [*digests, "other"], "0 of 2 rows never .* 1 other rows did"),
        (lambda digests: [digests[0], "other"], "1 of 2 rows never .* 1 other rows did"),
    ],
)
def test_other_rows_than_the_sets_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Any, words: str
) -> None:
    digests = [run.row_digest(row) for row in ROWS[:2]]
    audit = {"sequences": 2, "tokens": 50, "digests": change(digests)}
    monkeypatch.setattr(run, "run_module", lambda *_: json.dumps(audit))
    with pytest.raises(RefusedError, match=words):
        run.quantize_model(tmp_path, "gptq", ROWS[:2], "hash", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))


def test_a_failing_child_leaves_no_folder_and_keeps_its_log(tmp_path: Path) -> None:
    with pytest.raises(DependencyError, match=r"quantising with max failed .*the whole log is .*out\.log"):
        run.quantize_model(tmp_path / "no-such-model", "max", ROWS[:1], "hash", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))
    assert "Traceback" in (tmp_path / "out.log").read_text()


def test_an_old_checkpoint_survives_a_failure(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "keep").write_text("old")
    with pytest.raises(DependencyError):
        run.quantize_model(tmp_path / "no-such-model", "max", ROWS[:1], "hash", tmp_path / "out")
    assert (tmp_path / "out" / "keep").read_text() == "old"


COMMAND = """
import sys
from pathlib import Path
from curator.quantize.run import quantize_model
quantize_model(Path(sys.argv[1]), "gptq", [[(i * j) % 290 for i in range(200)] for j in range(1, 400)],
               "hash", Path(sys.argv[2]))
"""


def workers_of(parent: int) -> list[int]:
    """Processes that ``parent`` started, from /proc."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z":
                found.append(int(entry.name))
    return found


def gone(process: int) -> bool:
    try:
        return (Path("/proc") / str(process) / "stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def wait_for(condition: Any, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.fixture
def running(tiny_model: Path, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], int]]:
    parent = subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(tiny_model), str(tmp_path / "out")], stderr=subprocess.DEVNULL
    )
    try:
        assert wait_for(lambda: (tmp_path / "out.log").exists() and workers_of(parent.pid), 60)
        (worker,) = workers_of(parent.pid)
        # Past its first imports, so that it has asked the kernel to end with its parent.
        assert wait_for(lambda: (tmp_path / "out.log").stat().st_size > 0, 120)
        yield parent, worker
    finally:
        parent.kill()
        parent.wait()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs prctl and /proc")
def test_the_child_dies_with_a_killed_parent(running: tuple[subprocess.Popen[bytes], int]) -> None:
    parent, worker = running
    parent.kill()
    parent.wait()
    assert wait_for(lambda: gone(worker), 10)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_ctrl_c_ends_the_child_and_leaves_no_folder(
    running: tuple[subprocess.Popen[bytes], int], tmp_path: Path
) -> None:
    parent, worker = running
    os.kill(parent.pid, signal.SIGINT)
    assert parent.wait(20) == -signal.SIGINT
    assert wait_for(lambda: gone(worker), 5)
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".out*"))
