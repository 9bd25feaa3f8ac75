from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from curator._errors import InputError
from curator.corpora.document import Message
from curator.corpora.heldout_split import is_heldout
from curator.measure.heldout import (
    DEFAULT_SOURCES,
    Prompt,
    load_prompts,
    make_heldout,
    prompts_sha256,
    refuse_other_file,
    save_prompts,
)
from curator.tokens.tokenizer import Tokenizer


@pytest.fixture(scope="module")
def prompts() -> list[Prompt]:
    return make_heldout(4)


def test_the_choice_is_the_same_each_time(prompts: list[Prompt]) -> None:
    assert make_heldout(4) == prompts
    # A longer list begins with the shorter one: prompts are added, not exchanged.
    more = make_heldout(6)
    for task in DEFAULT_SOURCES:
        mine = [item for item in prompts if item.task == task]
        assert [item for item in more if item.task == task][: len(mine)] == mine


def test_every_prompt_is_from_a_held_out_unit_and_no_unit_weighs_too_much(prompts: list[Prompt]) -> None:
    assert Counter(item.task for item in prompts) == dict.fromkeys(DEFAULT_SOURCES, 4)
    assert all(is_heldout(item.unit) for item in prompts)
    assert max(Counter((item.task, item.unit) for item in prompts).values()) <= 2
    assert len({item.id for item in prompts}) == len(prompts)
    assert all(item.words().strip() for item in prompts)


def test_too_few_texts_are_told_with_the_number(prompts: list[Prompt]) -> None:
    with pytest.raises(InputError, match=r"held-out prose: \d+ prompts in package-docs, 100000 wanted"):
        make_heldout(100_000)


def test_frozen_and_read_back(prompts: list[Prompt], tmp_path: Path) -> None:
    chat = Prompt("c", "qa", "f", "u", "en", "MIT", "", (Message("user", "Who?"),))
    save_prompts(tmp_path / "p.jsonl", [*prompts, chat])
    again = load_prompts(tmp_path / "p.jsonl")
    assert again == [*prompts, chat]
    assert prompts_sha256(again) == prompts_sha256([chat, *reversed(prompts)])
    assert prompts_sha256(again) != prompts_sha256(prompts)


def test_a_users_own_file(tmp_path: Path, tiny_model: Path) -> None:
    file = tmp_path / "own.jsonl"
    rows = [{"text": "Hello there."}, {"messages": [{"role": "user", "content": "Hi"}], "task": "chat"}]
    file.write_text("\n".join(map(json.dumps, rows)))
    first, second = load_prompts(file)
    assert (first.id, first.task, second.id, second.task) == ("own.jsonl#1", "prompt", "own.jsonl#2", "chat")
    tokenizer = Tokenizer(tiny_model)
    assert tokenizer.decode(first.encode(tokenizer)) == "Hello there."
    assert tokenizer.decode(second.encode(tokenizer)) == "<|start|>user\nHi<|end|>\n<|start|>assistant\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"text": 3}', ":2: text must be text, not int"),
        ('{"text": "  "}', ":2: an empty prompt"),
        ('{"task": "x"}', ":2: an empty prompt"),
        ('{"text": "a", "task": null}', ":2: task must be text, not null"),
        ('{"text": "a", "id": true}', ":2: id must be text, not bool"),
        ('{"text": "a", "id": ' + "9" * 4000 + "}", ":2: id must be text, not int"),
        ('{"text": "a", "n": ' + "9" * 5000 + "}", ":2: a number has too many digits"),
        ('{"text": null}', ":2: an empty prompt"),
        ('{"messages": [{"role": "user"}]}', ":2: turn 1 needs role and content"),
        ('{"messages": null}', ":2: messages must be a list of turns, not null"),
        ('{"text": "a", "id": "own"}', ":2: the id 'own' is used twice"),
        ("{", ":2"),
    ],
)
def test_faults_are_told_with_file_and_line(tmp_path: Path, line: str, words: str) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text('{"text": "good", "id": "own"}\n' + line + "\n")
    with pytest.raises(InputError, match=words) as error:
        load_prompts(file)
    assert str(error.value).startswith(str(file))


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "own.jsonl").write_text("")
    with pytest.raises(InputError, match="no prompts"):
        load_prompts(tmp_path / "own.jsonl")


def test_rows_are_taken_as_a_source_takes_them(tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    parts = [{"type": "text", "text": "Who "}, {"type": "text", "text": "rang?"}]
    file.write_text(
        json.dumps({"id": 7, "messages": [{"role": "user", "content": parts}]})
        + '\n{"conversations": [{"from": "human", "value": "Who?"}]}'
        + '\n{"id": "\\ud83d", "text": "cut \\ud83d here", "task": "x\\udc00"}\n'
    )
    parted, shared, cut = load_prompts(file)
    assert (parted.id, parted.messages) == ("7", (Message("user", "Who rang?"),))
    assert shared.messages == (Message("user", "Who?"),)
    assert (cut.id, cut.text, cut.task) == ("\ufffd", "cut \ufffd here", "x\ufffd")
    save_prompts(tmp_path / "frozen.jsonl", [parted, shared, cut])
    assert load_prompts(tmp_path / "frozen.jsonl") == [parted, shared, cut]


def test_only_frozen_prompts_are_replaced(tmp_path: Path, prompts: list[Prompt]) -> None:
    for name, content in {"missing": None, "empty": "", "ours": ...}.items():
        if content is ...:
            save_prompts(tmp_path / name, prompts)
        elif content is not None:
            (tmp_path / name).write_text(content)
        refuse_other_file(tmp_path / name)
    (tmp_path / "thesis.tex").write_text("text")
    (tmp_path / "corpus.jsonl").write_text('{"text": "two years of work"}\n')
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    for name in ("thesis.tex", "corpus.jsonl", "link", "."):
        with pytest.raises(InputError, match="holds no frozen prompts; choose another file"):
            refuse_other_file(tmp_path / name)


def test_the_rows_of_an_evaluation_file_are_prompts_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "eval.jsonl"
    file.write_text(
        '{"task": "mcq", "question": "Which is it?\\nA. one\\nB. two", "gold": "A"}\n'
        '{"prompt": "Say it.", "gold": ["x"]}\n'
    )
    first, second = load_prompts(file)
    assert (first.task, first.messages) == ("mcq", (Message("user", "Which is it?\nA. one\nB. two"),))
    assert second.words() == "Say it."
    # The right answer is no part of what a set must not contain, and none of the prompt.
    assert "gold" not in first.words()
