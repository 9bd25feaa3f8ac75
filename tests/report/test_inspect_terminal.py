from __future__ import annotations

import io
import re
from typing import Any

from inspect_samples import CONTROL, A, manifest, part, samples, vocabulary
from rich.console import Console

from curator.report.inspect_summary import inspection
from curator.report.inspect_terminal import print_inspection, print_samples
from curator.report.inspect_tokens import sample_views


def printed(width: int = 80, *, color: bool = False, **more: Any) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=color, color_system="standard" if color else None)
    control = more.get("control", CONTROL)
    print_inspection(inspection(manifest(), samples(), control, {"end": 1, "start": 0}), console)
    print_samples(
        sample_views(more.get("set", samples()), manifest(), more.get("vocabulary", vocabulary())), console
    )
    return out.getvalue()


def squeezed(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


def test_the_summary_says_what_is_in_the_set() -> None:
    lines = squeezed(printed())
    for line in (
        "Calibration set mix",
        "samples 2",
        "tokens 16",
        "documents a sample 2 to 2, median 2",
        "cut off 7 tokens, of 1 texts",
        "tokens.bos auto",
        "code 7 50.0 30.0 +20.0 1",
        "chat 0 0.0 20.0 -20.0 0",
        "Apache-2.0 7 50.0 1",
        "<think> control 2 1 0",
        "<s> start 0 2 2",
        "warning: a task is short",
    ):
        assert line in lines, line


def test_tokens_are_told_apart_without_colour() -> None:
    lines = squeezed(printed())
    assert "a¦b¦c¦d¦⟦</s>⟧" in lines
    assert "a¦⟦<think>⟧¦⟦</s>⟧" in lines
    assert "…¦b" in lines
    assert "·¦e¦f¦g" in lines
    assert "⟦<s>⟧" in lines


def test_lines_break_where_the_text_does() -> None:
    letters = "ab\n"
    one = [{"id": "x", "input_ids": [A, A + 1, A + 2, A, A + 1], "parts": [part("d", 0, 5)]}]
    lines = printed(set=one, vocabulary=vocabulary(letters)).splitlines()
    assert lines[-2:] == ["a¦b¦↵", "a¦b"]


def test_no_line_is_wider_than_the_terminal() -> None:
    ids = [A + place % 9 for place in range(400)]
    one = [{"id": "x", "input_ids": ids, "parts": [part("d" * 200, 0, 400)]}]
    for width in (40, 80):
        assert max(len(line) for line in printed(width, set=one).splitlines()) <= width


def test_control_tokens_have_colours_by_kind_on_a_terminal() -> None:
    text = printed(color=True)
    colours = {name: re.search(rf"\x1b\[([0-9;]+)m⟦{name}⟧", text) for name in ("<s>", "</s>", "<think>")}
    codes = [match[1] for match in colours.values() if match]
    assert len(set(codes)) == 3


def test_without_a_tokenizer_the_way_to_one_is_shown() -> None:
    assert "counted with --tokens" in printed(control=None)
