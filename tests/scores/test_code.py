from __future__ import annotations

import time

import pytest

from curator.scores.code import code_continuity, code_lines


def test_lines_keep_their_indentation_and_place() -> None:
    text = "if a:\n\n    b()  \n\t\n\tc()\n"
    assert [(line.text, text[line.start : line.end]) for line in code_lines(text)] == [
        ("if a:", "if a:"),
        ("    b()", "    b()"),
        ("\tc()", "\tc()"),
    ]


def test_depth_alone_and_names_alone_show_order() -> None:
    deep = ["    " * (at // 8) + f"{chr(97 + at)}()" for at in range(24)]
    assert code_continuity(deep).z > 3
    named = [f"call{chr(97 + at)}(row_{'north' if at < 12 else 'south'})" for at in range(24)]
    assert code_continuity(named).z > 3
    assert code_continuity([named[at * 7 % 24] for at in range(24)]).z < 2


def test_parts_of_names_count() -> None:
    lines = ["readRows(a)", "READ_rows(b)", "readHTTPRows(c)", "kilnTemp(d)", "kiln_temp(e)", "KILN(f)"]
    mixed = [lines[at] for at in (0, 3, 1, 4, 2, 5)]
    assert code_continuity(lines).z > 1 > code_continuity(mixed).z


@pytest.mark.parametrize(
    "lines", [[], ["x"], ["x = 1"] * 30, [" " * 10**6 + "x"] * 4, ["\ud800", "\x00", "((", "}"]]
)
def test_no_lines_give_a_nan_or_hang(lines: list[str]) -> None:
    begin = time.process_time()
    assert code_continuity(lines).z == pytest.approx(0, abs=3)
    assert time.process_time() - begin < 5
