"""Answers that cannot be right are refused, in whichever shape they come; odd but right ones are read."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from client_of_stub import WINDOW, changed, connect, score_one
from stub_sglang import VOCABULARY, Stub, distribution

from curator._errors import ServerError
from curator.serve.interface import Sampling, Window

SHAPES = pytest.mark.parametrize("flat", [True, False], ids=["flat", "nested"])
LEAST = np.finfo(np.float32).min


def shifted(answer: dict[str, Any]) -> None:
    entries = answer["meta_info"]["input_token_logprobs"]
    for entry, following in zip(entries, [*entries[1:], [0, 1, None]], strict=True):
        entry[1] = following[1]


def same_list(answer: dict[str, Any]) -> None:
    lists = answer["meta_info"]["input_top_logprobs"]
    lists[2:] = [lists[1]] * (len(lists) - 2)


def without(name: str) -> Any:
    def fault(answer: dict[str, Any]) -> None:
        del answer["meta_info"][name]

    return fault


def cached_gap(answer: dict[str, Any]) -> None:
    meta = answer["meta_info"]
    meta["cached_tokens"] = 4
    meta["input_token_logprobs"] = [meta["input_token_logprobs"][0], meta["input_token_logprobs"][-1]]


def short_list(answer: dict[str, Any]) -> None:
    answer["meta_info"]["input_top_logprobs"][2].pop()


def half_temperature(answer: dict[str, Any]) -> None:
    for row in answer["meta_info"]["input_top_logprobs"][1:]:
        for entry in row:
            entry[0] /= 2


TOKENS, LISTS = ("meta_info", "input_token_logprobs"), ("meta_info", "input_top_logprobs")
FAULTS: dict[str, tuple[Any, str]] = {
    "shifted": (shifted, "positions are shifted"),
    "same list": (same_list, "same list at every position|disagree"),
    "no top lists": (without("input_top_logprobs"), "no input_top_logprobs"),
    "no token logprobs": (without("input_token_logprobs"), "no input_token_logprobs"),
    "null top lists": (changed(LISTS, None), "no input_top_logprobs"),
    "short list": (short_list, "7 of 8 entries at list 1"),
    "null list": (changed((*LISTS, 2), None), "None of 8 entries"),
    "cached gap": (cached_gap, r"2 positions, 5 were asked for \(4 prompt tokens came from its prefix cache"),
    "null value": (changed((*TOKENS, 2, 0), None), "null or not a number"),
    "null in list": (changed((*LISTS, 2, 3, 0), None), "null or not a number"),
    "text value": (changed((*LISTS, 2, 3, 0), "x"), "other than numbers"),
    "text id": (changed((*LISTS, 2, 3, 1), "x"), "an id is not a whole number"),
    "half an id": (changed((*LISTS, 2, 3, 1), 3.5), "an id is not a whole number"),
    "huge id": (changed((*LISTS, 2, 3, 1), 10**30), "an id is not a whole number"),
    "null entry": (changed((*LISTS, 2, 3), None), r"an entry of list 1 is not \[logprob, id\]"),
    "no list in the middle": (changed((*LISTS, 3), None), "None of 8 entries at list 2"),
    "no list at the start": (changed((*LISTS, 1), None), "disagree|positions"),
    "a list for the first": (changed((*LISTS, 0), [[-1.0, 1, None]] * 8), "an id twice|positions"),
    "no lists": (changed(LISTS, []), "0 positions, 5 were asked for"),
    "another request's": (changed(("meta_info", "id"), "x"), "answers of other requests"),
    "id outside": (changed((*LISTS, 2, 7, 1), 40), "outside the vocabulary"),
    "id twice": (changed((*LISTS, 1, 3, 1), int(np.argmax(distribution([3, 17])))), "an id twice|disagree"),
    "not ordered": (changed((*LISTS, 1, 7, 0), -0.01), "not ordered|more than 1"),
    "other temperature": (half_temperature, "sum to more than 1|disagree"),
    "chosen disagrees": (changed((*TOKENS, 1, 0), -0.001), "disagree at token 0"),
    "cut prompt": (changed(("meta_info", "prompt_tokens"), 5), "saw 5 of a prompt's 6 tokens"),
    "aborted": (changed(("meta_info", "finish_reason"), {"type": "abort", "message": "oom"}), "aborted.*oom"),
    "no meta": (changed(("meta_info",), None), "no meta_info"),
    "one answer short": (lambda _answer: [], "0 answers to a batch of 1"),
    "not a list": (lambda answer: {"error": "x"}, "did not answer a list"),
}


@SHAPES
@pytest.mark.parametrize("name", FAULTS)
def test_a_faulty_answer_is_refused(stub: Stub, name: str, flat: bool) -> None:
    fault, words = FAULTS[name]
    stub.fault, stub.flat = fault, flat
    with pytest.raises(ServerError, match=words) as error:
        score_one(stub)
    assert "\n" not in str(error.value)
    assert str(error.value).startswith(stub.url)
    assert "SGLang server" in str(error.value) or "its own log" in str(error.value)


def test_the_same_list_with_agreeing_tokens_is_still_refused(stub: Stub) -> None:
    def fault(answer: dict[str, Any]) -> None:
        same_list(answer)
        for entry in answer["meta_info"]["input_token_logprobs"][1:]:
            entry[0] = -30.0
        for row in answer["meta_info"]["input_top_logprobs"][1:]:
            for rank, entry in enumerate(row):
                entry[1] = 10 + rank if 10 + rank not in WINDOW.ids else 32 + rank

    stub.fault = fault
    with pytest.raises(ServerError, match="same list at every position"):
        score_one(stub)


def test_a_null_text_and_a_wrong_text_do_not_matter(stub: Stub) -> None:
    stub.fault = changed((*TOKENS, 1, 2), "wrong")
    assert len(score_one(stub).chosen) == 4


def test_the_last_id_is_reported_as_0_by_some_versions(stub: Stub) -> None:
    window = Window((3, 17, VOCABULARY - 1, 22), 2)

    def fault(answer: dict[str, Any]) -> None:
        answer["meta_info"]["input_token_logprobs"][1][1] = 0

    stub.fault = fault
    scores = score_one(stub, window)
    assert scores.chosen[0] == pytest.approx(distribution([3, 17])[VOCABULARY - 1], rel=1e-6)
    with pytest.raises(ServerError, match="positions are shifted"):
        score_one(stub, Window((3, 17, VOCABULARY - 2, 22), 2))


@pytest.mark.parametrize(
    "output", [None, [], [1] * 9, [40], ["1"]], ids=["missing", "empty", "too long", "outside", "text"]
)
def test_a_continuation_that_cannot_be_is_refused(stub: Stub, output: Any) -> None:
    stub.fault = changed(("output_ids",), output)
    with pytest.raises(ServerError, match=r"output_ids|cannot be a continuation"):
        list(connect(stub).generate([[1, 2]], Sampling(8), 1))


def decoded(stub: Stub, keep: int = 3) -> Any:
    (one,) = connect(stub).generate([[1, 2, 3]], Sampling(5), 1, top_k=6, keep=keep)
    return one


@SHAPES
def test_decoded_lists_are_those_of_each_step(stub: Stub, flat: bool) -> None:
    stub.flat = flat
    one = decoded(stub)
    assert one.scores.top_ids.shape == (3, 6)
    for row, position in enumerate(range(2, 5)):
        expected = distribution([1, 2, 3, *one.ids[:position]])
        assert one.scores.top_ids[row].tolist() == np.argsort(-expected)[:6].tolist()
        np.testing.assert_allclose(one.scores.top_logprobs[row], np.sort(expected)[::-1][:6], rtol=1e-6)
        assert one.scores.chosen[row] == pytest.approx(expected[one.ids[position]], rel=1e-6)
    assert decoded(stub, keep=99).scores.top_ids.shape == (5, 6)
    (body, _) = stub.sent("/generate")
    # No distribution of the prompt is asked for.
    assert "logprob_start_len" not in body


DECODED, STEPS = ("meta_info", "output_token_logprobs"), ("meta_info", "output_top_logprobs")
DECODE_FAULTS: dict[str, tuple[Any, str]] = {
    "a step short": (lambda answer: answer["meta_info"]["output_top_logprobs"].pop(), "4 positions, 5 were asked"),
    "a token short": (lambda answer: answer["meta_info"]["output_token_logprobs"].pop(), "4 positions, 5 were"),
    "other token": (changed((*DECODED, 2, 1), 33), "token 33 where .* was decoded"),
    "no lists": (without("output_top_logprobs"), "no output_top_logprobs"),
    "chosen disagrees": (changed((*DECODED, 1, 0), -9.0), "output logprobs disagree at token 1"),
    "null": (changed((*STEPS, 1, 0, 0), None), "null or not a number"),
    "cut": (lambda answer: answer["output_ids"].pop(), "decoded 4 of 5 tokens"),
}


@SHAPES
@pytest.mark.parametrize("name", DECODE_FAULTS)
def test_a_faulty_decoded_answer_is_refused(stub: Stub, name: str, flat: bool) -> None:
    fault, words = DECODE_FAULTS[name]
    stub.fault, stub.flat = (lambda answer: (fault(answer), None)[1]), flat
    with pytest.raises(ServerError, match=words):
        decoded(stub)


def meta_set(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def fault(answer: dict[str, Any]) -> None:
        key = f"input_top_logprobs_{name}"
        meta = answer["meta_info"]
        meta[key] = value(meta[key]) if callable(value) else value

    return fault


def edited(dtype: str, change: Callable[[Any], Any]) -> Callable[[str], str]:
    """A base64 array with its numbers changed."""

    def edit(text: str) -> str:
        return base64.b64encode(change(np.frombuffer(base64.b64decode(text), dtype).copy()).tobytes()).decode()

    return edit


def put(place: int, value: float) -> Callable[[Any], Any]:
    def change(array: Any) -> Any:
        array[place] = value
        return array

    return change


FLAT_FAULTS: dict[str, tuple[Any, str]] = {
    "NaN": (meta_set("val_flat_b64", edited("<f4", put(9, np.nan))), "null or not a number"),
    "+inf": (meta_set("val_flat_b64", edited("<f4", put(8, np.inf))), "more than 1"),
    "not base64": (meta_set("val_flat_b64", "%%%"), "not an array of float32 in base64"),
    "half a number": (meta_set("val_flat_b64", base64.b64encode(b"12345").decode()), "not an array of float32"),
    "a number": (meta_set("idx_flat_b64", 7), "not an array of int32"),
    "shorter": (meta_set("val_flat_b64", edited("<f4", lambda array: array[:-1])), "31 logprobs and 32 ids"),
    "other type": (meta_set("val_flat_b64_dtype", "float16"), "is float16, not float32"),
    "turned shape": (meta_set("shape", lambda shape: shape[::-1]), "4 of 8 entries at each position"),
    "other rows": (meta_set("shape", [5, 8]), "32 logprobs and 32 ids where its shape says 5 x 8"),
    "no shape": (meta_set("shape", None), "_shape is None"),
    "text for a shape": (meta_set("shape", ["4", 8]), "_shape is"),
    "true for a prefix": (meta_set("null_prefix", True), "_null_prefix is True"),
    "no prefix": (meta_set("null_prefix", 0), "4 positions, 5 were asked for"),
    "neither array": (meta_set("val_flat_b64", None), "but no input_top_logprobs_val_flat"),
    "id outside": (meta_set("idx_flat_b64", edited("<i4", put(3, 2**30))), "outside the vocabulary"),
    "rows moved by one": (
        lambda answer: (
            [
                meta_set(f"{part}_flat_b64", edited(dtype, lambda array: np.roll(array, 8)))(answer)
                for part, dtype in (("val", "<f4"), ("idx", "<i4"))
            ]
            and None
        ),
        "disagree",
    ),
}


@pytest.mark.parametrize("name", FLAT_FAULTS)
def test_a_faulty_array_is_refused(stub: Stub, name: str) -> None:
    stub.flat_fault, words = FLAT_FAULTS[name]
    with pytest.raises(ServerError, match=words) as error:
        score_one(stub)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("zero", [-np.inf, LEAST], ids=["-inf", "float32's least"])
def test_probability_zero_is_float32s_least_number(stub: Stub, zero: float) -> None:
    def fault(answer: dict[str, Any]) -> None:
        for place in (VOCABULARY - 2, VOCABULARY - 1):
            meta_set("val_flat_b64", edited("<f4", put(place, zero)))(answer)

    clean = score_one(stub, k=VOCABULARY)
    stub.flat_fault = fault
    scores = score_one(stub, k=VOCABULARY)
    assert scores.top_logprobs[0, -2:].tolist() == [LEAST, LEAST]
    np.testing.assert_array_equal(scores.top_logprobs[0, :-2], clean.top_logprobs[0, :-2])
    np.testing.assert_array_equal(scores.top_logprobs[1:], clean.top_logprobs[1:])


def test_flat_numbers_without_base64_are_read_too(stub: Stub) -> None:
    def plain(answer: dict[str, Any]) -> None:
        meta = answer["meta_info"]
        for part, dtype in (("val", "<f4"), ("idx", "<i4")):
            text = meta.pop(f"input_top_logprobs_{part}_flat_b64")
            meta[f"input_top_logprobs_{part}_flat"] = np.frombuffer(base64.b64decode(text), dtype).tolist()

    clean = score_one(stub)
    stub.flat_fault = plain
    np.testing.assert_array_equal(score_one(stub).top_logprobs, clean.top_logprobs)


def test_older_servers_nested_lists_give_the_same_scores(stub: Stub) -> None:
    flat = score_one(stub)
    stub.flat = False
    nested = score_one(stub)
    for name in ("top_ids", "top_logprobs", "chosen"):
        np.testing.assert_array_equal(getattr(flat, name), getattr(nested, name))
