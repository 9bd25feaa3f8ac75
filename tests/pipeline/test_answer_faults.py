"""A server that answers, but not as it should: one line, or refusals that are counted; never a set of nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from recipe_builds import QUIET, rows

from curator._errors import InputError, ServerError
from curator.pipeline.answers.ask import Answerer
from curator.pipeline.build import build_draws
from curator.recipe.load import LoadedRecipe, load_recipe
from curator.serve.sglang import SGLang
from curator.tokens.tokenizer import Tokenizer
from tests.serve.stub_sglang import Stub


class Saying(Stub):
    """Says the same to every prompt."""

    said: Any = ()

    def answer(self, index: int, body: dict[str, Any]) -> dict[str, Any]:
        meta = {
            "prompt_tokens": len(body["input_ids"][index]),
            "cached_tokens": 0,
            "finish_reason": {"type": "stop"},
        }
        return {"text": "", "output_ids": self.said, "meta_info": meta}


@pytest.fixture
def server() -> Iterator[Saying]:
    stub = Saying()
    stub.info["max_req_input_len"] = 4_000
    yield stub
    stub.stop()


def asked(folder: Path) -> LoadedRecipe:
    rows(folder / "q.jsonl", [{"messages": [{"role": "user", "content": f"What is {n}?"}]} for n in range(24)])
    recipe = {
        "name": "t",
        "size": {"samples": 1, "tokens": 256},
        "target": {"tasks": {"a": 1}},
        "sources": [{"generate": "self", "task": "a", "prompts": {"files": "q.jsonl"}, "max_new": 64}],
        "gates": QUIET,
        "continuity": {"min": False},
    }
    (folder / "recipe.yaml").write_text(json.dumps(recipe))
    return load_recipe(folder / "recipe.yaml")


def built(server: Saying, model: Path, folder: Path) -> None:
    tokenizer = Tokenizer(model)

    def opened() -> SGLang:
        return SGLang(server.url, vocabulary=tokenizer.size, backoff=0.01)

    with closing(Answerer(opened, lambda: None, tokenizer, lambda _: None, folder / "cache")) as answerer:
        build_draws(asked(folder), tokenizer, 1, [], answerer=answerer)


def test_answers_that_are_none_stop_the_build_in_one_line(
    server: Saying, tiny_model: Path, tmp_path: Path
) -> None:
    for said, told in (
        ((200, b"\xff{no"), "the answer is not JSON"),
        ((500, b'{"error":{"message":"out of memory"}}'), r"failed 4 times \(500: out of memory\)"),
    ):
        # As often for one prompt alone as for eight, four and two.
        server.failures = [said] * 16
        with pytest.raises(ServerError, match=f"/generate: {told}"):
            built(server, tiny_model, tmp_path)
    for ids in (None, [], [-4], [10**30], "abc", [[1]]):
        server.said = ids
        with pytest.raises(ServerError, match="/generate: "):
            built(server, tiny_model, tmp_path)


def test_empty_answers_are_counted_and_end(server: Saying, tiny_model: Path, tmp_path: Path) -> None:
    server.said = [Tokenizer(tiny_model).eos_id]
    with pytest.raises(InputError, match=r"the sources gave no text at all .*empty"):
        built(server, tiny_model, tmp_path)
    # Each of the 24 prompts was asked once, eight at a time.
    assert len(server.sent("/generate")) == 3
