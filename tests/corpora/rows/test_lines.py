import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator._errors import InputError
from curator.corpora.rows import lines
from curator.corpora.rows.lines import newline_lines, text_lines

_PIECES = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n", b"\x0b", b"\x85", "\u2028".encode(), b""]))


def blocks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(_PIECES, st.integers(1, 7))
def test_text_ends_lines_in_three_ways_wherever_blocks_end(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    wanted = re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$", data)
    assert list(text_lines(blocks(data, size), "f")) == wanted


@given(_PIECES, st.integers(1, 7))
def test_json_lines_end_at_a_line_feed_only(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    wanted = [line for line in re.findall(rb"[^\n]*\n|[^\n]+$", data)]
    assert list(newline_lines(blocks(data, size), "f")) == wanted


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "LONGEST", 1 << 20)
    for cut in (newline_lines, text_lines):
        assert [len(line) for line in cut([b"a" * 500_000, b"b\n" + b"c" * 700_000], "f")] == [500_002, 700_000]
        with pytest.raises(InputError, match=r"^f: a line of over 1 MB; is the format right\?"):
            list(cut([b"a" * 100_000] * 11, "f"))
