from __future__ import annotations

import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator._errors import InputError
from curator._progress import unseen
from curator.measure.baseline import WINDOW_ARRAYS, Baseline
from curator.measure.baseline_settings import PHASES, Settings
from curator.measure.collect import collect
from curator.measure.manifest import hashes
from curator.measure.score import score_candidate
from curator.serve.in_process import InProcess
from curator.tokens.tokenizer import Tokenizer
from tests.measure.fake_server import PROMPTS

SETTINGS = Settings(tokens=6, max_new=9, top_k=16, batch_sizes=(4, 1), phases=PHASES)


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer(tiny_model)


@pytest.fixture(scope="module")
def model(tiny_model: Path) -> InProcess:
    return InProcess(tiny_model)


@pytest.fixture(scope="module")
def taken(model: InProcess, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("baseline") / "base"
    collect(model, tokenizer, PROMPTS, SETTINGS, folder, unseen)
    return folder


@pytest.fixture
def copied(taken: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    for file in taken.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


def test_a_model_against_itself_is_exactly_zero_at_the_same_batch(taken: Path, model: InProcess) -> None:
    base = Baseline(taken)
    for batch in (4, 1):
        for phase in base.phases(batch):
            table = score_candidate(base, model, batch, unseen, phase)
            for column in ("kl", "kl_union", "kl_lumped", "kl_uniform", "delta_logprob"):
                assert (table[column] == 0).all(), (batch, phase, column)
            assert (table["top1"] == 1).all()
            assert table.attrs["estimator"] == ("full vocabulary" if phase == "prefill" else "top-16 union")


def test_another_batch_size_is_noise_only(taken: Path, model: InProcess) -> None:
    base = Baseline(taken)
    for one, four in zip(base.scores(1), base.scores(4), strict=True):
        assert one.logits is not None
        assert four.logits is not None
        np.testing.assert_allclose(one.logits, four.logits, atol=1e-3)


def test_two_baselines_are_the_same_bytes(
    taken: Path, model: InProcess, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    again = collect(model, tokenizer, PROMPTS[::-1], SETTINGS, tmp_path / "again", unseen)
    assert [row["id"] for row in again.prompts] == [row["id"] for row in Baseline(taken).prompts]
    assert again.manifest == Baseline(taken).manifest
    assert all(file.read_bytes() == (tmp_path / "again" / file.name).read_bytes() for file in taken.iterdir())


def test_no_file_holds_a_pickle(taken: Path) -> None:
    for file in taken.glob("*.np[yz]"):
        np.load(file, allow_pickle=False)
    assert {file.name for file in taken.iterdir()} == {
        "baseline.json",
        "windows.npz",
        "batch-4.npz",
        "batch-1.npz",
        "full-4.npy",
        "full-1.npy",
    }


def test_lists_only_where_full_is_not_wanted(model: InProcess, tokenizer: Tokenizer, tmp_path: Path) -> None:
    settings = Settings(tokens=4, max_new=4, top_k=8, batch_sizes=(4,), full=False)
    base = collect(model, tokenizer, PROMPTS, settings, tmp_path / "base", unseen)
    assert not list(base.folder.glob("full-*"))
    table = score_candidate(base, model, 4, unseen)
    assert table.attrs["estimator"] == "top-8 union"
    assert (table["kl"] == 0).all()
    assert table["js"].isna().all()


def test_top_k_above_the_vocabulary_is_stored_lowered(
    tokenizer: Tokenizer, model: InProcess, tmp_path: Path
) -> None:
    settings = Settings(tokens=2, max_new=2, top_k=100_000, batch_sizes=(4,), full=False)
    base = collect(model, tokenizer, PROMPTS, settings, tmp_path / "base", unseen)
    assert base.top_k == tokenizer.size
    assert base.scores(4)[0].top_ids.shape == (2, tokenizer.size)


def test_only_taken_batch_sizes_are_given(taken: Path) -> None:
    with pytest.raises(
        InputError, match=r"no prefill at batch size 32; taken: batch 4: prefill, decode; batch 1: prefill, decode"
    ):
        Baseline(taken).scores(32)


@pytest.mark.parametrize("name", ["windows.npz", "batch-4.npz", "full-4.npy"])
@pytest.mark.parametrize("damage", ["cut", "empty", "garbage", "flipped"])
def test_a_damaged_file_is_a_clear_error(copied: Path, name: str, damage: str) -> None:
    content = (copied / name).read_bytes()
    flipped = bytearray(content)
    # In the header for a bare array, in the data for a zip archive, where the checksum finds it.
    flipped[5 if name.endswith(".npy") else 200] ^= 0xFF
    changed = {"cut": content[:-70], "empty": b"", "garbage": b"x" * 400, "flipped": bytes(flipped)}
    (copied / name).write_bytes(changed[damage])
    with pytest.raises(InputError, match=r"damaged .*; take the baseline again") as error:
        Baseline(copied).scores(4)
    assert name in str(error.value)


def test_a_pickle_is_not_opened(copied: Path) -> None:
    arrays = {name: np.array([0]) for name in WINDOW_ARRAYS}
    np.savez(copied / "windows.npz", **{**arrays, "ids": np.array([{}])})
    rewrite(copied, files=hashes(copied))
    with pytest.raises(InputError, match=r"windows.npz: damaged"):
        Baseline(copied)


PROMPT_ROWS = [{"id": "p0", "task": "prose", "corpus": "file"}]


def fifo(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def rewrite(folder: Path, **changes: Any) -> None:
    manifest = json.loads((folder / "baseline.json").read_text())
    (folder / "baseline.json").write_text(json.dumps({**manifest, **changes}))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / "baseline.json").write_text("{"), "baseline.json:1: not JSON"),
        (lambda folder: (folder / "baseline.json").write_text("[]"), "another version"),
        (lambda folder: (folder / "baseline.json").unlink(), "holds no baseline"),
        (lambda folder: (folder / "windows.npz").unlink(), "windows.npz: no such file"),
        (lambda folder: rewrite(folder, format=99), "another version"),
        (lambda folder: rewrite(folder, prompts=[]), "prompts: List should have at least 1 item"),
        (lambda folder: rewrite(folder, prompts=PROMPT_ROWS[:1]), "windows.npz does not fit"),
        (lambda folder: rewrite(folder, prompts=PROMPT_ROWS * len(PROMPTS)), "names two prompts alike"),
        (lambda folder: rewrite(folder, vocabulary=10), "ids outside the vocabulary"),
        (lambda folder: rewrite(folder, vocabulary=True), "vocabulary: Input should be a valid integer"),
        (lambda folder: rewrite(folder, vocabulary=-1), "vocabulary: Input should be greater"),
        (lambda folder: rewrite(folder, vocabulary=1e30), "vocabulary: Input should be a valid integer"),
        (lambda folder: rewrite(folder, weights=None), "weights: Input should be a valid string"),
        (lambda folder: rewrite(folder, server=[]), "server: Input should be a valid dictionary"),
        (lambda folder: rewrite(folder, server={"architecture": 3}), r"server.architecture: .* valid string"),
        (lambda folder: rewrite(folder, settings={}), r"settings.top_k: Field required"),
        (lambda folder: rewrite(folder, settings={"top_k": "16"}), r"settings.top_k: .* valid integer"),
        (lambda folder: rewrite(folder, sizes={"4": None}), r"sizes.4: "),
        (lambda folder: rewrite(folder, sizes={"4": {"phases": True}}), r"sizes.4.phases: .* valid list"),
        (lambda folder: rewrite(folder, sizes={"x": {"phases": []}}), r"sizes.x.\[key\]: "),
        (lambda folder: rewrite(folder, files={}), r"windows.npz: damaged or of another baseline"),
        (lambda folder: fifo(folder / "baseline.json"), "baseline.json: not a regular file"),
        (lambda folder: fifo(folder / "windows.npz"), "windows.npz: not a regular file"),
        (lambda folder: (folder / "baseline.json").write_text('{"format": 1}'), "another version"),
        (lambda folder: (folder / "baseline.json").write_text('{"format": 3}'), "server: Field required"),
        (lambda folder: rewrite(folder, sizes={}), "sizes: Dictionary should have at least 1 item"),
    ],
)
def test_a_tampered_folder_is_a_clear_error(copied: Path, damage: Callable[[Path], Any], words: str) -> None:
    damage(copied)
    with pytest.raises(InputError, match=words):
        Baseline(copied)


