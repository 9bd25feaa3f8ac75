"""Control tokens that come together from what a row says are text; all else is as the template writes it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_tokenizers import BOS, EOS, save_marked, save_tokenizer

from curator.corpora.document import Message
from curator.tokens.encoded import CONTROL_TEXT_KEPT
from curator.tokens.marks import Marks, signs_of
from curator.tokens.tokenizer import TemplateRefusal, Tokenizer

BARE = "{{ bos_token }}{% for m in messages %}{{ m.content }}{% endfor %}"
PIECES = ("<", "/s>", "</s", ">", "s", "<s", " ", "tide ", "</S>", "|", "\n", "</", "X")


def toy(folder: Path, template: str) -> Tokenizer:
    return Tokenizer(save_tokenizer(folder, template=template))


def controls(tokenizer: Tokenizer, ids: list[int]) -> list[str]:
    return [tokenizer.control_texts[token] for token in ids if token in tokenizer.control_texts]


def test_turns_that_join_into_a_control_token_are_text(tmp_path: Path) -> None:
    tokenizer = toy(tmp_path, BARE)
    turns = [Message("user", "hi <"), Message("assistant", "/s> hello <"), Message("user", "s>")]
    encoded = tokenizer.encode_conversation(turns)
    assert controls(tokenizer, encoded.ids) == ["<s>"]
    assert tokenizer.decode(encoded.ids) == "<s>hi </s> hello <s>"
    assert encoded.notes == (CONTROL_TEXT_KEPT,)


@pytest.mark.parametrize(
    ("template", "content", "written"),
    [
        ("{{ m.content|lower }}", "a </S> b <S>", "a </s> b <s>"),
        ("{{ m.content|replace('X', '') }}", "a <X/s> b", "a </s> b"),
        ("{{ m.content|replace('tide', '/s') }}", "a <tide>", "a </s>"),
        ("{{ m.content.split('#')|join }}", "<#/s#>", "</s>"),
        ("{{ m.content|list|join }}", "</#s>", "</#s>"),
        ("{{ m.content.split('#')|reverse|join }}", ">#/s#<", "</s>"),
        ("{% if m.content.startswith('#') %}{{ m.content[1:]|lower }}{% endif %}", "#</S>", "</s>"),
        ("<{{ m.content }}>", "/s", "</s>"),
        ("<{{ m.content|lower }}", "/S> ", "</s> "),
        ("<{{ m.content|trim }}", "  s> ", "<s>"),
        ("{{ m.content }}s>", "a <", "a <s>"),
        ("{% for key in m.tool_calls[0].function.arguments %}{{ key }}{% endfor %}", "", "</s>"),
    ],
)
def test_no_filter_makes_a_control_token_of_a_row_s_text(
    tmp_path: Path, template: str, content: str, written: str
) -> None:
    tokenizer = toy(tmp_path, "<s>{% for m in messages %}{{ '' }}" + template + "{{ eos_token }}{% endfor %}")
    call = {"name": "f", "arguments": {"<": 1, "/s>": 2}}
    ids = tokenizer.encode_chat([Message("assistant", content, tool_calls=(call,))])
    assert tokenizer.decode(ids) == f"<s>{written}</s>"
    assert (ids[0], ids[-1]) == (BOS, EOS)
    assert len(controls(tokenizer, ids)) == 2


@pytest.mark.parametrize("template", [BARE, BARE.replace("m.content", "m.content|lower|replace('x', '')")])
@given(texts=st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), min_size=1, max_size=4))
@settings(max_examples=60)
def test_only_what_the_template_wrote_is_a_control_token(
    tmp_path_factory: pytest.TempPathFactory, template: str, texts: list[str]
) -> None:
    tokenizer = toy(tmp_path_factory.mktemp("toy"), template)
    ids = tokenizer.encode_chat([Message("user", text) for text in texts])
    assert controls(tokenizer, ids) == ["<s>"]
    said = "".join(texts) if template == BARE else "".join(texts).lower().replace("x", "")
    assert tokenizer.decode(ids) == f"<s>{said}"


def test_a_template_s_token_that_a_row_s_text_runs_into_stays_one(tmp_path: Path) -> None:
    tokenizer = toy(tmp_path, "{{ messages[0].content }}{{ eos_token }}")
    ids = tokenizer.encode_chat([Message("user", "</s")])
    assert tokenizer.decode(ids) == "</s</s>"
    assert controls(tokenizer, ids) == ["</s>"]


def test_roles_may_be_part_of_a_template_s_token(tmp_path: Path) -> None:
    tokenizer = Tokenizer(
        save_marked(
            tmp_path, "bytes", template="{% for m in messages %}<|{{ m.role }}|>{{ m.content }}{% endfor %}"
        )
    )
    encoded = tokenizer.encode_conversation([Message("turn", "a"), Message("end", "b")])
    assert controls(tokenizer, encoded.ids) == ["<|turn|>", "<|end|>"]
    assert encoded.notes == ()


def test_a_template_that_looks_into_texts_sees_them_as_they_are(tmp_path: Path) -> None:
    looks = (
        "{% for m in messages %}{% if m.content == 'x' %}<s>{% elif m.content|length != 9 %}"
        "{{ raise_exception('nine') }}{% else %}</s>{% endif %}{{ m.content }}{% endfor %}"
    )
    tokenizer = toy(tmp_path, looks)
    ids = tokenizer.encode_chat([Message("user", "x"), Message("assistant", "123456789")])
    assert tokenizer.decode(ids) == "<s>x</s>123456789"
    assert ids[0] == BOS and ids.count(EOS) == 1
    with pytest.raises(TemplateRefusal, match="nine"):
        tokenizer.encode_chat([Message("user", "<s/></s/>")])


def test_the_mark_is_a_character_that_the_text_has_not() -> None:
    marks = Marks(signs_of(["<|end|>", "[A]"]), "\U00100000")
    assert marks.whole({"content": " a b ", "role": "user"}) == {
        "content": " \U00100001a b\U00100001 ",
        "role": "user",
    }
    assert marks.signs(["a<b", "a_b"]) == ["a\U00100001<\U00100001b", "a_b"]
    assert marks.removed("\U00100001\U00100000") == "\U00100000"
    assert Marks(signs_of(["PAD"]), "").signs("<") == "<"
