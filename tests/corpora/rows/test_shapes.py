from typing import Any

import pytest

from curator.corpora.document import Message
from curator.corpora.reading import Columns, Reading
from curator.corpora.rows.records import UnusableError
from curator.corpora.rows.shapes import Content, columns_to_read, content_of

TURNS = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]


def content(row: dict[str, Any], join: str | None = None, **columns: str) -> Content:
    return content_of(row, Reading(columns=Columns(**columns), join=join))


def turns(row: dict[str, Any], **columns: str) -> list[tuple[str, str]]:
    messages = content(row, **columns).messages
    assert messages is not None
    return [(message.role, message.content) for message in messages]


def pair(user: str, answer: str) -> list[tuple[str, str]]:
    return [("user", user), ("assistant", answer)]


def test_usual_names() -> None:
    assert content({"text": " a\n"}) == Content(" a\n")
    assert turns({"messages": TURNS, "text": "x"}) == pair("hi", "ho")
    assert turns({"conversations": TURNS}) == pair("hi", "ho")
    assert turns({"instruction": "Do.", "input": "It.", "output": "Done."}) == pair("Do.\n\nIt.", "Done.")
    assert turns({"instruction": "Do.", "input": "", "output": "Done."}) == pair("Do.", "Done.")
    assert turns({"instruction": "Do.", "input": None, "output": "Done."}) == pair("Do.", "Done.")
    assert turns({"prompt": "a", "response": "b"}) == pair("a", "b")
    assert turns({"prompt": "a", "completion": "b"}) == pair("a", "b")
    assert turns({"prompt": TURNS[:1], "completion": TURNS[1:]}) == pair("hi", "ho")
    assert turns({"question": "a", "answer": "b"}) == pair("a", "b")
    assert turns({"question": "a", "answer": "b", "context": "c"}) == pair("c\n\na", "b")
    assert turns({"prompt": "a", "response": "b", "system": "s"}) == [("system", "s"), *pair("a", "b")]


@pytest.mark.parametrize(
    ("prompt", "response"),
    [
        ("instruction", "output"), ("instruction", "response"), ("prompt", "response"), ("prompt", "completion"),
        ("question", "answer"),
    ],
)  # fmt: skip
def test_no_usual_column_of_a_question_is_lost(prompt: str, response: str) -> None:
    row = {prompt: "Q", response: "R", "context": "C", "system": "S"}
    assert turns(row) == [("system", "S"), *pair("C\n\nQ", "R")]
    assert turns({**row, "context": "", "system": None}) == pair("Q", "R")
    assert turns({**row, "s": "Mine."}, system="s") == [("system", "Mine."), *pair("C\n\nQ", "R")]
    asked = [*pair("q1", "a1"), *pair("q2", "a2")]
    for history in (
        [["q1", "a1"], ["q2", "a2"]],
        '[["q1", "a1"], ["q2", "a2"]]',
        [{"role": role, "content": said} for role, said in asked],
        [{"from": "human" if role == "user" else "gpt", "value": said} for role, said in asked],
    ):
        assert turns({**row, "history": history}) == [("system", "S"), *asked, *pair("C\n\nQ", "R")]
    nothing: list[Any] = [None, [], "", " ", "[]"]
    for history in nothing:
        assert turns({prompt: "Q", response: "R", "history": history}) == pair("Q", "R")


def test_earlier_turns() -> None:
    row = {"instruction": "Q", "output": "R", "system": "S"}
    own = [{"role": "system", "content": "Own."}, *TURNS]
    assert turns({**row, "history": own}) == [("system", "Own."), *pair("hi", "ho"), *pair("Q", "R")]
    assert turns({**row, "history": [[None, "Hello."], ["q", ""]]})[1:3] == [
        ("assistant", "Hello."),
        ("user", "q"),
    ]
    thought = content({**row, "history": [["q", "<think>\nHm.\n</think>\n\na"]]}).messages
    assert thought is not None and thought[2] == Message("assistant", "a", "Hm.")
    for history in ("Had a cold.", "[cold", 3, {"a": 1}, [["q"]], [["q", 3]], [["q", "a"], "b"], ["q", "a"]):
        with pytest.raises(UnusableError) as caught:
            content({**row, "history": history})
        assert caught.value.reason == "not a conversation"


