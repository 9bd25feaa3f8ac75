from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_files import records

from curator._errors import InputError

_PIECES = st.sampled_from(
    [
        b'{"text": "',
        b'"}',
        b"\n",
        b"\r",
        b"\0",
        b'"',
        b",",
        b"[",
        b"]",
        b"\xff",
        b"\xfe",
        b"\xef\xbb\xbf",
        b"NaN",
        b'{"messages": [{"role": "user", "content": "a"}]}',
        b"\\ud800",
        b"text,n\n",
        b"9" * 5000,
        b"\xf0\x9f",
    ]
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    yield tmp_path_factory.mktemp("bytes")


@settings(max_examples=200)
@given(
    st.sampled_from(["a.jsonl", "a.json", "a.csv", "a.tsv", "a.txt", "a.jsonl.gz", "a.parquet", "a.arrow", "a"]),
    st.lists(_PIECES, max_size=8).map(b"".join) | st.binary(max_size=30),
    st.sampled_from(["stop", "replace"]),
    st.sampled_from(["utf-8", "utf-16", "latin-1", "shift_jis"]),
)
def test_any_bytes_give_records_or_an_error_of_one_line(
    folder: Path, name: str, content: bytes, errors: str, encoding: str
) -> None:
    try:
        found = records(folder, name, content, encoding_errors=errors, encoding=encoding)
    except InputError as error:
        assert "\n" not in str(error)
        assert str(error).startswith(name)
        return
    for record in found:
        with suppress(AttributeError):
            record.text.encode("utf-8")  # type: ignore[union-attr]
