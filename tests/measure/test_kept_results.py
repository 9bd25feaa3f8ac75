"""What an earlier run left: looked at before it is believed, told, and refused before a model is opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator._errors import InputError, ServerError
from curator._progress import Silent, unseen
from curator.measure.baseline_settings import PHASES, Settings
from curator.measure.collect import begin, collect
from curator.measure.partial import beside
from curator.tokens.tokenizer import Tokenizer
from tests.measure.fake_server import PROMPTS, Fake, prompt

SETTINGS = Settings(tokens=4, max_new=4, top_k=8, batch_sizes=(2, 1), phases=PHASES)


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer(tiny_model)


class Heard(Silent):
    def __init__(self) -> None:
        self.heard: list[str] = []

    def say(self, text: str) -> None:
        self.heard.append(text)


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(folder.iterdir())}


def out_of_range(name: str, value: np.ndarray) -> np.ndarray:
    """Of the right shape: ids, logprobs and counts that cannot be."""
    if name == "new":
        return value.astype(np.int64) - 100
    return value + 10**6 if name == "followed" else value * np.nan if name == "first" else value


DAMAGES: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
    lambda kept: {},
    lambda kept: {**kept, "batch": np.array([1])},
    lambda kept: {name: value for name, value in kept.items() if name == "batch"},
    lambda kept: {name: value[None] for name, value in kept.items()},
    lambda kept: {name: np.array("x") for name in kept},
    lambda kept: {name: value.astype(np.float64) for name, value in kept.items()},
    lambda kept: {name: value[:-1] if value.ndim == 1 else value for name, value in kept.items()},
    lambda kept: {name: out_of_range(name, value) for name, value in kept.items()},
]


@pytest.mark.parametrize("name", ["written", "prefill-2", "decode-1", "again-1"])
def test_a_kept_result_that_cannot_be_one_is_measured_again(
    tokenizer: Tokenizer, tmp_path: Path, name: str
) -> None:
    """Whatever is in the file; and what comes behind it in its pass too."""
    out = tmp_path / "out"

    def taken(server: Fake) -> dict[str, bytes]:
        server.unforced = "no" if name == "again-1" else None
        collect(server, tokenizer, PROMPTS, SETTINGS, out, unseen)
        return files(out)

    whole, told = taken(Fake()), Heard()
    keep = beside(tmp_path / "kept")

    class Stops(Fake):
        """Dies at the end, when all is on the disk."""

        def facts(self) -> dict[str, str]:
            if (beside(out) / f"{'again' if self.unforced else 'decode'}-1-000005.npz").is_file():
                raise ServerError("the end")
            return super().facts()

    with pytest.raises(ServerError):
        taken(Stops())
    shutil.copytree(beside(out), keep)
    for number, damage in enumerate([*DAMAGES, None]):
        shutil.rmtree(beside(out), ignore_errors=True)
        shutil.copytree(keep, beside(out))
        file = beside(out) / f"{name}-000003.npz"
        with np.load(file) as arrays:
            kept = {one: arrays[one] for one in arrays.files}
        if damage is None:
            file.write_bytes(file.read_bytes()[:-20])
        else:
            np.savez(file, **damage(kept))
        if number == 6 and name == "again-1":
            # It holds nothing but single numbers: that one changes none.
            continue
        server = Fake()
        server.unforced = "no" if name == "again-1" else None
        collect(server, tokenizer, PROMPTS, SETTINGS, out, unseen, narrator=told)
        assert len(server.asked) == 1, number
        assert f"{file}: cannot be used; measured again from here on" in told.heard
        assert files(out) == whole
        told.heard.clear()


def test_where_it_goes_on_is_told(tokenizer: Tokenizer, tmp_path: Path) -> None:
    out, server, told = tmp_path / "out", Fake(), Heard()
    server.fail_at = 3
    with pytest.raises(ServerError):
        collect(server, tokenizer, PROMPTS, SETTINGS, out, unseen, narrator=told)
    assert told.heard == []
    collect(Fake(), tokenizer, PROMPTS, SETTINGS, out, unseen, narrator=told)
    assert told.heard == ["goes on: 3 of 24 prompts are done, each counted once a pass"]


def test_what_is_known_without_the_model_is_refused_without_it(tokenizer: Tokenizer, tmp_path: Path) -> None:
    out = tmp_path / "out"
    with begin(out, tokenizer, PROMPTS, SETTINGS):
        # Another command into the same folder, while this one's server is still starting.
        other = begin(out, tokenizer, PROMPTS, SETTINGS)
        with pytest.raises(InputError, match="another curate is at work here; wait for it to end"):
            other.__enter__()
    assert not beside(out).exists()
    server = Fake()
    server.fail_at = 3
    with pytest.raises(ServerError):
        collect(server, tokenizer, PROMPTS, SETTINGS, out, unseen)
    for prompts, settings, words in (
        (PROMPTS[:5], SETTINGS, "prompts_sha256"),
        (PROMPTS, replace(SETTINGS, top_k=7), r"settings: .*'top_k': 8.*'top_k': 7"),
        (PROMPTS, replace(SETTINGS, batch_sizes=(2,)), r"batch_sizes: \[2, 1\] then, \[2\] now"),
    ):
        with pytest.raises(InputError, match=words), begin(out, tokenizer, prompts, settings):
            raise AssertionError("let in")
    with begin(out, tokenizer, PROMPTS[::-1], SETTINGS):
        assert collect(Fake(), tokenizer, PROMPTS, SETTINGS, out, unseen, held=True)
    with pytest.raises(InputError, match="no tokens"), begin(out, tokenizer, [prompt(9, "")], SETTINGS):
        pass