def test_a_system_column_beside_turns_is_their_first() -> None:
    for name in ("messages", "conversations", "conversation"):
        assert turns({name: TURNS, "system": "S"}) == [("system", "S"), *pair("hi", "ho")]
        for none in (None, "", " "):
            assert turns({name: TURNS, "system": none}) == pair("hi", "ho")
    assert turns({"m": TURNS, "system": "S"}, messages="m")[0] == ("system", "S")
    assert turns({"prompt": TURNS[:1], "completion": TURNS[1:], "system": "S"})[0] == ("system", "S")
    late = [*TURNS, {"role": "system", "content": "Late."}]
    assert turns({"messages": late, "system": "S"})[0] == ("system", "S")
    with pytest.raises(UnusableError, match="no turn of the conversation has text"):
        content({"messages": [], "system": "S"})
    with pytest.raises(UnusableError, match="'context' has no place in a prompt that is turns"):
        content({"prompt": TURNS[:1], "completion": TURNS[1:], "context": "C"})


def test_a_null_column_gives_way_to_another_shape() -> None:
    assert turns({"messages": None, "text": None, "prompt": "a", "response": "b"}) == pair("a", "b")
    assert content({"messages": None, "text": "a"}).text == "a"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"text": None}, "null"), ({"text": ""}, "empty"), ({"text": " \n\u3000"}, "blank"),
        ({"text": "\u200b\ufeff \u2060"}, "zero-width"), ({"text": "\u00ad\u200d"}, "zero-width"),
        ({"text": "\u3164\u2800"}, "zero-width"), ({"text": "\x00"}, "zero-width"), ({"id": 4}, "missing column"),
        ({}, "missing column"), ({"text": 42}, "not text"), ({"text": ["a"]}, "not text"),
        ({"text": True}, "not text"), ({"text": {"a": "b"}}, "not text"), ({"text": 0.5}, "not text"),
        ({"messages": "x"}, "not a conversation"), ({"messages": []}, "empty"), ({"messages": None}, "null"),
        ({"text": b"\xe9"}, "not UTF-8"), ({"messages": [{"role": "user", "content": " "}]}, "blank"),
        ({"prompt": "a", "response": ""}, "empty"),
        ({"prompt": "a", "response": None}, "null"), ({"prompt": "a", "response": 7}, "not text"),
        ({"question": "a", "answer": "b", "context": 3}, "not text"),
        ({"messages": TURNS, "tools": "{"}, "not tools"), ({"messages": TURNS, "tools": [3]}, "not tools"),
    ],
)  # fmt: skip
def test_rows_that_give_nothing_have_a_reason_each(row: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnusableError) as error:
        content(row)
    assert error.value.reason == reason


@pytest.mark.parametrize("text", ["a", "…", "🐟", " é\u200b", "\u0301", "是"])
def test_anything_that_shows_is_text(text: str) -> None:
    assert content({"text": text}).text == text


def test_columns_that_the_recipe_names() -> None:
    row = {
        "text": "no",
        "a": {"b": ["x", "yes"]},
        "q": "Who?",
        "r": "Me.",
        "s": "Be brief.",
        "t": "Hm.",
        "m": TURNS,
    }
    assert content(row, text="a.b.1").text == "yes"
    assert turns(row, messages="m", system="s") == [("system", "Be brief."), *pair("hi", "ho")]
    found = content(row, prompt="q", response="r", reasoning="t").messages
    assert found == (Message("user", "Who?"), Message("assistant", "Me.", "Hm."))
    with pytest.raises(UnusableError, match=r"no column 'a\.b\.2'; columns found: text, a, q"):
        content(row, text="a.b.2")
    with pytest.raises(
        UnusableError, match=r"column 'm' must be text, not a list; name a part of it, such as m\.0"
    ):
        content(row, text="m")


def test_a_system_turn_is_not_doubled() -> None:
    row = {"messages": [{"role": "system", "content": "own"}, *TURNS], "s": "other"}
    assert turns(row, messages="messages", system="s")[0] == ("system", "own")


