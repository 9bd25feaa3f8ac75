from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from answer_servers import Scripted

from curator.pipeline.answers.ask import Answerer
from curator.scores.store import NAME
from curator.serve.interface import Sampling
from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def tokenizer(tiny_model: Path) -> Tokenizer:
    return Tokenizer(tiny_model)


@pytest.fixture
def model(tokenizer: Tokenizer) -> Scripted:
    return Scripted(tokenizer, lambda text: f"You said {text}.")


def prompts(tokenizer: Tokenizer, *texts: str) -> list[list[int]]:
    return [tokenizer.encode(text) for text in texts]


def test_answers_come_back_as_they_were(tokenizer: Tokenizer, model: Scripted, tmp_path: Path) -> None:
    asked = prompts(tokenizer, "one", "two", "a much longer one")
    model.notes = ["of four bits"]
    first, second = model.answerer(tmp_path), model.answerer(tmp_path)
    assert first.answer(asked, Sampling(12)) == second.answer(asked, Sampling(12))
    # What is told of a set must not hang on whether its answers were kept.
    assert first.notes == second.notes == ["of four bits"]
    found = first.answer(asked, Sampling(12))
    assert [one.finished for one in found] == [True, True, False]
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    ("texts", "sampling"),
    [
        (("one", "three"), Sampling(64)),
        (("two", "one"), Sampling(64)),
        (("one",), Sampling(64)),
        (("one", "two"), Sampling(65)),
        (("one", "two"), Sampling(64, 0.5)),
        (("one", "two"), Sampling(64, 0.0, 1)),
    ],
    ids=["prompt", "order", "batch", "length", "temperature", "seed"],
)
def test_whatever_an_answer_hangs_on_is_asked_anew(
    tokenizer: Tokenizer, model: Scripted, tmp_path: Path, texts: tuple[str, ...], sampling: Sampling
) -> None:
    answerer = model.answerer(tmp_path)
    answerer.answer(prompts(tokenizer, "one", "two"), Sampling(64))
    answerer.answer(prompts(tokenizer, *texts), sampling)
    assert len(model.asked) == 2
    assert model.opened == 1


def test_the_model_and_the_template_are_part_of_it(
    tokenizer: Tokenizer, model: Scripted, tiny_model: Path, tmp_path: Path
) -> None:
    asked = prompts(tokenizer, "one")
    model.answerer(tmp_path).answer(asked, Sampling(64))
    local = Answerer(lambda: model, lambda: tiny_model, tokenizer, lambda _: None, tmp_path)
    local.answer(asked, Sampling(64))
    template = tmp_path / "t.jinja"
    template.write_text("{% for m in messages %}{{ m['content'] }}{% endfor %}")
    other = Answerer(lambda: model, lambda: tiny_model, Tokenizer(tiny_model, template), lambda _: None, tmp_path)
    other.answer(asked, Sampling(64))
    assert len(model.asked) == 3
    # A folder needs no model to be known again: none is opened for answers that are there.
    closed = Answerer(lambda: pytest.fail("opened"), lambda: tiny_model, tokenizer, lambda _: None, tmp_path)
    assert closed.answer(asked, Sampling(64)) == local.answer(asked, Sampling(64))


def test_what_is_damaged_is_asked_again_and_told(tokenizer: Tokenizer, model: Scripted, tmp_path: Path) -> None:
    asked = prompts(tokenizer, "one", "two")
    first = model.answerer(tmp_path)
    right = first.answer(asked, Sampling(64))
    first.close()
    with sqlite3.connect(tmp_path / NAME) as file:
        file.execute("UPDATE scores SET vector = x'00000000'")
    file.close()
    told: list[str] = []
    answerer = model.answerer(tmp_path, told.append)
    assert answerer.answer(asked, Sampling(64)) == right
    assert len(model.asked) == 2
    assert "damaged" in told[0]
    (tmp_path / NAME).write_bytes(b"no database")
    assert model.answerer(tmp_path, told.append).answer(asked, Sampling(64)) == right


def test_what_takes_long_is_told_before_it_begins_and_every_half_minute(
    tokenizer: Tokenizer, model: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("curator.pipeline.answers.ask.time.monotonic", lambda: clock[0])
    told: list[str] = []
    answerer = model.answerer(tmp_path, told.append)
    lengths = []
    for second, text in ((100, "one"), (129, "two"), (130, "three"), (159, "four"), (161, "five")):
        clock[0] = second
        (answer,) = answerer.answer(prompts(tokenizer, text), Sampling(64))
        lengths.append(len(answer.ids))
    assert told == [
        "asking the model: 8 prompts at a time, up to 64 tokens each",
        f"answers of the model: 3 made, {sum(lengths[:3]) / 3:.0f} tokens each",
        f"answers of the model: 5 made, {sum(lengths) / 5:.0f} tokens each",
    ]
    # What is kept takes no time.
    model.answerer(tmp_path, told.append).answer(prompts(tokenizer, "one"), Sampling(64))
    assert len(told) == 3
