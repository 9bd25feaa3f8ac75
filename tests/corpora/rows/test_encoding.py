from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from row_files import records

from curator._errors import InputError
from curator.corpora.rows.encoding import Encoding, check_encoding


def utf8(data: bytes, encoding: Encoding, size: int = 3) -> bytes:
    return b"".join(encoding.utf8_blocks(data[at : at + size] for at in range(0, len(data), size)))


@given(st.text(), st.sampled_from(["utf-8-sig", "utf-16", "utf-32"]), st.integers(1, 9))
def test_a_mark_is_believed_and_removed(text: str, name: str, size: int) -> None:
    # The mark of UTF-16 and a NUL are the mark of UTF-32.
    assume(not text.startswith("\0"))
    assert utf8(text.encode(name), Encoding("f"), size).decode() == text


@given(st.text(), st.sampled_from(["utf-16-le", "utf-16-be", "gb18030", "utf-8"]), st.integers(1, 9))
def test_a_named_encoding_is_read_wherever_blocks_end(text: str, name: str, size: int) -> None:
    text = "x" + text
    assert utf8(text.encode(name), Encoding("f", name), size).decode() == text


def test_a_latin_file_may_begin_with_bytes_that_look_like_a_mark() -> None:
    assert utf8(b"\xff\xfe\xe9", Encoding("f", "latin-1")).decode() == "ÿþé"
    assert utf8("\ufeffé".encode(), Encoding("f", "latin-1")).decode() == "é"


@pytest.mark.parametrize(("name", "told"), [("utf-16-le", "utf-16-le"), ("utf-16-be", "utf-16-be")])
def test_utf16_without_a_mark_is_named(name: str, told: str) -> None:
    with pytest.raises(
        InputError, match=f"^f: looks like UTF-16 without a byte-order mark; set encoding: {told}$"
    ):
        utf8('{"text": "hi"}\n'.encode(name), Encoding("f"))


def test_nul_bytes_alone_do_not_make_it_utf16() -> None:
    assert utf8(b"a\0b and more", Encoding("f")) == b"a\0b and more"


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_a_bad_byte_of_another_encoding_stops_with_line_and_byte(size: int) -> None:
    data = "one\ntwo\nthr".encode("utf-16-le") + b"\x00\xd8" + "ee\n".encode("utf-16-le")
    with pytest.raises(InputError, match=r"^f:3: not UTF-16-LE \(byte 22 of the file\); name the file's encoding"):
        utf8(data, Encoding("f", "utf-16-le"), size)


def test_a_file_that_ends_within_a_character_stops() -> None:
    with pytest.raises(InputError, match=r"^f:2: not UTF-16-LE \(byte 6 of the file\)"):
        utf8("ab\n".encode("utf-16-le") + b"x", Encoding("f", "utf-16-le"))


def test_bad_bytes_of_another_encoding_are_replaced_and_counted() -> None:
    encoding = Encoding("f", "cp1252", "replace")
    line = utf8(b"caf\xe9 \x81 \x9d.", encoding)
    assert encoding.text(line, 1, 0) == ("café \ufffd \ufffd.", "2 places not in CP1252 became U+FFFD")


def test_lines_stop_or_are_mended() -> None:
    with pytest.raises(InputError, match=r"^f:7: not UTF-8 \(byte 3 of the line, 103 of the file\)"):
        Encoding("f").text(b"caf\xe9 x", 7, 100)
    mended = Encoding("f", errors="replace").text("\ufffd caf".encode() + b"\xe9", 7, 100)
    assert mended == ("\ufffd caf\ufffd", "1 place not in UTF-8 became U+FFFD")
    assert Encoding("f").text("café".encode(), 1, 0) == ("café", "")


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.txt"])
@pytest.mark.parametrize("before", ["", "{start}"])
def test_places_in_a_file_count_its_mark(tmp_path: Path, name: str, before: str) -> None:
    rows = {
        "a.jsonl": b'{"text": "caf\xe9"}\n',
        "a.json": b'[{"text": "caf\xe9"}]',
        "a.csv": b"text\ncaf\xe9\n",
        "a.txt": b"caf\xe9\n",
    }
    first = {"a.jsonl": b'{"text": "one"}\n', "a.json": b"\n\n", "a.csv": b"\n", "a.txt": b"one\n"}
    for mark in (b"", b"\xef\xbb\xbf"):
        data = mark + (first[name] if before else b"") + rows[name]
        with pytest.raises(InputError, match=rf", {data.index(0xE9)} of the file\)"):
            records(tmp_path, name, data)


def test_names_of_encodings() -> None:
    for name in ("utf-8", "latin-1", "UTF-16", "gb18030"):
        assert check_encoding(name) == name
    for name in ("klingon", "rot13", "base64", "a\0b", "no such thing"):
        with pytest.raises(ValueError, match="is no text encoding; use utf-8"):
            check_encoding(name)
