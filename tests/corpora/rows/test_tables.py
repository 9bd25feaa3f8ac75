import io
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from row_files import bad, kept, records, shard, texts

from curator._errors import DependencyError, InputError
from curator.corpora.document import Document
from curator.corpora.rows.file_shard import FileShard
from curator.corpora.rows.parquet_file import parquet_rows, row_groups
from curator.corpora.rows.records import Mended

TURNS = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}]


def parquet(table: pa.Table, **options: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(table, out, **options)
    return out.getvalue()


def arrow(table: pa.Table, kind: str) -> bytes:
    out = io.BytesIO()
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(out, table.schema) as writer:
        writer.write_table(table, max_chunksize=2)
    return out.getvalue()


def packed(table: pa.Table) -> list[tuple[str, bytes]]:
    return [
        ("a.parquet", parquet(table)),
        ("a.arrow", arrow(table, "file")),
        ("b.arrow", arrow(table, "stream")),
        ("told-by-bytes", arrow(table, "stream")),
    ]


@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string()), pa.binary(), pa.large_binary()]
)
def test_text_in_columns_of_any_kind(tmp_path: Path, kind: pa.DataType) -> None:
    column = pa.array(["x", "café", None, "x"]).cast(kind)
    for name, content in packed(pa.table({"n": [1, 2, 3, 4], "text": column})):
        found = records(tmp_path, name, content)
        assert kept(found) == [(1, "x"), (2, "café"), (4, "x")]
        assert bad(found) == [(f"{name} row 3", "null")]


def test_lists_and_large_lists_of_turns(tmp_path: Path) -> None:
    turn = pa.struct([("role", pa.string()), ("content", pa.string())])
    large = pa.struct([("role", pa.large_string()), ("content", pa.large_string())])
    for kind in (pa.list_(turn), pa.large_list(turn), pa.large_list(large)):
        table = pa.table({"messages": pa.array([TURNS] * 3, kind)})
        for name, content in packed(table):
            assert texts(records(tmp_path, name, content)) == ["hi\n\nho"] * 3


INVALID = [b"a", b"caf\xe9", b"c"]


def nested(texts: pa.Array) -> pa.Array:
    return pa.StructArray.from_arrays([texts, pa.array([1, 2, 3])], names=["t", "n"])


def listed(texts: pa.Array) -> pa.Array:
    return pa.ListArray.from_arrays([0, 1, 2, 3], nested(texts))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
@pytest.mark.parametrize(
    ("made", "path"), [(lambda texts: texts, "x"), (nested, "x.t"), (listed, "x.0.t"), ("dictionary", "x")]
)
def test_text_that_is_not_utf8_stops_or_is_mended_or_read_in_its_encoding(
    tmp_path: Path, kind: pa.DataType, made: Any, path: str
) -> None:
    values = pa.array(INVALID, pa.large_binary() if "large" in str(kind) else pa.binary()).view(kind)
    numbers = pa.array([0, 1, 2], pa.int8())
    column = pa.DictionaryArray.from_arrays(numbers, values) if made == "dictionary" else made(values)
    files = packed(pa.table({"x": column, "n": [1, 2, 3]}))
    # The library itself refuses such a dictionary of texts in Parquet.
    for name, content in files if made != "dictionary" or "binary" in str(kind) else files[1:]:
        asked = {"columns": {"text": path}}
        with pytest.raises(InputError) as caught:
            records(tmp_path, name, content, **asked)
        assert str(caught.value) == (
            f"{name} row 2: column 'x' is not UTF-8 (byte 3 of the text); name its encoding, such as encoding: "
            "latin-1, or set encoding_errors: replace"
        )
        found = records(tmp_path, name, content, encoding_errors="replace", **asked)
        assert kept(found) == [(1, "a"), (2, "caf\ufffd"), (3, "c")]
        mended = [record for record in found if isinstance(record, Mended)]
        assert [(one.where, one.detail) for one in mended] == [
            (f"{name} row 2", "text of 'x' that is not UTF-8 became U+FFFD")
        ]
        assert texts(records(tmp_path, name, content, encoding="latin-1", **asked)) == ["a", "caf\xe9", "c"]