def test_a_file_of_another_baseline_is_noticed(copied: Path) -> None:
    """Whole and of the right shape: nothing but the numbers would be wrong."""
    changed = read(copied / "windows.npz")
    np.savez(copied / "windows.npz", **{**changed, "ids": changed["ids"] % 200})
    with pytest.raises(InputError, match=r"windows.npz: damaged or of another baseline \(its SHA-256"):
        Baseline(copied)
    np.savez(copied / "windows.npz", **changed)
    (copied / "batch-4.npz").write_bytes((copied / "batch-1.npz").read_bytes())
    (copied / "full-4.npy").unlink()
    with pytest.raises(InputError, match=r"batch-4.npz: damaged or of another baseline"):
        Baseline(copied).scores(4)
    with pytest.raises(InputError, match=r"full-4.npy: no such file; take the baseline again"):
        rewrite(copied, files={**hashes(copied), "full-4.npy": "0" * 64})
        Baseline(copied).scores(4)


def read(file: Path) -> dict[str, Any]:
    with np.load(file) as arrays:
        return {name: arrays[name] for name in arrays.files}


def test_logits_that_were_kept_and_are_gone_are_no_reason_to_take_the_lists(copied: Path) -> None:
    """Not even where the manifest lists no such file any more."""
    assert Baseline(copied).manifest["sizes"]["4"]["full"]
    (copied / "full-4.npy").unlink()
    rewrite(copied, files=hashes(copied))
    with pytest.raises(InputError, match=r"full-4.npy: no such file; take the baseline again"):
        Baseline(copied).scores(4)
    assert Baseline(copied).scores(4, "decode")[0].logits is None


