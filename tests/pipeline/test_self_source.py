"""The model's own text as a source of a set, with a model of known answers in place of one that is loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from answer_servers import Scripted
from recipe_builds import QUIET, pieces, rows

from curator._errors import InputError
from curator.corpora.document import Message
from curator.measure.heldout import Prompt
from curator.pipeline.answers.ask import BATCH, Answerer
from curator.pipeline.build import build_draws
from curator.pipeline.calibration_set import CalibrationSet
from curator.pipeline.supply_check import check_supply
from curator.recipe.load import LoadedRecipe, load_recipe
from curator.serve.in_process import InProcess
from curator.tokens.tokenizer import Tokenizer

Say = Callable[[str], str | None]


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer(tiny_model)


def questions(folder: Path, count: int, answer: str = "") -> dict[str, Any]:
    """A source of questions in a file, each with its answer when one is given."""
    turns = [
        [
            {"role": "user", "content": f"What is number {number} of the list?"},
            *([{"role": "assistant", "content": answer.format(number=number)}] if answer else []),
        ]
        for number in range(count)
    ]
    rows(folder / "q.jsonl", [{"messages": one} for one in turns])
    return {"files": "q.jsonl"}


def loaded(folder: Path, prompts: dict[str, Any], size: tuple[int, int], **source: Any) -> LoadedRecipe:
    own = {"generate": "self", "task": "a", "prompts": prompts, "max_new": 64, **source}
    recipe = {
        "name": "t",
        "size": {"samples": size[0], "tokens": size[1]},
        "target": {"tasks": {"a": 1}},
        "sources": [own],
        "gates": QUIET,
        "continuity": {"min": False},
    }
    path = folder / "recipe.yaml"
    path.write_text(json.dumps(recipe), encoding="utf-8")
    return load_recipe(path)


def built(
    recipe: LoadedRecipe, model: Scripted, tokenizer: Tokenizer, draws: int = 1, held_out: Sequence[Prompt] = ()
) -> list[CalibrationSet]:
    answerer = model.answerer(recipe.path.parent / "cache")
    return build_draws(recipe, tokenizer, draws, held_out, answerer=answerer)


def answers(text: str) -> str:
    number = text.split("number ")[1].split()[0]
    return f"It is {int(number) * 7}, I should say."


def test_a_sample_is_the_prompt_with_the_models_answer(tokenizer: Tokenizer, tmp_path: Path) -> None:
    model = Scripted(tokenizer, answers)
    (made,) = built(loaded(tmp_path, questions(tmp_path, 40, "{number}"), (2, 256)), model, tokenizer)
    first = made.sequences[0].parts[0].segment
    number = first.text.split("number ")[1].split()[0]
    answer = f"It is {int(number) * 7}, I should say."
    assert first.text == f"What is number {number} of the list?\n\n{answer}"
    turns = [Message("user", f"What is number {number} of the list?"), Message("assistant", answer)]
    assert tokenizer.decode(list(first.ids)) == tokenizer.decode(tokenizer.encode_chat(turns))
    assert (first.corpus, first.task) == ("self:q.jsonl", "a")
    # The file's own answers were not shown to the model.
    assert all(text.endswith("<|start|>assistant\n") and "list?<|end|>" in text for text in model.asked[0])


def test_no_more_is_asked_than_the_set_needs(tokenizer: Tokenizer, tmp_path: Path) -> None:
    model = Scripted(tokenizer, answers)
    (made,) = built(loaded(tmp_path, questions(tmp_path, 400), (2, 256)), model, tokenizer)
    used = len(pieces(made))
    assert [len(batch) for batch in model.asked] == [BATCH] * -(-used // BATCH)
    assert made.tokens == 512


def test_a_set_is_the_same_again_without_a_model(tokenizer: Tokenizer, tmp_path: Path) -> None:
    recipe = loaded(tmp_path, questions(tmp_path, 40), (2, 256))
    model = Scripted(tokenizer, answers)
    first = built(recipe, model, tokenizer)[0]
    asked = len(model.asked)
    second = built(recipe, model, tokenizer)[0]
    assert second.rows == first.rows
    assert len(model.asked) == asked
    (tmp_path / "cache").rename(tmp_path / "gone")
    assert built(recipe, model, tokenizer)[0].rows == first.rows


def test_draws_have_other_prompts(tokenizer: Tokenizer, tmp_path: Path) -> None:
    recipe = loaded(tmp_path, questions(tmp_path, 60), (2, 256))
    one, two = built(recipe, Scripted(tokenizer, answers), tokenizer, draws=2)
    assert not pieces(one) & pieces(two)
    assert built(recipe, Scripted(tokenizer, answers), tokenizer)[0].rows == one.rows


def test_what_is_no_answer_is_counted_by_its_reason(tokenizer: Tokenizer, tmp_path: Path) -> None:
    said: dict[int, str | None] = {0: None, 1: "", 2: "na " * 60, 3: "It was 3."}

    def say(text: str) -> str | None:
        return said[int(text.split("number ")[1].split()[0]) % 4]

    recipe = loaded(tmp_path, questions(tmp_path, 24, "was {number}."), (1, 512), keep="gold", max_new=40)
    (made,) = built(recipe, Scripted(tokenizer, say), tokenizer)
    assert made.dropped == {"loop": 12, "empty_answer": 6, "wrong_answer": 5}
    assert len(pieces(made)) == 1
    assert made.is_short()
    assert "loop" in made.examples
    # All are asked before the source counts as used up.
    assert any("self:q.jsonl" in warning for warning in made.warnings)


def test_held_out_prompts_are_not_asked(tokenizer: Tokenizer, tmp_path: Path) -> None:
    rows(tmp_path / "q.jsonl", [
        {"messages": [{"role": "user", "content": text}]}
        for text in [HELD_OUT, *(f"What is number {number} of the list?" for number in range(12))]
    ])  # fmt: skip
    held = Prompt("h", "a", "c", "u", "en", "MIT", "", (Message("user", HELD_OUT),))
    model = Scripted(tokenizer, lambda text: answers(text) if "number" in text else "Nobody knows.")
    (made,) = built(loaded(tmp_path, {"files": "q.jsonl"}, (1, 1024)), model, tokenizer, held_out=[held])
    assert made.dropped == {"leakage": 1}
    assert not any("lighthouse" in text for batch in model.asked for text in batch)
    assert len(pieces(made)) == 12


HELD_OUT = "Which keeper of the northern lighthouse wrote down the storms of the year in which the old pier fell?"


def test_a_long_prompt_leaves_no_room_and_is_not_asked(tokenizer: Tokenizer, tmp_path: Path) -> None:
    long = " ".join(f"word{number}" for number in range(200))
    rows(
        tmp_path / "q.jsonl", [{"messages": [{"role": "user", "content": long}]}, "What is number 3 of the list?"]
    )
    model = Scripted(tokenizer, answers)
    (made,) = built(loaded(tmp_path, {"files": "q.jsonl"}, (1, 256)), model, tokenizer)
    assert made.dropped == {"long_prompt": 1}
    assert len(model.asked) == 1
    assert len(model.asked[0]) == 1


def test_thoughts_go_to_their_own_field(tokenizer: Tokenizer, tmp_path: Path) -> None:
    model = Scripted(tokenizer, lambda _: "<think>\nLet me count.\n</think>\n\nSeven.")
    (made,) = built(loaded(tmp_path, questions(tmp_path, 8), (1, 128)), model, tokenizer)
    segment = made.sequences[0].parts[0].segment
    assert segment.text.endswith("Let me count.\n\nSeven.")
    assert "<think>\nLet me count.\n</think>\n\nSeven." in tokenizer.decode(list(segment.ids))


def test_generated_prompts_leave_room_for_the_answer(tokenizer: Tokenizer, tmp_path: Path) -> None:
    model = Scripted(tokenizer, lambda _: "I do not know.")
    prompts = {"generate": "passkey"}
    recipe = loaded(tmp_path, prompts, (2, 480), max_new=64, temperature=0.5, seed=9)
    (made,) = built(recipe, model, tokenizer)
    assert all(0.97 * 416 <= size <= 416 for size in model.lengths)
    assert made.tokens == 960
    assert {(one.temperature, one.seed) for one in model.samplings} == {(0.5, 9)}


def test_prompts_with_the_same_seed_are_those_of_no_other_source(tokenizer: Tokenizer, tmp_path: Path) -> None:
    recipe = loaded(tmp_path, {"generate": "passkey"}, (1, 480), max_new=64)
    model = Scripted(tokenizer, lambda _: "I do not know.")
    built(recipe, model, tokenizer)
    texts = [text for batch in model.asked for text in batch]
    assert len(set(texts)) == len(texts)


def test_checking_a_recipe_touches_no_model(tmp_path: Path) -> None:
    (line,) = check_supply(loaded(tmp_path, questions(tmp_path, 8), (1, 256)), 1).lines
    assert (line.source, line.pool_tokens, line.needed_tokens) == ("self:q.jsonl", None, 256)


def test_without_a_model_the_source_says_so(tokenizer: Tokenizer, tmp_path: Path) -> None:
    recipe = loaded(tmp_path, questions(tmp_path, 8), (1, 256))
    with pytest.raises(InputError, match=r"self:q.jsonl: answers are made by `curate build` and `curate rank`"):
        build_draws(recipe, tokenizer, 1, [])


def test_a_prompt_source_that_cannot_be_opened_is_told_with_its_line(tokenizer: Tokenizer, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"recipe.yaml:1.*passkey: \d+ tokens are too few .*\(size.tokens and"):
        built(loaded(tmp_path, {"generate": "passkey"}, (1, 64)), Scripted(tokenizer, answers), tokenizer)


def test_a_real_model_answers_the_same_each_time(tiny_model: Path, tokenizer: Tokenizer, tmp_path: Path) -> None:
    # Of random weights; sampled, so that some of its answers end.
    recipe = loaded(tmp_path, questions(tmp_path, 80), (1, 128), temperature=1.2, max_new=48)

    def build_in(cache: str) -> CalibrationSet:
        answerer = Answerer(
            lambda: InProcess(tiny_model), lambda: tiny_model, tokenizer, lambda _: None, tmp_path / cache
        )
        with closing(answerer):
            return build_draws(recipe, tokenizer, 1, [], answerer=answerer)[0]

    first = build_in("one")
    assert first.tokens == 128
    assert first.dropped["truncated"] > 0
    assert build_in("two").rows == first.rows == build_in("one").rows
