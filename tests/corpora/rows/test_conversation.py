from typing import Any

import pytest

from curator.corpora.document import Message
from curator.corpora.rows.conversation import conversation
from curator.corpora.rows.records import UnusableError


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
    assert assistant(content="<think>\n\n</think>\n\nYes.") == Message("assistant", "Yes.")
    for whole in ("<think>open", "He says <think>x</think>"):
        assert assistant(content=whole) == Message("assistant", whole)
    assert conversation([{"role": "user", "content": "<think>x</think>y"}])[0].content == "<think>x</think>y"


def test_tool_calls() -> None:
    wanted = ({"name": "f", "arguments": {"x": 1}},)
    for call in (
        {"name": "f", "arguments": {"x": 1}},
        {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}},
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