def test_binary_text_is_read_in_the_encoding_that_the_recipe_names(tmp_path: Path) -> None:
    for encoding in ("utf-16", "cp1251", "latin-1"):
        text = "caf\xe9" if encoding != "cp1251" else "\u043a\u043e\u0442"
        turns = pa.array(
            [[{"role": "user", "content": text.encode(encoding)}]],
            pa.list_(pa.struct([("role", pa.string()), ("content", pa.binary())])),
        )
        for name, content in packed(pa.table({"messages": turns})):
            assert texts(records(tmp_path, name, content, encoding=encoding)) == [text]
    with pytest.raises(InputError, match=r"^a\.parquet row 1: column 'body' is not ASCII \(byte 1 of the text\)"):
        content = parquet(pa.table({"body": ["x\xe9".encode()], "n": [1]}))
        records(tmp_path, "a.parquet", content, encoding="ascii", columns={"text": "body"})


def test_bytes_that_no_text_is_made_of_are_left_alone(tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": [{"picture": b"\xff\xd8", "text": "one"}, {"picture": b"\xff", "text": None}],
            "image": [b"\x89", b"\x89"],
        }
    )
    for name, content in packed(table):
        for errors in ("stop", "replace"):
            found = records(tmp_path, name, content, columns={"text": "a.text"}, encoding_errors=errors)
            assert kept(found) == [(1, "one")]
            assert [reason for _, reason in bad(found)] in (["null"], ["missing column"])
    content = parquet(pa.table({"image": [b"\x89"], "body": ["A note."]}))
    assert texts(records(tmp_path, "a.parquet", content)) == ["A note."]


def test_columns_beside_a_conversation_are_read_from_tables_as_from_lines(tmp_path: Path) -> None:
    rows = [{"chat": TURNS, "system": "Be brief.", "tools": '[{"name": "f"}]', "other": 1}]
    columns = {"messages": "chat"}
    (line,) = records(tmp_path, "a.jsonl", json.dumps(rows[0]).encode(), columns=columns)
    for name, content in packed(pa.Table.from_pylist(rows)):
        (record,) = records(tmp_path, name, content, columns=columns)
        assert isinstance(record, Document) and isinstance(line, Document)
        assert (record.messages, record.tools) == (line.messages, line.tools)
        assert record.messages is not None and len(record.messages) == 3
        assert record.tools == ({"name": "f"},)


def test_a_column_without_any_value(tmp_path: Path) -> None:
    table = pa.table({"text": ["a"], "lang": pa.nulls(1), "tags": pa.array([[]], pa.list_(pa.null()))})
    for name, content in packed(table):
        assert texts(records(tmp_path, name, content)) == ["a"]


def test_nested_columns_over_many_row_groups_with_numbers_that_go_on(tmp_path: Path) -> None:
    table = pa.table({"messages": [TURNS] * 30})
    found = records(tmp_path, "a.parquet", parquet(table, row_group_size=4))
    assert [row for row, _ in kept(found)] == list(range(1, 31))


def test_fields_that_other_turns_have_are_left_out(tmp_path: Path) -> None:
    call = {"function": {"name": "f", "arguments": '{"x": null}'}}
    turns = [*TURNS, {"role": "assistant", "content": None, "tool_calls": [call]}]
    tools = [{"name": "f", "parameters": {"type": "object"}}, {"name": "g", "strict": True}]
    for name, content in packed(pa.Table.from_pylist([{"messages": turns, "tools": tools}])):
        (record,) = records(tmp_path, name, content)
        assert isinstance(record, Document) and record.messages is not None
        assert [message.as_row() for message in record.messages] == [
            *TURNS,
            {"role": "assistant", "content": "", "tool_calls": [{"name": "f", "arguments": {"x": None}}]},
        ]
        assert record.tools == tuple(tools)


def test_only_the_columns_that_are_needed_are_read(tmp_path: Path) -> None:
    # A time that Python cannot hold is no matter while nobody asks for it.
    odd = pa.array([1], pa.timestamp("ns"))
    content = parquet(pa.table({"text": ["a"], "body": ["b"], "when": odd}))
    assert texts(records(tmp_path, "a.parquet", content)) == ["a"]
    assert texts(records(tmp_path, "a.parquet", content, columns={"text": "body"})) == ["b"]
    found = records(tmp_path, "a.parquet", content, columns={"text": "when"})
    assert bad(found) == [("a.parquet row 1", "not text")]


