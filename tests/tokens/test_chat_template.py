"""Templates: a file in place of the model's, refusals in their own words, the same text on every day."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toy_tokenizers import TEMPLATE, save_tokenizer

from curator._errors import InputError
from curator.corpora.document import Message
from curator.tokens.tokenizer import TemplateRefusal, Tokenizer

TALK = (Message("user", "hi"), Message("assistant", "Hello."))
OTHER = "{% for m in messages %}({{ m.role }}) {{ m.content }}\n{% endfor %}"


def with_file(folder: Path, text: str, own: str | None = TEMPLATE) -> Tokenizer:
    file = folder / "chat.jinja"
    file.write_text(text)
    return Tokenizer(save_tokenizer(folder / "model", template=own), file)


@pytest.mark.parametrize("own", [TEMPLATE, None])
def test_a_file_takes_the_place_of_the_model_s_template(tmp_path: Path, own: str | None) -> None:
    tokenizer = with_file(tmp_path, OTHER, own)
    assert tokenizer.decode(tokenizer.encode_chat(TALK)) == "(user) hi\n(assistant) Hello.\n"
    plain = Tokenizer(tmp_path / "model")
    assert plain.fingerprint != tokenizer.fingerprint
    assert plain.ids_fingerprint == tokenizer.ids_fingerprint


def test_the_same_template_from_a_file_has_the_same_fingerprint(tmp_path: Path) -> None:
    assert with_file(tmp_path, TEMPLATE).fingerprint == Tokenizer(tmp_path / "model").fingerprint


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{% for m in messages %}\n{{ m.content }}\n{% endfr %}", r"chat\.jinja:3: .*endfr"),
        ("a\n{{ messages[0.content }}", r"chat\.jinja:2: "),
        ("{{ messages|nofilter }}", r"chat\.jinja:1: No filter named 'nofilter'"),
        ("{% for m in messages %}", r"chat\.jinja:1: "),
        ("  \n", "chat.jinja: the chat template is empty"),
    ],
)
def test_a_file_that_is_no_template_is_told_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words) as caught:
        with_file(tmp_path, text)
    assert not isinstance(caught.value, TemplateRefusal)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    model = save_tokenizer(tmp_path / "model")
    with pytest.raises(InputError, match=r"none\.jinja: cannot be read \(No such file"):
        Tokenizer(model, tmp_path / "none.jinja")
    with pytest.raises(InputError, match="cannot be read"):
        Tokenizer(model, tmp_path)
    (tmp_path / "latin.jinja").write_bytes(b"caf\xe9")
    with pytest.raises(InputError, match=r"latin\.jinja: not UTF-8 at byte 3"):
        Tokenizer(model, tmp_path / "latin.jinja")


def test_a_broken_template_of_the_model_s_own_stops_conversations_only(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template="{% for %}"))
    assert tokenizer.encode("hi")
    with pytest.raises(InputError, match="the model's chat template:1: ") as caught:
        tokenizer.encode_chat(TALK)
    assert not isinstance(caught.value, TemplateRefusal)


@pytest.mark.parametrize(
    ("template", "words"),
    [
        ("{{ raise_exception('Roles must alternate\nuser/assistant') }}", "Roles must alternate"),
        ("{{ messages[7].content.upper() }}", "has no element 7"),
        ("{{ messages + 1 }}", "can only concatenate list"),
        ("{{ nothing.at.all }}", "'nothing' is undefined"),
        ("{{ 1 // 0 }}", "by zero"),
        ("{{ messages[0]['content'] ** none }}", "unsupported operand"),
        ("{{ ''.__class__.__mro__ }}", "unsafe"),
        ("{{ {}['x'].y }}", "undefined|no attribute"),
    ],
)
def test_every_failure_of_a_template_is_the_row_s_refusal_in_one_line(
    tmp_path: Path, template: str, words: str
) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template=template))
    with pytest.raises(TemplateRefusal, match=f"the chat template refuses a conversation: .*({words})") as caught:
        tokenizer.encode_chat(TALK)
    assert "\n" not in str(caught.value)


def test_no_turn_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TemplateRefusal, match="empty conversation"):
        Tokenizer(save_tokenizer(tmp_path)).encode_chat([])


def test_a_template_that_writes_the_date_gives_the_same_ids_every_day(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template="{{ strftime_now('%d %b %Y') }}"))
    assert tokenizer.decode(tokenizer.encode_chat(TALK)) == "26 Jul 2024"


def test_several_named_templates_are_chosen_from_as_transformers_does(tmp_path: Path) -> None:
    tool = {"type": "function", "function": {"name": "tide"}}
    tokenizer = Tokenizer(save_tokenizer(tmp_path))
    tokenizer._inner.chat_template = {"default": "plain", "tool_use": "{{ tools[0].function.name }}"}
    assert tokenizer.decode(tokenizer.encode_chat(TALK)) == "plain"
    assert tokenizer.decode(tokenizer.encode_chat(TALK, tools=[tool])) == "tide"


def test_the_answer_s_opening_is_written_when_asked(tmp_path: Path) -> None:
    template = "{{ messages[0].content }}{% if add_generation_prompt %}>>{% endif %}"
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template=template))
    assert tokenizer.decode(tokenizer.encode_chat(TALK, answer_next=True)) == "hi>>"
    assert tokenizer.decode(tokenizer.encode_chat(TALK)) == "hi"


def test_only_a_file_of_a_sane_size_is_read(tmp_path: Path) -> None:
    model = save_tokenizer(tmp_path / "model")
    os.mkfifo(tmp_path / "pipe")
    for strange in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(InputError, match="is no file but a device or pipe; name a Jinja file"):
            Tokenizer(model, strange)
    big = tmp_path / "big.jinja"
    big.write_text(TEMPLATE + " " * (2**20 - len(TEMPLATE)))
    assert Tokenizer(model, big).template
    big.write_text(TEMPLATE + " " * (2**20 - len(TEMPLATE) + 1))
    with pytest.raises(InputError, match=r"big\.jinja: 1,048,577 bytes, more than a chat template may have"):
        Tokenizer(model, big)


@pytest.mark.parametrize(
    "chance",
    [
        "{{ ['a', 'b'] | random }}",
        "{{ messages|map('random')|list }}",
        "{% filter upper|random %}ab{% endfilter %}",
        "{% filter random %}ab{% endfilter %}",
        "{% if false %}{{ 'ab'|random }}{% endif %}",
        "{{ lipsum(n=1) }}",
    ],
)
def test_a_template_that_draws_by_chance_is_refused(tmp_path: Path, chance: str) -> None:
    with pytest.raises(InputError, match=r"chat\.jinja:2: draws by chance \(random, lipsum\)") as caught:
        with_file(tmp_path, f"{TEMPLATE}\n{chance}")
    assert not isinstance(caught.value, TemplateRefusal)
    # The model's own stops conversations only.
    own = Tokenizer(save_tokenizer(tmp_path / "own", template=chance))
    assert own.encode("hi")
    with pytest.raises(InputError, match="the model's chat template:1: draws by chance"):
        own.encode_chat(TALK)


def test_the_word_random_is_no_chance(tmp_path: Path) -> None:
    text = "{# |random #}|random{% set random = messages[0].lipsum %}{{ 'random' }}{{ random }}"
    tokenizer = with_file(tmp_path, text)
    assert tokenizer.decode(tokenizer.encode_chat(TALK)) == "|randomrandom"


def test_ids_of_calls_reach_the_template(tmp_path: Path) -> None:
    template = (
        "{% for m in messages %}{% for c in m.tool_calls or [] %}({{ c.id }}){% endfor %}"
        "{% if m.role == 'tool' %}[{{ m.tool_call_id }}]{% endif %}{% endfor %}"
    )
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template=template))
    call = {"id": "call_1", "name": "tide", "arguments": {}}
    nested = {"id": "call_2", "type": "function", "function": {"name": "tide", "arguments": {}}}
    turns = [Message("assistant", "", tool_calls=(call, nested)), Message("tool", "noon", tool_call_id="call_2")]
    assert tokenizer.decode(tokenizer.encode_chat(turns)) == "(call_1)(call_2)[call_2]"
