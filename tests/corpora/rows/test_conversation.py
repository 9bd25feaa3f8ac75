from typing import Any

import pytest

from curator.corpora.document import Message
from curator.corpora.reading import Reading
from curator.corpora.rows.conversation import conversation
from curator.corpora.rows.records import UnusableError
from curator.corpora.rows.shapes import content_of


def assistant(**turn: Any) -> Message:
    return conversation([{"role": "assistant", **turn}])[0]


def test_all_shapes_give_the_same_turns() -> None:
    turns = (Message("user", "Late?"), Message("assistant", "Yes."))
    for shape in (
        [{"role": "user", "content": "Late?"}, {"role": "assistant", "content": "Yes."}],
        [{"from": "human", "value": "Late?"}, {"from": "gpt", "value": "Yes."}],
        [{"from": "User", "value": "Late?"}, {"from": "bot", "value": "Yes."}],
        [
            {"role": "user", "content": [{"type": "text", "text": "La"}, {"type": "text", "text": "te?"}]},
            {"role": "model", "content": "Yes."},
        ],
    ):
        assert conversation(shape) == turns


def test_every_role() -> None:
    roles = {"system": "system", "developer": "system", "function": "tool", "observation": "tool", "tool": "tool"}
    for role, ours in roles.items():
        assert conversation([{"role": role, "content": "x", "name": "f"}]) == (Message(ours, "x", name="f"),)


@pytest.mark.parametrize("key", ["reasoning_content", "reasoning", "thinking"])
def test_reasoning_is_taken_from_its_key(key: str) -> None:
    assert assistant(content="<think>kept</think>", **{key: "Hm."}) == Message(
        "assistant", "<think>kept</think>", "Hm."
    )
    assert assistant(content=None, **{key: "Hm."}) == Message("assistant", "", "Hm.")
    assert assistant(content="a", **{key: None}) == Message("assistant", "a")


def test_reasoning_is_cut_from_the_start_of_an_answer() -> None:
    assert assistant(content="<think>\nOne.\n\nTwo.\n</think>\n\nYes. </think>") == Message(
        "assistant", "Yes. </think>", "One.\n\nTwo."
    )
    for whole in ("<think>open", "He says <think>x</think>"):
        assert assistant(content=whole) == Message("assistant", whole)
    assert conversation([{"role": "user", "content": "<think>x</think>y"}])[0].content == "<think>x</think>y"


@pytest.mark.parametrize("thought", ["", "\n", "\n\n", " \n\t"])
def test_an_empty_thought_stays_where_it_is(thought: str) -> None:
    content = f"<think>{thought}</think>\n\nhello"
    assert assistant(content=content) == Message("assistant", content)
    row = {"prompt": "Say it.", "response": content}
    assert content_of(row, Reading()).messages == (Message("user", "Say it."), Message("assistant", content))


@pytest.mark.parametrize(("stored", "kept"), [("call_1", "call_1"), (7, "7"), ("", ""), (None, "")])
def test_the_id_of_a_call_joins_it_to_its_result(stored: Any, kept: str) -> None:
    function = {"name": "f", "arguments": {"x": 1}}
    for call in ({"id": stored, **function}, {"id": stored, "type": "function", "function": function}):
        turns = conversation(
            [
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "content": "2", "name": "f", "tool_call_id": stored},
            ]
        )
        wanted = {"id": kept, **function} if kept else function
        assert turns == (
            Message("assistant", "", tool_calls=(wanted,)),
            Message("tool", "2", name="f", tool_call_id=kept),
        )
        told = {"tool_call_id": kept} if kept else {}
        assert turns[1].as_row() == {"role": "tool", "content": "2", "name": "f", **told}
    assert conversation([{"role": "user", "content": "a", "tool_call_id": "x"}])[0].tool_call_id == ""


def test_tool_calls() -> None:
    wanted = ({"name": "f", "arguments": {"x": 1}},)
    for call in (
        {"name": "f", "arguments": {"x": 1}},
        {"type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
    ):
        assert assistant(content=None, tool_calls=[call]) == Message("assistant", "", tool_calls=wanted)
    for empty in ({"name": "f"}, {"name": "f", "arguments": ""}, {"name": "f", "arguments": None}):
        assert assistant(content="x", tool_calls=[empty]).tool_calls == ({"name": "f", "arguments": {}},)
    assert assistant(content="x", tool_calls=[]).tool_calls == ()


def test_lone_surrogates_become_writable() -> None:
    assert assistant(content="x\ud800").content == "x\ufffd"


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ("hi", "messages must be a list of turns, not text"),
        (None, "messages must be a list of turns, not null"),
        (["hi"], "turn 1 must be an object with role and content, not text"),
        ([{"role": "user"}], "turn 1 needs role and content; it has: role"),
        ([{"content": "x"}], "turn 1 needs role and content; it has: content"),
        (
            [{"role": "user", "content": "a"}, {"role": "robot", "content": ""}],
            "turn 2 has role 'robot'; allowed: system",
        ),
        ([{"role": ["user"], "content": ""}], "turn 1 has role"),
        ([{"role": "user", "content": None}], "turn 1: content must be text, not null"),
        ([{"role": "user", "content": 3}], "turn 1: content must be text, not a number"),
        ([{"role": "user", "content": [{"type": "image"}]}], "turn 1: .*only text can be used"),
        ([{"role": "user", "content": ["a"]}], "turn 1: .*only text can be used"),
        ([{"role": "assistant", "content": "", "reasoning": 1}], "turn 1: reasoning must be text, not a number"),
        ([{"role": "assistant", "content": "", "tool_calls": "f"}], "turn 1: tool_calls must be a list"),
        ([{"role": "assistant", "content": "", "tool_calls": [{}]}], "turn 1: a tool call needs a name"),
        (
            [{"role": "tool", "content": "", "tool_call_id": ["a"]}],
            "turn 1: the id of a tool call must be text, not a list",
        ),
        (
            [{"role": "assistant", "content": "", "tool_calls": [{"name": "f", "arguments": "[1]"}]}],
            "turn 1: a tool call's arguments must be an object, not a list",
        ),
        (
            [{"role": "assistant", "content": "", "tool_calls": [{"name": "f", "arguments": "{x"}]}],
            "tools as text: not JSON",
        ),
        (
            [
                {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [{"name": "f", "arguments": {"x": float("inf")}}],
                }
            ],
            "a value is no JSON",
        ),
    ],
)
def test_other_shapes_are_told_by_turn(turns: Any, told: str) -> None:
    with pytest.raises(UnusableError, match=told):
        conversation(turns)