def test_hashes_that_fit_excuse_nothing(copied: Path) -> None:
    """A folder made by hand: every size and type is checked before it is used."""

    def refused(name: str, arrays: dict[str, Any], words: str) -> None:
        kept = (copied / name).read_bytes()
        np.savez(copied / name, **arrays)
        rewrite(copied, files=hashes(copied))
        with pytest.raises(InputError, match=words):
            Baseline(copied).scores(4)
        (copied / name).write_bytes(kept)

    stored = read(copied / "batch-4.npz")
    shorter = {name: array[:, :-1] if array.ndim == 3 else array[:-1] for name, array in stored.items()}
    refused("batch-4.npz", shorter, r"rows of lists for \d+ scored tokens")
    refused("batch-4.npz", {**stored, "prefill_first": stored["prefill_first"][:-1]}, "batch-4.npz: damaged")
    for name in ("ids", "falls", "first"):
        refused("batch-4.npz", {**stored, f"prefill_{name}": np.array("x")}, "batch-4.npz: damaged")
    windows = read(copied / "windows.npz")
    for odd in (np.float32, np.str_, np.complex64, "datetime64[s]"):
        for name in WINDOW_ARRAYS:
            refused("windows.npz", {**windows, name: windows[name].astype(odd)}, "does not fit together")
    refused("windows.npz", {**windows, "offsets": np.array(0)}, "does not fit together")
    refused("windows.npz", {**windows, "picked": windows["picked"] + 100}, "tokens that its windows do not score")
    refused("windows.npz", {**windows, "ids": windows["ids"] - 10_000}, "ids outside the vocabulary")
    np.save(copied / "full-1.npy", np.load(copied / "full-1.npy")[:-1])
    rewrite(copied, files=hashes(copied))
    with pytest.raises(InputError, match="rows of logits"):
        Baseline(copied).scores(1)


def test_a_header_beyond_all_memory_is_damage(copied: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<i8", "fortran_order": False, "shape": (10**13,)})
    with zipfile.ZipFile(copied / "windows.npz", "w") as archive:
        for name in WINDOW_ARRAYS:
            archive.writestr(f"{name}.npy", header.getvalue())
    rewrite(copied, files=hashes(copied))
    with pytest.raises(InputError, match=r"windows.npz: damaged \(\w+\); take the baseline again"):
        Baseline(copied)


def test_the_table_has_one_row_a_scored_token(taken: Path, model: InProcess) -> None:
    base = Baseline(taken)
    table = score_candidate(base, model, 4, unseen)
    assert len(table) == base.manifest["scored_tokens"]
    assert table.groupby("prompt", sort=False)["position"].max().tolist() == [w.scored - 1 for w in base.windows]
    assert set(table["task"]) == {"prose", "code"}


def test_another_model_differs(tiny_model: Path, taken: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    for file in tiny_model.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    tensors = load_file(tiny_model / "model.safetensors")
    tensors["model.layers.0.mlp.down_proj.weight"] = tensors["model.layers.0.mlp.down_proj.weight"] * 1.05
    (tmp_path / "model.safetensors").unlink()
    save_file(tensors, tmp_path / "model.safetensors", metadata={"format": "pt"})
    table = score_candidate(Baseline(taken), InProcess(tmp_path), 4, unseen)
    assert (table["kl"] > 0).all()
    assert (table["kl_lumped"] <= table["kl"] + 2e-5).all()
