from __future__ import annotations

from typing import Any

from inspect_samples import CONTROL, A, manifest, part, samples, vocabulary

from curator.report.inspect_tokens import HEAD, TAIL, boundary_words, sample_views, visible


def texts(tokens: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(token["text"], token["kind"]) for token in tokens]


def test_every_token_is_shown_with_its_kind_and_document() -> None:
    first, second = sample_views(samples(), manifest(), vocabulary())
    assert texts(first["prefix"]) == [("<s>", "start")]
    assert [document["id"] for document in first["documents"]] == ["d1", "d2"]
    assert texts(first["documents"][0]["tokens"]) == [
        ("a", "text"), ("b", "text"), ("c", "text"), ("d", "text"), ("</s>", "end"),
    ]  # fmt: skip
    assert texts(second["documents"][0]["tokens"]) == [("a", "text"), ("<think>", "control"), ("</s>", "end")]
    assert texts(second["documents"][1]["tokens"]) == [("", "part"), ("b", "text")]
    assert [token["id"] for token in second["documents"][1]["tokens"]] == [4, A + 1]


def test_a_document_says_where_the_rest_of_it_is() -> None:
    first, second = sample_views(samples(), manifest(), vocabulary())
    assert boundary_words(first["documents"][1]) == [
        "code", "code", "en", "Apache-2.0", "tokens 6-9", "goes on in sample 1",
    ]  # fmt: skip
    # What was cut off is told where the document ends.
    assert boundary_words(second["documents"][0])[-2:] == ["goes on from sample 0", "7 tokens cut off"]
    assert boundary_words(first["documents"][0])[-1] == "tokens 1-5"


def test_long_documents_are_folded_unless_one_sample_is_asked_for() -> None:
    ids = [A + place for place in range(500)]
    long = [{"id": "x", "input_ids": ids, "parts": [part("d", 0, 400), part("e", 400, 500)]}]
    (view,) = sample_views(long, manifest(), vocabulary())
    for document, size in zip(view["documents"], (400, 100), strict=True):
        tokens = document["tokens"]
        assert tokens[HEAD] == {"folded": size - HEAD - TAIL}
        shown = [token["id"] for token in tokens if "id" in token]
        own = ids[document["start"] : document["end"]]
        assert shown == own[:HEAD] + own[-TAIL:]
    (whole,) = sample_views(long, manifest(), vocabulary(), only=0)
    assert [token["id"] for document in whole["documents"] for token in document["tokens"]] == ids


def test_one_sample_of_several_is_found_by_its_number() -> None:
    (view,) = sample_views(samples(), manifest(), vocabulary(), only=1)
    assert (view["number"], view["id"], view["n_tokens"]) == (1, "mix/0/1", 6)
    assert view["documents"][0]["continues"] == 0


def test_white_space_is_seen_and_nothing_acts_on_a_terminal() -> None:
    assert visible(" a\tb\r\n\u00a0") == "·a⇥b␍↵⍽"
    assert "\x1b" not in visible("\x1b[2J\u202e")


def test_what_is_no_control_token_is_text_though_it_looks_like_one() -> None:
    made = vocabulary("<")
    assert made.kind(A, "<s>") == "text"
    assert made.kind(0, CONTROL[0]) == "start"
