import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_files import bad, kept, records, texts

from curator._errors import InputError
from curator.corpora.rows.json_lines import read_rows
from curator.corpora.rows.json_values import check_finite, parse_json
from curator.corpora.rows.records import Mended, UnusableError


def test_lines_end_at_line_feeds_and_blank_lines_are_no_rows(tmp_path: Path) -> None:
    content = '{"text": "one\u2028still\u0085one"}\r\n\n  \t\r\n{"text": "two"}'.encode()
    assert kept(records(tmp_path, "a.jsonl", content)) == [(1, "one\u2028still\u0085one"), (4, "two")]


def test_marks_of_files_that_were_joined(tmp_path: Path) -> None:
    row = '\ufeff{"text": "\ufeffa"}\n'.encode()
    assert texts(records(tmp_path, "a.jsonl", row * 2)) == ["\ufeffa"] * 2


def test_half_a_surrogate_pair_is_mended_and_told_and_a_whole_one_is_kept(tmp_path: Path) -> None:
    content = b'{"text": "\\ud83d\\udc1f"}\n{"text": "cut \\uD83D here"}\n{"text": "\\\\ud83d"}\n'
    found = records(tmp_path, "a.jsonl", content)
    assert kept(found) == [(1, "\U0001f41f"), (2, "cut \ufffd here"), (3, "\\ud83d")]
    assert found[1] == Mended("a.jsonl:2", "mended and kept", "half a surrogate pair became U+FFFD")


def test_surrogates_are_mended_at_any_depth() -> None:
    value, mended = parse_json('{"a": [{"\\udc00k": "x\\ud800"}], "b": 1}')
    assert value == {"a": [{"\ufffdk": "x\ufffd"}], "b": 1}
    assert mended


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"text": ', "not JSON"),
        (b'{"text": "a"} {"text": "b"}', "not JSON"),
        (b'{"text": "tab\there"}', "not JSON"),
        (b'{"text": "a", "x": NaN}', "not JSON"),
        (b'{"text": "a", "x": [-Infinity]}', "not JSON"),
        (b"{'text': 'a'}", "not JSON"),
        (b'[{"text": "a"}]', "not an object"),
        (b'"text"', "not an object"),
        (b"null", "not an object"),
        (b'{"text": "a", "n": ' + b"9" * 5000 + b"}", "number too long"),
        (b'{"text": "a", "n": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested too deeply"),
        (b'{"text": "a", "text": "b"}', "key twice"),
        (b'{"text": "a", "m": {"k": 1, "k": 2}}', "key twice"),
    ],
)
def test_a_bad_line_is_told_and_the_rest_is_kept(tmp_path: Path, line: bytes, reason: str) -> None:
    found = records(tmp_path, "a.jsonl", b'{"text": "one"}\n' + line + b'\n{"text": "three"}\n')
    assert kept(found) == [(1, "one"), (3, "three")]
    assert bad(found) == [("a.jsonl:2", reason)]
    with pytest.raises(InputError, match=r"^a\.jsonl:2: "):
        records(tmp_path, "a.jsonl", b'{"text": "one"}\n' + line + b"\n", bad_rows="stop")


@given(
    st.dictionaries(
        st.text(),
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    )
)
def test_values_come_out_as_they_went_in(row: dict[str, object]) -> None:
    assert parse_json(json.dumps(row))[0] == row


def test_what_strict_json_cannot_hold() -> None:
    for value in ({"a": float("inf")}, [b"x"]):
        with pytest.raises(UnusableError):
            check_finite(value)


def test_a_bad_byte_stops_or_is_mended(tmp_path: Path) -> None:
    content = b'{"text": "a"}\n{"text": "caf\xe9"}\n{"text": "c"}\n'
    with pytest.raises(InputError, match=r"^a\.jsonl:2: not UTF-8 \(byte 13 of the line, 27 of the file\)"):
        records(tmp_path, "a.jsonl", content)
    found = records(tmp_path, "a.jsonl", content, encoding_errors="replace")
    assert kept(found) == [(1, "a"), (2, "caf\ufffd"), (3, "c")]
    assert [record.where for record in found if isinstance(record, Mended)] == ["a.jsonl:2"]
    assert texts(records(tmp_path, "a.jsonl", content, encoding="latin-1")) == ["a", "café", "c"]


def test_a_line_longer_than_any_block(tmp_path: Path) -> None:
    long = "harbour é " * 300_000
    rows = "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in ("a", long, "tail"))
    assert texts(records(tmp_path, "a.jsonl.gz", gzip.compress(rows.encode(), 1))) == ["a", long, "tail"]


def test_strict_reading(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"n": 1}\n\n{"n": "\\ud83d"}\n')
    assert list(read_rows(path)) == [(1, {"n": 1}), (3, {"n": "\ufffd"})]
    path.write_bytes(b'{"n": 1}\n[1]\n{"n": 2}\n')
    rows = read_rows(path)
    assert next(rows) == (1, {"n": 1})
    with pytest.raises(InputError, match=rf"^{path}:2: a row must be an object, .* not a list"):
        next(rows)
    with pytest.raises(InputError, match="cannot be read"):
        next(read_rows(tmp_path / "none.jsonl"))
    path.write_bytes(b'{"n": "\xe9"}')
    with pytest.raises(InputError, match=rf"^{path}:1: not UTF-8"):
        next(read_rows(path))
