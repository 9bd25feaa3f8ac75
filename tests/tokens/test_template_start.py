"""One start at a conversation's head, wherever its template writes it and whenever."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from toy_tokenizers import BOS, EOS, TEMPLATE, save_tokenizer

from curator.corpora.document import Document, Message
from curator.recipe.schema import Tokens
from curator.tokens.encode import Encoder
from curator.tokens.template_start import TemplateStart
from curator.tokens.tokenizer import Tokenizer

Bos = Literal["auto", "sequence", "document", "never"]
EVERY: tuple[Bos, ...] = ("auto", "sequence", "document", "never")
TURNS = (Message("user", "hi"), Message("assistant", "Yes."))
SYSTEM = (Message("system", "Be."), *TURNS)
PLAIN = TEMPLATE.removeprefix("{{ bos_token }}")
AT_SYSTEM = "{% if messages[0].role == 'system' %}{{ bos_token }}{% endif %}" + PLAIN
AT_QUESTIONS = (
    "{% for m in messages %}{% if m.role == 'user' %}{{ bos_token }}[INST]{{ m.content }}[/INST]"
    "{% else %}{{ m.content }}{{ eos_token }}{% endif %}{% endfor %}"
)


def ids_of(tokenizer: Tokenizer, bos: Bos, turns: tuple[Message, ...]) -> tuple[list[int], Encoder]:
    made = Encoder(tokenizer, Tokens(bos=bos))
    ids = made.encode(Document("d", "c", "u", "t", "en", "MIT", "", messages=turns), "").ids
    return made.prefix + ids, made


@pytest.mark.parametrize("bos", EVERY)
@pytest.mark.parametrize("marks_start", [True, False])
@pytest.mark.parametrize(
    "head",
    [
        "\n{{ bos_token }}",
        " \n\t\n<s>",
        "{{ bos_token }}{{ bos_token }}",
        "<s>\n<s>",
        "{% if messages %}{{ bos_token }}{% endif %}",
    ],
)
def test_a_start_at_the_head_is_one_whatever_stands_before_it(
    tmp_path: Path, bos: Bos, marks_start: bool, head: str
) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, marks_start=marks_start, template=head + PLAIN))
    ids, made = ids_of(tokenizer, bos, TURNS)
    assert tokenizer.decode(ids) == ("" if bos == "never" else "<s>") + "[user]hi</s>[assistant]Yes.</s>"
    assert ids.count(BOS) == (bos != "never")
    told = "the chat template writes <s> and the tokenizer does not: every sequence has it"
    assert made.notes == ([told] if bos == "auto" and not marks_start else [])


@pytest.mark.parametrize("bos", EVERY)
@pytest.mark.parametrize("marks_start", [True, False])
def test_a_start_for_some_conversations_is_settled_for_each(tmp_path: Path, bos: Bos, marks_start: bool) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, marks_start=marks_start, template=AT_SYSTEM))
    made = Encoder(tokenizer, Tokens(bos=bos))
    for turns in (TURNS, SYSTEM):
        ids = made.encode(Document("d", "c", "u", "t", "en", "MIT", "", messages=turns), "").ids
        assert (made.prefix + ids)[:2].count(BOS) == (bos != "never")
        assert (made.prefix + ids).count(BOS) == (bos != "never")
    who = (
        "the tokenizer writes <s> and the chat template does not for some conversations"
        if marks_start
        else "the chat template writes <s> for some conversations and the tokenizer does not"
    )
    assert made.notes == ([f"{who}: every sequence has it"] if bos == "auto" else [])


@pytest.mark.parametrize("bos", EVERY)
def test_never_takes_the_starts_of_later_turns_too(tmp_path: Path, bos: Bos) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template=AT_QUESTIONS))
    assert tokenizer.template_start([BOS]) == TemplateStart(begins=True, in_turns=True)
    ids, _ = ids_of(tokenizer, bos, (*TURNS, *TURNS))
    start = "" if bos == "never" else "<s>"
    assert tokenizer.decode(ids) == f"{start}[INST]hi[/INST]Yes.</s>" * 2
    assert ids.count(BOS) == 2 * (bos != "never")


@pytest.mark.parametrize("bos", EVERY)
def test_a_single_start_behind_a_preamble_is_not_a_second_one(tmp_path: Path, bos: Bos) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template="Talk:{{ bos_token }}" + PLAIN))
    ids, _ = ids_of(tokenizer, bos, TURNS)
    assert tokenizer.decode(ids).endswith("Talk:[user]hi</s>[assistant]Yes.</s>")
    assert ids.count(BOS) == (bos != "never")


@pytest.mark.parametrize("bos", EVERY)
def test_a_marker_of_every_turn_is_left_alone(tmp_path: Path, bos: Bos) -> None:
    marker = "{% for m in messages %}<s>{{ m.role }}:{{ m.content }}</s>{% endfor %}"
    tokenizer = Tokenizer(save_tokenizer(tmp_path, marks_start=False, template=marker))
    made = Encoder(tokenizer, Tokens(bos=bos))
    for turns in (TURNS, TURNS[:1]):
        ids = made.encode(Document("d", "c", "u", "t", "en", "MIT", "", messages=turns), "").ids
        assert ids.count(BOS) == len(turns)
        assert ids[1] != BOS


@pytest.mark.parametrize("bos", ["auto", "never"])
def test_ends_stay_where_they_are_the_start_token_too(tmp_path: Path, bos: Bos) -> None:
    folder = save_tokenizer(tmp_path, marks_start=False)
    tokenizer = Tokenizer(folder)
    tokenizer._inner.bos_token = "</s>"
    tokenizer.bos_id = EOS
    ids, _ = ids_of(tokenizer, bos, TURNS)
    assert tokenizer.decode(ids) == ("" if bos == "never" else "</s>") + "[user]hi</s>[assistant]Yes.</s>"


def test_a_template_that_refuses_all_probes_is_judged_by_its_conversations(tmp_path: Path) -> None:
    only_tool = "{% if messages[-1].role != 'tool' %}{{ raise_exception('tool') }}{% endif %}" + TEMPLATE
    tokenizer = Tokenizer(save_tokenizer(tmp_path, marks_start=False, template=only_tool))
    turns = (*TURNS, Message("tool", "noon"))
    for bos in EVERY:
        ids, _ = ids_of(tokenizer, bos, turns)
        assert ids.count(BOS) == (bos != "never")
        assert ids[:1] == ([] if bos == "never" else [BOS]) or bos == "never"
