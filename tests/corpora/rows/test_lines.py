import re

from hypothesis import given
from hypothesis import strategies as st

from curator.corpora.rows.lines import newline_lines, text_lines

_PIECES = st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n", b"\x0b", b"\x85", "\u2028".encode(), b""]))


def blocks(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


@given(_PIECES, st.integers(1, 7))
def test_text_ends_lines_in_three_ways_wherever_blocks_end(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    wanted = re.findall(rb"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$", data)
    assert list(text_lines(blocks(data, size))) == wanted


@given(_PIECES, st.integers(1, 7))
def test_json_lines_end_at_a_line_feed_only(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    wanted = [line for line in re.findall(rb"[^\n]*\n|[^\n]+$", data)]
    assert list(newline_lines(blocks(data, size))) == wanted
