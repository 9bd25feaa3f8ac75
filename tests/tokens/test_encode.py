"""One start of sequence where the policy says, whoever writes it; reasoning and tools arrive or are counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest
from toy_tokenizers import BOS, EOS, MARKED, TEMPLATE, save_marked, save_tokenizer

from curator._errors import InputError
from curator.corpora.document import Document, Message
from curator.recipe.schema import Tokens
from curator.tokens.encode import Encoder
from curator.tokens.encoded import CONTROL_TEXT_KEPT, REASONING_DROPPED, TOOLS_IGNORED
from curator.tokens.tokenizer import Tokenizer

NO_START = "{% for m in messages %}[{{ m['role'] }}]{{ m['content'] }}{{ eos_token }}{% endfor %}"
LITERAL_START = TEMPLATE.replace("{{ bos_token }}", "<s>")
# The marker of every turn is the start token, as in SmolLM2's tokenizer.
TURN_MARKER = "{% for m in messages %}<s>{{ m['role'] }}\n{{ m['content'] }}</s>{% endfor %}"
TURNS = (Message("user", "hi"), Message("assistant", "Yes."))
SAID = "[user]hi</s>[assistant]Yes.</s>"


def document(messages: tuple[Message, ...] | None = None, tools: tuple[dict[str, Any], ...] = ()) -> Document:
    return Document("d", "c", "u", "t", "en", "MIT", "hi there", messages=messages, tools=tools)


def encoder(
    folder: Path,
    bos: Literal["auto", "sequence", "document", "never"],
    *,
    marks_start: bool = True,
    template: str | None = TEMPLATE,
) -> tuple[Encoder, Tokenizer]:
    tokenizer = Tokenizer(save_tokenizer(folder, marks_start=marks_start, template=template))
    return Encoder(tokenizer, Tokens(bos=bos)), tokenizer


@pytest.mark.parametrize("template", [TEMPLATE, NO_START, LITERAL_START])
@pytest.mark.parametrize("marks_start", [True, False])
@pytest.mark.parametrize("bos", ["auto", "sequence", "document", "never"])
def test_text_and_conversations_have_the_same_single_start(
    tmp_path: Path, bos: Literal["auto", "sequence", "document", "never"], marks_start: bool, template: str
) -> None:
    made, tokenizer = encoder(tmp_path, bos, marks_start=marks_start, template=template)
    somebody_writes_it = marks_start or template != NO_START
    per_sequence = bos == "sequence" or (bos == "auto" and somebody_writes_it)
    assert made.prefix == ([BOS] if per_sequence else [])
    per_document = [BOS] if bos == "document" else []
    text = made.encode(document(), "hi there").ids
    chat = made.encode(document(TURNS), "").ids
    assert text == [*per_document, *tokenizer.encode("hi there"), EOS]
    assert chat[: len(per_document)] == per_document
    assert tokenizer.decode(chat[len(per_document) :]) == SAID
    for ids in (text, chat):
        assert (made.prefix + ids).count(BOS) == (per_sequence or bos == "document")


@pytest.mark.parametrize("template", [TURN_MARKER, TURN_MARKER.replace("<s>", "{{ bos_token }}")])
@pytest.mark.parametrize("bos", ["auto", "never"])
def test_a_turn_s_marker_is_no_start_though_the_tokenizer_calls_it_so(
    tmp_path: Path, bos: Literal["auto", "never"], template: str
) -> None:
    made, tokenizer = encoder(tmp_path, bos, marks_start=False, template=template)
    assert made.prefix == []
    assert tokenizer.decode(made.encode(document(TURNS), "").ids) == "<s>user\nhi</s><s>assistant\nYes.</s>"


def test_who_writes_the_start_is_told_when_they_differ(tmp_path: Path) -> None:
    made, _ = encoder(tmp_path / "template", "auto", marks_start=False)
    assert made.notes == ["the chat template writes <s> and the tokenizer does not: every sequence has it"]
    made, _ = encoder(tmp_path / "tokenizer", "auto", template=NO_START)
    # Nothing to tell as long as there is only text.
    made.encode(document(), "hi")
    assert made.notes == []
    made.encode(document(TURNS), "")
    assert made.notes == ["the tokenizer writes <s> and the chat template does not: every sequence has it"]
    made, _ = encoder(tmp_path / "both", "auto")
    made.encode(document(TURNS), "")
    assert made.notes == []


def test_a_tokenizer_without_an_end_token_is_told(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, "bytes"))
    tokenizer.eos_id = None
    made = Encoder(tokenizer, Tokens())
    assert made.encode(document(), "ab").ids == tokenizer.encode("ab")
    assert made.notes == ["the tokenizer has no end-of-sequence token: nothing stands between documents"]
    assert Encoder(tokenizer, Tokens(separator="none")).notes == []


def test_a_start_before_every_question_is_a_start(tmp_path: Path) -> None:
    template = (
        "{% for m in messages %}{% if m.role == 'user' %}{{ bos_token }}[INST]{{ m.content }}[/INST]"
        "{% else %}{{ m.content }}{{ eos_token }}{% endif %}{% endfor %}"
    )
    made, tokenizer = encoder(tmp_path, "auto", template=template)
    ids = made.prefix + made.encode(document((*TURNS, *TURNS)), "").ids
    assert tokenizer.decode(ids) == "<s>[INST]hi[/INST]Yes.</s><s>[INST]hi[/INST]Yes.</s>"


def test_a_template_that_refuses_the_probe_is_probed_with_less(tmp_path: Path) -> None:
    single = "{% if messages|length > 1 %}{{ raise_exception('one turn') }}{% endif %}" + TEMPLATE
    made, tokenizer = encoder(tmp_path, "auto", marks_start=False, template=single)
    assert made.prefix == [BOS]
    assert tokenizer.decode(made.encode(document(TURNS[:1]), "").ids) == "[user]hi</s>"


@pytest.mark.parametrize("bos", ["sequence", "document"])
def test_a_start_asked_of_a_tokenizer_that_has_none_is_refused(
    tmp_path: Path, bos: Literal["sequence", "document"]
) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, "bytes"))
    with pytest.raises(InputError, match=rf"tokens\.bos: {bos}, but the tokenizer has no start token; use auto"):
        Encoder(tokenizer, Tokens(bos=bos))
    assert Encoder(tokenizer, Tokens()).prefix == []


def test_the_separator_follows_text_only_and_never_stands_alone(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path))
    without = Encoder(tokenizer, Tokens(separator="none", bos="document"))
    assert without.encode(document(), "ab").ids == [BOS, *tokenizer.encode("ab")]
    assert Encoder(tokenizer, Tokens()).encode(document(), "").ids == []
    assert without.encode(document(), "").ids == []


def test_a_conversation_without_a_template_says_what_to_do(tmp_path: Path) -> None:
    made, _ = encoder(tmp_path, "auto", template=None)
    with pytest.raises(
        InputError, match=r"no chat template; give one \(tokens\.template: FILE\) or use plain-text"
    ):
        made.encode(document(TURNS), "")
    assert made.encode(document(), "hi").ids


REASONED = (
    Message("user", "2+2?"),
    Message("assistant", "4", reasoning="first"),
    Message("user", "3+3?"),
    Message("assistant", "6", reasoning="second"),
)


@pytest.mark.parametrize(
    ("reasoning", "first", "second", "notes"),
    [
        ("keep", "4", "<think>\nsecond\n</think>\n\n6", (REASONING_DROPPED,)),
        ("inline", "<think>\nfirst\n</think>\n\n4", "<think>\nsecond\n</think>\n\n6", ()),
        ("strip", "4", "6", ()),
    ],
)
def test_reasoning_is_kept_written_in_or_left_out(
    tmp_path: Path, reasoning: Literal["keep", "inline", "strip"], first: str, second: str, notes: tuple[str, ...]
) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, "bytes"))
    encoded = Encoder(tokenizer, Tokens(reasoning=reasoning)).encode(document(REASONED), "")
    assert tokenizer.decode(encoded.ids) == (
        f"<|turn|>user\n2+2?<|end|><|turn|>assistant\n{first}<|end|>"
        f"<|turn|>user\n3+3?<|end|><|turn|>assistant\n{second}<|end|>"
    )
    assert encoded.notes == notes
    thinks = [token for token in encoded.ids if tokenizer.control_texts.get(token) == "<think>"]
    assert len(thinks) == (first + second).count("<think>")


def test_reasoning_that_arrives_is_not_called_dropped(tmp_path: Path) -> None:
    made = Encoder(Tokenizer(save_marked(tmp_path, "bytes")), Tokens())
    assert made.encode(document(REASONED[:2]), "").notes == ()
    # Its words stand in the answer too, which must not be taken for the reasoning itself.
    same = (Message("user", "x"), Message("assistant", "four", reasoning="four"), *REASONED[2:])
    assert made.encode(document(same), "").notes == (REASONING_DROPPED,)


@pytest.mark.parametrize("reasoning", ["keep", "inline"])
def test_where_the_template_has_no_place_reasoning_stands_in_the_answer(
    tmp_path: Path, reasoning: Literal["keep", "inline"]
) -> None:
    """The tokenizer has no think tokens either: the tags are plain text."""
    tokenizer = Tokenizer(save_tokenizer(tmp_path))
    encoded = Encoder(tokenizer, Tokens(reasoning=reasoning)).encode(document(REASONED[:2]), "")
    assert encoded.notes == ()
    assert tokenizer.decode(encoded.ids) == "[user]2+2?</s>[assistant]<think>\nfirst\n</think>\n\n4</s>"


CALL = {"name": "tide", "arguments": '{"at": "noon"}'}
TOOL = {"type": "function", "function": {"name": "tide", "parameters": {}}}


@pytest.mark.parametrize("arguments", ['{"at": "noon"}', {"at": "noon"}])
def test_tools_and_calls_reach_the_template_in_openai_s_shape(tmp_path: Path, arguments: Any) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, "bytes"))
    call = {"name": "tide", "arguments": arguments}
    for given in (call, {"type": "function", "function": call, "id": "c1"}):
        turns = (Message("user", "When?"), Message("assistant", "", tool_calls=(given,)))
        encoded = Encoder(tokenizer, Tokens()).encode(document(turns, (TOOL,)), "")
        text = tokenizer.decode(encoded.ids)
        assert '<tool_call>{"name": "tide", "arguments": {"at": "noon"}}</tool_call>' in text
        assert text.startswith('<|tools|>[{"type": "function", "function": {"name": "tide", "parameters": {}}}]')
        assert encoded.notes == ()


def test_arguments_that_are_no_json_stay_as_they_are(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_marked(tmp_path, "bytes"))
    turns = (Message("assistant", "", tool_calls=({"name": "tide", "arguments": "noon, I think"},)),)
    text = tokenizer.decode(Encoder(tokenizer, Tokens()).encode(document(turns), "").ids)
    assert '{"name": "tide", "arguments": "noon, I think"}' in text


def test_a_template_that_ignores_tools_or_calls_is_told(tmp_path: Path) -> None:
    made, _ = encoder(tmp_path / "plain", "auto")
    calls = (Message("user", "When?"), Message("assistant", "wait", tool_calls=(CALL,)))
    assert made.encode(document(TURNS, (TOOL,)), "").notes == (TOOLS_IGNORED,)
    assert made.encode(document(calls), "").notes == (TOOLS_IGNORED,)
    assert made.encode(document(TURNS), "").notes == ()
    only_calls = MARKED.replace("{% if tools %}", "{% if false %}")
    made = Encoder(Tokenizer(save_marked(tmp_path / "calls", "bytes", template=only_calls)), Tokens())
    assert made.encode(document(calls, (TOOL,)), "").notes == (TOOLS_IGNORED,)
    assert made.encode(document(calls), "").notes == ()


def test_control_text_is_noted_once_a_document(tmp_path: Path) -> None:
    made = Encoder(Tokenizer(save_marked(tmp_path, "bytes")), Tokens())
    assert made.encode(document(), "a <|end|> b <|turn|>").notes == (CONTROL_TEXT_KEPT,)
    said = made.encode(document((Message("user", "<|end|>"), Message("assistant", "<|end|>"))), "")
    assert said.notes == (CONTROL_TEXT_KEPT,)
