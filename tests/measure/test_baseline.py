from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator._errors import DependencyError, InputError, RefusedError, ServerError
from curator.measure import baseline as baseline_module
from curator.measure.baseline import Baseline, collect
from curator.measure.baseline_settings import Settings
from curator.measure.heldout import Prompt
from curator.measure.score import check_comparable, score_candidate
from curator.serve.in_process import InProcess
from curator.serve.interface import Continuation, Sampling, Scores, Window
from curator.tokens.tokenizer import Tokenizer

SETTINGS = Settings(tokens=6, max_new=9, top_k=16, batch_sizes=(4, 1))


def prompt(index: int, text: str) -> Prompt:
    return Prompt(f"p{index}", ("prose", "code")[index % 2], "file", "unit", "en", "MIT", text)


PROMPTS = [prompt(i, "The ferry leaves the harbour at noon."[: 36 - 5 * i]) for i in range(6)]


def ignore(_count: int) -> None:
    pass


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer(tiny_model)


@pytest.fixture(scope="module")
def model(tiny_model: Path) -> InProcess:
    return InProcess(tiny_model)


@pytest.fixture(scope="module")
def taken(model: InProcess, tokenizer: Tokenizer, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("baseline") / "base"
    collect(model, tokenizer, PROMPTS, SETTINGS, folder, ignore)
    return folder


@pytest.fixture
def copied(taken: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "copy"
    folder.mkdir()
    for file in taken.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    return folder


class Fake:
    """A server with known answers: continuations given, scores that depend on the window alone."""

    def __init__(self, continuations: dict[int, list[int]] | None = None, logits: bool = False) -> None:
        self.continuations = continuations or {}
        self.logits = logits
        self.notes: list[str] = []
        self.other_facts: dict[str, str] = {}
        self.fail_at: int | None = None

    def longest(self) -> int | None:
        return None

    def facts(self) -> dict[str, str]:
        return {"backend": "fake", "version": "1", "dtype": "float32", **self.other_facts}

    def generate(
        self, prompts: Sequence[Sequence[int]], sampling: Sampling, batch_size: int
    ) -> Iterator[Continuation]:
        for ids in prompts:
            new = self.continuations.get(len(ids), [5] * sampling.new_tokens)[: sampling.new_tokens]
            yield Continuation(tuple(new), len(new) < sampling.new_tokens)

    def score(self, windows: Sequence[Window], top_k: int, batch_size: int) -> Iterator[Scores]:
        for index, window in enumerate(windows):
            if index == self.fail_at:
                raise ServerError("the server died")
            rows = np.stack([np.roll(np.arange(20.0), token) for token in window.ids[window.start :]])
            logprobs = rows - np.log(np.exp(rows).sum(-1, keepdims=True))
            ids = np.argsort(-logprobs, axis=-1)[:, : min(top_k, 20)]
            yield Scores(
                ids.astype(np.int32),
                np.take_along_axis(logprobs, ids, -1).astype(np.float32),
                logprobs[:, 0].astype(np.float32),
                rows.astype(np.float32) if self.logits else None,
            )

    def close(self) -> None:
        pass


def test_a_prompt_that_sets_the_length_of_its_answer_has_its_own_limit(
    tokenizer: Tokenizer, tmp_path: Path
) -> None:
    prompts = [
        Prompt(f"p{number}", "t", "c", "u", "en", "MIT", "a" * (number + 1), output_tokens=own)
        for number, own in enumerate((None, 9, 3, 40, 9))
    ]
    asked: list[tuple[int, int]] = []

    class Asked(Fake):
        def generate(
            self, prompts: Sequence[Sequence[int]], sampling: Sampling, batch_size: int
        ) -> Iterator[Continuation]:
            asked.append((sampling.new_tokens, len(prompts)))
            return super().generate(prompts, sampling, batch_size)

    def new_tokens(settings: Settings) -> list[int]:
        base = collect(Asked(), tokenizer, prompts, settings, tmp_path / "base", ignore)
        by_id = {row["id"]: len(window.ids) for row, window in zip(base.prompts, base.windows, strict=True)}
        return [by_id[prompt.id] - len(prompt.encode(tokenizer)) for prompt in prompts]

    # As many as are scored at least.
    assert new_tokens(Settings(tokens=4, max_new=6, top_k=5, full=False)) == [6, 9, 4, 40, 9]
    assert sorted(asked) == [(4, 1), (6, 1), (9, 2), (40, 1)]
    assert new_tokens(Settings(tokens=4, max_new=8, top_k=5, full=False, most_new=8)) == [8, 8, 4, 8, 8]


def test_a_model_against_itself_is_exactly_zero_at_the_same_batch(taken: Path, model: InProcess) -> None:
    for batch in (4, 1):
        table = score_candidate(Baseline(taken), model, batch, ignore)
        assert (table["kl"] == 0).all()
        assert (table["delta_logprob"] == 0).all()
        assert (table["kl_union"] == 0).all()
        assert (table["top1"] == 1).all()
        assert table.attrs["estimator"] == "full vocabulary"


def test_another_batch_size_is_noise_only(taken: Path, model: InProcess) -> None:
    base = Baseline(taken)
    for one, four in zip(base.scores(1), base.scores(4), strict=True):
        assert one.logits is not None
        assert four.logits is not None
        np.testing.assert_allclose(one.logits, four.logits, atol=1e-3)


def test_two_baselines_are_the_same_bytes(
    taken: Path, model: InProcess, tokenizer: Tokenizer, tmp_path: Path
) -> None:
    again = collect(model, tokenizer, PROMPTS[::-1], SETTINGS, tmp_path / "again", ignore)
    assert [row["id"] for row in again.prompts] == [row["id"] for row in Baseline(taken).prompts]
    assert again.manifest == Baseline(taken).manifest
    for name in ("full-4.npy", "full-1.npy"):
        assert (taken / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


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


def test_windows_are_the_last_tokens_and_never_reach_into_the_prompt(tokenizer: Tokenizer, tmp_path: Path) -> None:
    lengths = [len(item.encode(tokenizer)) for item in PROMPTS]
    # Shorter than the window, exactly as long, longer, and one that ended at once.
    answers = {lengths[0]: [7, 8, 1], lengths[1]: [7] * 6, lengths[2]: list(range(2, 11)), lengths[3]: [1]}
    base = collect(Fake(answers), tokenizer, PROMPTS, SETTINGS, tmp_path / "base", ignore)
    by_id = dict(zip([row["id"] for row in base.prompts], base.windows, strict=True))
    assert by_id["p0"].ids[by_id["p0"].start :] == (7, 8, 1)
    assert by_id["p1"].ids[by_id["p1"].start :] == (7,) * 6
    assert by_id["p2"].ids[by_id["p2"].start :] == (5, 6, 7, 8, 9, 10)
    assert by_id["p3"].ids[by_id["p3"].start :] == (1,)
    for item, length in zip(PROMPTS, lengths, strict=True):
        assert by_id[item.id].ids[:length] == tuple(item.encode(tokenizer))
        assert by_id[item.id].start >= length
    assert base.manifest["scored_tokens"] == sum(window.scored for window in base.windows)


def test_order_is_by_length_then_id_and_progress_counts_every_pass(tokenizer: Tokenizer, tmp_path: Path) -> None:
    counted: list[int] = []
    base = collect(Fake(), tokenizer, PROMPTS, SETTINGS, tmp_path / "base", counted.append)
    lengths = [window.start for window in base.windows]
    assert lengths == sorted(lengths)
    assert sum(counted) == len(PROMPTS) * (1 + len(SETTINGS.batch_sizes))


def test_lists_only_where_full_is_not_wanted(model: InProcess, tokenizer: Tokenizer, tmp_path: Path) -> None:
    settings = Settings(tokens=4, max_new=4, top_k=8, batch_sizes=(4,), full=False)
    base = collect(model, tokenizer, PROMPTS, settings, tmp_path / "base", ignore)
    assert not list(base.folder.glob("full-*"))
    table = score_candidate(base, model, 4, ignore)
    assert table.attrs["estimator"] == "top-8 union"
    assert (table["kl"] == 0).all()
    assert table["js"].isna().all()


def test_top_k_above_the_vocabulary_is_stored_lowered(
    tokenizer: Tokenizer, model: InProcess, tmp_path: Path
) -> None:
    settings = Settings(tokens=2, max_new=2, top_k=100_000, batch_sizes=(4,), full=False)
    base = collect(model, tokenizer, PROMPTS, settings, tmp_path / "base", ignore)
    assert base.top_k == tokenizer.size
    assert base.scores(4)[0].top_ids.shape == (2, tokenizer.size)


def test_an_empty_prompt_is_named(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="held-out prompt p9: no tokens"):
        collect(Fake(), tokenizer, [prompt(9, "")], SETTINGS, tmp_path / "base", ignore)


def test_a_server_that_dies_leaves_no_baseline(tokenizer: Tokenizer, tmp_path: Path) -> None:
    server = Fake()
    server.fail_at = 3
    with pytest.raises(ServerError, match="the server died"):
        collect(server, tokenizer, PROMPTS, SETTINGS, tmp_path / "base", ignore)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_told_before_the_work(
    tokenizer: Tokenizer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = type("Usage", (), {"free": 1000})
    monkeypatch.setattr(baseline_module.shutil, "disk_usage", lambda _: usage)
    with pytest.raises(DependencyError, match="--no-full"):
        collect(Fake(), tokenizer, PROMPTS, SETTINGS, tmp_path / "base", ignore)
    lists_only = Fake()
    lists_only.other_facts = {"backend": "sglang"}
    assert collect(lists_only, tokenizer, PROMPTS, SETTINGS, tmp_path / "base", ignore)


def test_only_taken_batch_sizes_are_given(taken: Path) -> None:
    with pytest.raises(InputError, match=r"no batch size 32; taken: \[4, 1\]"):
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
    np.savez(copied / "windows.npz", ids=np.array([{}]), offsets=np.array([0]), starts=np.array([0]))
    with pytest.raises(InputError, match=r"windows.npz: damaged"):
        Baseline(copied)


def rewrite(folder: Path, **changes: Any) -> None:
    manifest = json.loads((folder / "baseline.json").read_text())
    (folder / "baseline.json").write_text(json.dumps({**manifest, **changes}))


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda folder: (folder / "baseline.json").write_text("{"), "baseline.json:1: not JSON"),
        (lambda folder: (folder / "baseline.json").write_text("[]"), "another version"),
        (lambda folder: (folder / "baseline.json").unlink(), "no such file"),
        (lambda folder: (folder / "windows.npz").unlink(), "windows.npz: no such file"),
        (lambda folder: rewrite(folder, format=99), "another version"),
        (lambda folder: rewrite(folder, prompts=[]), "windows.npz does not fit"),
        (lambda folder: (folder / "baseline.json").write_text('{"format": 1}'), "no server, tokenizer"),
    ],
)
def test_a_tampered_folder_is_a_clear_error(copied: Path, damage: Callable[[Path], Any], words: str) -> None:
    damage(copied)
    with pytest.raises(InputError, match=words):
        Baseline(copied)


def test_files_of_two_baselines_do_not_mix(copied: Path) -> None:
    with np.load(copied / "batch-4.npz") as arrays:
        shorter = {name: arrays[name][:-1] for name in arrays.files}
    np.savez(copied / "batch-4.npz", **shorter)
    with pytest.raises(InputError, match=r"rows of top-K ids for \d+ scored tokens"):
        Baseline(copied).scores(4)
    np.save(copied / "full-1.npy", np.load(copied / "full-1.npy")[:-1])
    with pytest.raises(InputError, match="rows of logits"):
        Baseline(copied).scores(1)


def test_other_facts_are_refused_by_name_and_allowed_by_name(tokenizer: Tokenizer, tmp_path: Path) -> None:
    server = Fake()
    base = collect(server, tokenizer, PROMPTS, SETTINGS, tmp_path / "base", ignore)
    assert check_comparable(base, server) == []
    server.other_facts = {"quantization": "modelopt_fp4", "model_path": "/other"}
    assert check_comparable(base, server) == []
    server.other_facts = {"dtype": "bfloat16", "chunked_prefill_size": "4096"}
    with pytest.raises(
        RefusedError, match=r"dtype: baseline 'float32', candidate 'bfloat16'; chunked_prefill_size"
    ):
        check_comparable(base, server)
    with pytest.raises(RefusedError, match="chunked_prefill_size") as error:
        check_comparable(base, server, allow=("dtype",))
    assert "'bfloat16'" not in str(error.value)
    warnings = check_comparable(base, server, allow=("dtype", "chunked_prefill_size"))
    assert [warning.split(" differs")[0] for warning in warnings] == [
        "not comparable: dtype",
        "not comparable: chunked_prefill_size",
    ]


def test_other_sampling_is_refused(tokenizer: Tokenizer, tmp_path: Path) -> None:
    server = Fake()
    server.other_facts = {"sampling": "temperature 0"}
    base = collect(server, tokenizer, PROMPTS, SETTINGS, tmp_path / "base", ignore)
    server.other_facts = {"sampling": "temperature 0.5"}
    with pytest.raises(RefusedError, match="sampling"):
        check_comparable(base, server)


def test_the_table_has_one_row_a_scored_token(taken: Path, model: InProcess) -> None:
    base = Baseline(taken)
    table = score_candidate(base, model, 4, ignore)
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
    table = score_candidate(Baseline(taken), InProcess(tmp_path), 4, ignore)
    assert (table["kl"] > 0).all()
    assert (table["kl_lumped"] <= table["kl"] + 2e-5).all()
