"""Nested lists read as a table are those of the plain reader, number by number; all else is left to that."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from curator._errors import ServerError
from curator.serve.sglang.arrays import read_lists
from curator.serve.sglang.nested import Table, loads

K = 5


def lists(rows: int, seed: int, nulls: int = 1) -> list[Any]:
    """Entries as SGLang 0.5.16 prints them: a float32 as the double it is, an id, no text."""
    draw = np.random.default_rng(seed)
    values = -np.sort(draw.exponential(9, size=(rows, K)).astype(np.float32)).astype(float)
    ids = draw.integers(0, 262_144, size=(rows, K))
    entries = [
        [[float(value), int(one), None] for value, one in zip(*row, strict=True)]
        for row in zip(values, ids, strict=True)
    ]
    return [*[None] * nulls, *entries]


def answer(**meta: Any) -> dict[str, Any]:
    known = {"id": "x", "input_token_logprobs": [[None, 3, None], [-1.5, 7, None]], "prompt_tokens": 9}
    return {"text": 'a "input_top_logprobs":[[ of text', "meta_info": {**known, **meta}, "output_ids": [1, 2]}


def compact(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@pytest.mark.parametrize("rows", [1, 2, 40])
def test_tables_hold_what_the_plain_reader_finds(rows: int) -> None:
    sent = [
        answer(input_top_logprobs=lists(rows, 1), output_top_logprobs=[]),
        answer(output_top_logprobs=lists(rows, 2, nulls=0), input_top_logprobs=lists(2, 3, nulls=2)),
    ]
    found = loads(compact(sent))
    places = ((0, "input"), (1, "output"), (1, "input"))
    for place, side in places:
        name = f"{side}_top_logprobs"
        assert isinstance(found[place]["meta_info"][name], Table)
        fast = read_lists(found[place]["meta_info"], side, K)
        plain = read_lists(sent[place]["meta_info"], side, K)
        assert (fast.name, fast.nulls) == (plain.name, plain.nulls)
        np.testing.assert_array_equal(fast.ids, plain.ids)
        # Bit by bit: the same digits are the same double.
        np.testing.assert_array_equal(fast.logprobs, plain.logprobs)
        del found[place]["meta_info"][name], sent[place]["meta_info"][name]
    assert found == sent


@pytest.mark.parametrize(
    "text", ["-1e-7", "-0.0", "-3.4028234663852886e+38", "-12", "-1E1", "-0.1000000000000000055"]
)
def test_every_way_to_write_a_number_is_read(text: str) -> None:
    body = b'[{"meta_info":{"input_top_logprobs":[null,[[%s,4,null]],[[-1.5,5,null]]]}}]' % text.encode()
    (found,) = loads(body)
    table = found["meta_info"]["input_top_logprobs"]
    assert table.logprobs.tolist() == [[float(text)], [-1.5]]
    assert table.ids.tolist() == [[4], [5]]


ODD = {
    "a text": [[None, [[-1.0, 1, "a"]]], [None, [[-1.0, 1, 'x"]'], [-2.0, 2, None]]]],
    "ragged": [[None, [[-1.0, 1, None], [-2.0, 2, None]], [[-1.0, 1, None]], [[-1.0, 1, None]]]],
    "a null between": [[None, [[-1.0, 1, None]], None, [[-1.0, 1, None]]]],
    "a null entry": [[None, [[-1.0, 1, None], None]]],
    "a null value": [[None, [[None, 1, None], [-1.0, 1, None]]]],
    "a null id": [[None, [[-1.0, None, None], [-1.0, 1, None]]]],
    "half an id": [[None, [[-1.0, 1.5, None], [-1.0, 1, None]]]],
    "a huge id": [[None, [[-1.0, 10**30, None], [-1.0, 1, None]]]],
    "a pair": [[None, [[-1.0, 1], [-1.0, 1, None]]]],
    "four": [[None, [[-1.0, 1, 0, None], [-1.0, 1, 0, None]]]],
    "not finite": [[None, [[float("-inf"), 1, None], [float("nan"), 1, None]]]],
    "an empty list": [[None, [[]]]],
    "deeper": [[None, [[[-1.0, 1, None]]]]],
}


@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_is_left_to_the_plain_reader(name: str) -> None:
    for odd in ODD[name]:
        # With good lists before and after, which then are lists too.
        sent = [answer(input_top_logprobs=one) for one in (lists(2, 1), odd, lists(2, 2))]
        # By their texts: NaN is not equal to itself.
        assert str(loads(compact(sent))) == str(sent)


@pytest.mark.parametrize("none", [[None, None], [None, []], [], [1, 2], None, 3, "x"], ids=str)
def test_what_holds_no_list_stays_beside_tables(none: Any) -> None:
    sent = [answer(input_top_logprobs=none, output_top_logprobs=lists(2, 1)), answer(input_top_logprobs=none)]
    found = loads(compact(sent))
    assert [one["meta_info"]["input_top_logprobs"] for one in found] == [none, none]
    assert isinstance(found[0]["meta_info"]["output_top_logprobs"], Table) is (none != 3)


def test_a_number_in_the_place_of_lists_is_no_table() -> None:
    sent = [answer(input_top_logprobs=0), answer(input_top_logprobs=lists(2, 1))]
    found = loads(compact(sent))
    assert found == sent
    with pytest.raises(ServerError, match="no input_top_logprobs"):
        read_lists(found[0]["meta_info"], "input", K)


def test_lists_elsewhere_than_in_an_answer_are_no_tables() -> None:
    for sent in ({"input_top_logprobs": lists(2, 1)}, [[lists(2, 1)]], [{"meta_info": {"x": lists(1, 1)}}]):
        assert loads(compact(sent)) == sent


def test_a_list_of_other_length_is_refused() -> None:
    (found,) = loads(compact([answer(input_top_logprobs=lists(3, 1))]))
    with pytest.raises(ServerError, match="5 of 4 entries at list 0"):
        read_lists(found["meta_info"], "input", 4)


@pytest.mark.parametrize("cut", [1, 10, 200, 330])
def test_a_cut_answer_is_not_json(cut: int) -> None:
    with pytest.raises(ValueError, match=r"Expecting|Unterminated|delimiter"):
        loads(compact([answer(input_top_logprobs=lists(4, 1))])[:-cut])
