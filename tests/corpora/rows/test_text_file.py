from pathlib import Path

import pytest
from row_files import kept, records, texts

from curator._errors import InputError
from curator.corpora.rows import text_file
from curator.corpora.rows.records import Mended

POEM = "The lamp is out,\r\n  the tide is in,\n\n\t\n and nobody\rcounted\u2028the\x0bboats.\n"


def test_a_document_is_the_file_as_it_is(tmp_path: Path) -> None:
    assert kept(records(tmp_path, "a.txt", POEM.encode())) == [(1, POEM)]
    assert kept(records(tmp_path, "a.txt", ("\ufeff" + POEM).encode())) == [(1, POEM)]


def test_paragraphs_are_divided_by_blank_lines(tmp_path: Path) -> None:
    assert kept(records(tmp_path, "a.txt", POEM.encode(), unit="paragraph")) == [
        (1, "The lamp is out,\r\n  the tide is in,"),
        (5, " and nobody\rcounted\u2028the\x0bboats."),
    ]


def test_lines_end_in_three_ways_and_blank_ones_are_no_rows(tmp_path: Path) -> None:
    assert kept(records(tmp_path, "a.txt", POEM.encode(), unit="line")) == [
        (1, "The lamp is out,"),
        (2, "  the tide is in,"),
        (5, " and nobody"),
        (6, "counted\u2028the\x0bboats."),
    ]


def test_a_bad_byte(tmp_path: Path) -> None:
    content = b"ok\ncaf\xe9\nok again\n"
    for unit in ("document", "paragraph", "line"):
        with pytest.raises(InputError, match=r"^a\.txt:2: not UTF-8 \(byte 3 of the line, 6 of the file\)"):
            records(tmp_path, "a.txt", content, unit=unit)
    found = records(tmp_path, "a.txt", content, unit="line", encoding_errors="replace")
    assert kept(found) == [(1, "ok"), (2, "caf\ufffd"), (3, "ok again")]
    assert [record.where for record in found if isinstance(record, Mended)] == ["a.txt:2"]
    assert texts(records(tmp_path, "a.txt", content, encoding="latin-1")) == ["ok\ncafé\nok again\n"]


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    assert records(tmp_path, "a.txt", b"") == []


def test_one_text_of_endless_length_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_file, "LARGEST", 20)
    with pytest.raises(InputError, match=r"^a\.txt:1: one document of over .* set unit to a smaller part"):
        records(tmp_path, "a.txt", b"line\n" * 10)
    assert len(records(tmp_path, "a.txt", b"line\n" * 10, unit="line")) == 10
