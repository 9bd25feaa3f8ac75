import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_files import bad, kept, records, texts

from curator._errors import InputError
from curator.corpora.rows import csv_file
from curator.corpora.rows.csv_file import csv_rows
from curator.corpora.rows.encoding import Encoding
from curator.corpora.rows.records import Row

_FIELD = st.text(st.sampled_from('ab,;"\n\r\t \0é\u2028'), max_size=8)


@given(st.lists(st.lists(_FIELD, min_size=2, max_size=2), max_size=5), st.sampled_from(",;\t"), st.integers(1, 9))
def test_fields_come_out_as_they_went_in(table: list[list[str]], delimiter: str, size: int) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\r\n")
    writer.writerows([["k", "v"], *table])
    data = out.getvalue().encode()
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    rows = list(csv_rows(blocks, Encoding("f"), None))
    assert [list(row.values.values()) for row in rows if isinstance(row, Row)] == table
    assert len(rows) == len(table)


def test_nothing_is_guessed(tmp_path: Path) -> None:
    values = ["NA", "nan", "None", "2024-01-01", "007", "1e5", "true", " padded ", "<NA>"]
    content = "text,n\n" + "".join(f"{value},1\n" for value in values)
    assert texts(records(tmp_path, "a.csv", content.encode())) == values


def test_line_ends_inside_quotes_stay_and_rows_count_lines(tmp_path: Path) -> None:
    content = b'text,n\r\n"one\r\ntwo\rthree\n\n",1\r\n\r\nfour,2\rfive,3'
    assert kept(records(tmp_path, "a.csv", content)) == [(2, "one\r\ntwo\rthree\n\n"), (8, "four"), (9, "five")]


def test_a_quote_inside_an_unquoted_field_is_a_character(tmp_path: Path) -> None:
    assert texts(records(tmp_path, "a.csv", b'id,text\n1,6" pipe\n2,a "b" c\n')) == ['6" pipe', 'a "b" c']


def test_a_long_field(tmp_path: Path) -> None:
    long = "pebble " * 40_000
    assert texts(records(tmp_path, "a.csv", f'text,n\n{long},1\n"{long}",2\n'.encode())) == [long, long]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b'id,text\n1,"no end\n2,ok\n3,ok\n', 2),
        (b'id,text\n1,a\n2,"no end\n3,"b"\n4,ok\n', 3),
        (b'id,text\n"1","a\nb"\n"2\n",\'c\'\n3,"open', 6),
        (b'id,"text\n1,a\n', 1),
        (b'id,text\n1,"a\nb","c\nd\n', 3),
        (b'id,text\n1,"', 2),
    ],
)
def test_an_open_quote_is_told_where_it_opens(tmp_path: Path, content: bytes, line: int) -> None:
    with pytest.raises(InputError, match=rf"^a\.csv:{line}: a quote opens here and is not closed"):
        records(tmp_path, "a.csv", content)


def test_an_open_quote_does_not_read_a_large_file_into_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_file, "_LONGEST", 1000)
    with pytest.raises(InputError, match=r"^a\.csv:2: a quote opens here .* million characters on"):
        records(tmp_path, "a.csv", b'text,n\n"open,1\n' + b"more,2\n" * 1000 + b'"')


def test_bad_records_are_told_and_the_rest_is_kept(tmp_path: Path) -> None:
    found = records(tmp_path, "a.csv", b'text,n\na,1\nb\nc,2,3\n"d"e,4\nf,5\n')
    assert kept(found) == [(2, "a"), (6, "f")]
    assert bad(found) == [
        ("a.csv:3", "wrong number of fields"),
        ("a.csv:4", "wrong number of fields"),
        ("a.csv:5", "stray quote"),
    ]


@pytest.mark.parametrize("header", ["text;n", "text\tn", "text|n"])
def test_another_delimiter_is_told_from_the_header(tmp_path: Path, header: str) -> None:
    mark = header[4]
    assert texts(records(tmp_path, "a.csv", f"{header}\na, b{mark}1\n".encode())) == ["a, b"]


def test_tabs_and_marks(tmp_path: Path) -> None:
    assert texts(records(tmp_path, "a.tsv", '\ufeff"text"\tn\na, b\t1\n'.encode())) == ["a, b"]
    assert texts(records(tmp_path, "b.csv", "text\tn\na\t1\n".encode("utf-16"))) == ["a"]


@pytest.mark.parametrize(
    ("header", "told"), [("text,text", "two columns are called 'text'"), ("text, ", "column 2 has no name")]
)
def test_a_header_that_names_no_columns_is_refused(tmp_path: Path, header: str, told: str) -> None:
    with pytest.raises(InputError, match=rf"^a\.csv:1: {told}"):
        records(tmp_path, "a.csv", f"{header}\na,b\n".encode())


def test_an_index_without_a_name(tmp_path: Path) -> None:
    assert texts(records(tmp_path, "a.csv", b",text\n0,a\n1,b\n")) == ["a", "b"]


def test_no_rows(tmp_path: Path) -> None:
    assert records(tmp_path, "a.csv", b"") == []
    assert records(tmp_path, "a.csv", b"text,n\n") == []