def test_context_in_nested_lists_is_joined_by_rule() -> None:
    row = {"c": [["One. ", "Two."], ["Three."], [""]], "flat": ["a", "b"], "bad": [["a", 3]], "q": "Q", "r": "R"}
    assert turns(row, prompt="q", response="r", context="c")[0][1] == "One. Two.\n\nThree.\n\nQ"
    assert turns(row, prompt="q", response="r", context="flat")[0][1] == "a\n\nb\n\nQ"
    with pytest.raises(UnusableError, match="column 'bad' must hold text, not a number"):
        content(row, prompt="q", response="r", context="bad")


@pytest.mark.parametrize(
    ("choices", "answer", "wanted"),
    [
        (["red", "blue"], 1, "B. blue"),
        (["red", "blue"], "b", "B. blue"),
        (["red", "blue"], "blue", "B. blue"),
        (["B", "A"], "A", "B. A"),
        (["1", "0"], "0", "B. 0"),
        ({"label": ["1", "2"], "text": ["red", "blue"]}, "2", "2. blue"),
    ],
)
def test_choices(choices: Any, answer: Any, wanted: str) -> None:
    row = {"question": "Which?", "choices": choices, "answer": answer}
    (_, listed), (_, chosen) = turns(row)
    labels = choices["label"] if isinstance(choices, dict) else ["A", "B"]
    texts = choices["text"] if isinstance(choices, dict) else choices
    assert listed == f"Which?\n\n{labels[0]}. {texts[0]}\n{labels[1]}. {texts[1]}"
    assert chosen == wanted


@pytest.mark.parametrize("answer", [2, -1, True, "C", "green", "1", None, ["a"]])
def test_an_answer_that_is_none_of_the_choices(answer: Any) -> None:
    with pytest.raises(UnusableError):
        content({"question": "Which?", "choices": ["red", "blue"], "answer": answer})


@pytest.mark.parametrize("choices", [[], "red", [1, 2], {"text": ["a"], "label": []}, ["a", None]])
def test_choices_of_another_shape(choices: Any) -> None:
    with pytest.raises(UnusableError, match="'choices'"):
        content({"question": "Which?", "choices": choices, "answer": 0})


def test_tools_are_objects_or_json_text_of_them() -> None:
    tool = {"type": "function", "function": {"name": "f"}}
    for tools in ([tool], '[{"type": "function", "function": {"name": "f"}}]'):
        assert content({"messages": TURNS, "tools": tools}).tools == (tool,)
        assert content({"m": TURNS, "t": tools}, messages="m", tools="t").tools == (tool,)
    nothing: list[Any] = [None, "", "  ", []]
    for none in nothing:
        assert content({"messages": TURNS, "tools": none}).tools == ()


def test_join() -> None:
    row = {"title": "T", "body": "{B}", "n": 3, "none": None, "a": {"b": "x"}}
    assert content(row, join="{title}\n\n{body}").text == "T\n\n{B}"
    assert content(row, join="{{{title}}} {a.b}").text == "{T} x"
    for template, reason in (("{n}", "not text"), ("{title} {none}", "null"), ("{x}", "missing column")):
        with pytest.raises(UnusableError) as error:
            content(row, join=template)
        assert error.value.reason == reason


def test_which_columns_of_a_table_are_read() -> None:
    names = ["id", "text", "image", "a.b", "answers", "tools"]
    # A row's own id is always told.
    assert columns_to_read(names, Reading()) == ["id", "text", "tools"]
    assert columns_to_read(names, Reading(columns=Columns(text="a.b"))) == ["id", "a.b"]
    assert columns_to_read(names, Reading(columns=Columns(text="answers.text.0", language="id"))) == [
        "id",
        "answers",
    ]
    assert columns_to_read(names, Reading(join="{id} {text}")) == ["id", "text"]
    # What is missing is told with the columns found.
    assert columns_to_read(names, Reading(columns=Columns(text="body"))) == names
    assert columns_to_read(["a", "b"], Reading()) == ["a", "b"]