def test_a_path_and_a_column_whose_name_has_a_dot(tmp_path: Path) -> None:
    content = parquet(pa.table({"answers": [{"text": ["yes", "no"]}], "a.b": ["dotted"], "x": [1]}))
    assert texts(records(tmp_path, "a.parquet", content, columns={"text": "answers.text.1"})) == ["no"]
    assert texts(records(tmp_path, "a.parquet", content, columns={"text": "a.b"})) == ["dotted"]


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "b.arrow"])
def test_a_damaged_file_is_told(tmp_path: Path, name: str) -> None:
    content = dict(packed(pa.table({"text": ["a" * 1000] * 50})))[name]
    for damaged in (content[: len(content) // 2], content[:20]):
        with pytest.raises(
            InputError,
            match=rf"^{name}: no (Parquet|Arrow) file, or truncated or damaged \(.*\); copy or download",
        ):
            records(tmp_path, name, damaged)
    with pytest.raises(InputError, match=rf"^{name}: no (Parquet|Arrow) file, although its name says so"):
        records(tmp_path, name, b'{"text": "a"}\n')
    with pytest.raises(InputError, match=rf"^{name}: no (Parquet|Arrow) file"):
        records(tmp_path, name, b"plain text", format=Path(name).suffix[1:])


def test_a_page_that_differs_from_its_checksum_is_told(tmp_path: Path) -> None:
    table = pa.table({"text": ["harbour ferry lantern"] * 9})
    content = bytearray(
        parquet(table, compression="none", use_dictionary=False, write_statistics=False, write_page_checksum=True)
    )
    content[content.index(b"lantern")] ^= 1
    with pytest.raises(InputError, match=r"^a\.parquet: no Parquet file, or truncated or damaged"):
        records(tmp_path, "a.parquet", bytes(content))


def test_a_table_that_is_said_to_be_something_else(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^a\.jsonl: a Parquet file, not jsonl; set format: parquet"):
        records(tmp_path, "a.jsonl", parquet(pa.table({"text": ["a"]})), format="jsonl")


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    for name, content in packed(table):
        with pytest.raises(InputError, match=f"^{name}: two columns are called 'text'; rename one"):
            records(tmp_path, name, content)


def test_row_groups_are_read_on_their_own(tmp_path: Path) -> None:
    content = parquet(pa.table({"text": [f"t{number}" for number in range(10)]}), row_group_size=4)
    assert row_groups(io.BytesIO(content), "f") == [4, 4, 2]
    rows = parquet_rows(io.BytesIO(content), "f", "utf-8", list, groups=(1, 2), number=5)
    assert [(row.number, row.values["text"]) for row in rows if not hasattr(row, "reason")] == [
        (5, "t4"),
        (6, "t5"),
        (7, "t6"),
        (8, "t7"),
    ]


def test_a_part_of_a_file_whose_format_is_told_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(parquet(pa.table({"text": [f"t{number}" for number in range(10)]}), row_group_size=4))
    whole = shard(path)
    part = FileShard(whole.source, whole.reading, whole.labels, start=1, end=2, first_row=5, limit=3)
    assert kept(list(part.records())) == [(5, "t4"), (6, "t5"), (7, "t6")]


class _Broken(io.BytesIO):
    """A file on a hub that fails after some reads."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() > 1000:
            return super().read(size)
        raise DependencyError("the hub is gone")


def test_an_error_of_the_source_passes() -> None:
    content = parquet(pa.table({"text": [f"a{number}" * 50 for number in range(1000)]}), compression="none")
    with pytest.raises(DependencyError, match="the hub is gone"):
        list(parquet_rows(_Broken(content), "f", "utf-8", list))


def test_large_rows_come_in_small_batches(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(parquet(pa.table({"text": [f"{number}" * 300_000 for number in range(40)]})))
    rows = shard(path).records()
    first = next(rows)
    assert isinstance(first, Document)
    assert first.text == "0" * 300_000
    assert sum(isinstance(record, Document) for record in rows) == 39
