import io
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from row_files import shard

from curator.corpora.corpus import BadRow
from curator.corpora.document import Document
from curator.corpora.rows import ranges
from curator.corpora.rows.file_shard import FileShard
from curator.corpora.rows.ranges import even_cuts, group_spans, line_spans
from curator.corpora.rows.row_reader import Span


class Held:
    """A file in memory."""

    name = "f"

    def __init__(self, data: bytes) -> None:
        self.data = data

    def open(self) -> io.BytesIO:
        return io.BytesIO(self.data)


_JSON = st.sampled_from(
    [
        '{"text": "a"}',
        '{"text": "é\u2028是"}',
        "",
        " ",
        "broken",
        '{"text": null}',
        '{"text": "\\ud800"}',
        '{"text": "\ufeff"}',
    ]
)
_TEXT = st.sampled_from(["a", "", "é是", "\u2028", "\ufeffb", "  "])


def rows(whole: FileShard, spans: list[Span]) -> Iterator[Document | BadRow]:
    for span in spans:
        part = FileShard(
            whole.source, whole.reading, whole.labels, span.start, span.end, span.first_row, resolved=True
        )
        yield from part.records()


@given(st.data(), st.booleans(), st.integers(1, 12))
def test_parts_give_the_rows_of_the_whole(data: st.DataObject, is_text: bool, block: int) -> None:
    ends = ["\n", "\r\n", "\r"] if is_text else ["\n", "\r\n"]
    lines = data.draw(st.lists(st.tuples(_TEXT if is_text else _JSON, st.sampled_from(ends)), max_size=8))
    content = data.draw(st.sampled_from(["", "\ufeff"])) + "".join(line + end for line, end in lines)
    content += data.draw(st.sampled_from(["", "last"]))
    held = Held(content.encode())
    cuts = sorted(data.draw(st.lists(st.integers(0, len(held.data) + 1), max_size=5)))
    whole = shard(Path("f"), format="text", unit="line") if is_text else shard(Path("f"), format="jsonl")
    whole = FileShard(held, whole.reading, whole.labels, resolved=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ranges, "_BLOCK", block)
        spans = line_spans(held, cuts, carriage_returns=is_text)
    assert list(rows(whole, spans)) == list(whole.records())
    assert all(span.end is None or span.start < span.end for span in spans)
    assert len(spans) <= len(cuts) + 1


def test_even_cuts() -> None:
    assert even_cuts(10, 1) == []
    assert even_cuts(10, 3) == [3, 6]


def test_lines_are_shared_out_evenly() -> None:
    held = Held(b"0123456\n" * 1000)
    spans = line_spans(held, even_cuts(8000, 4), carriage_returns=False)
    assert [(span.start, span.end, span.first_row) for span in spans] == [
        (0, 2000, 1),
        (2000, 4000, 251),
        (4000, 6000, 501),
        (6000, None, 751),
    ]


@given(st.lists(st.integers(1, 5), min_size=1, max_size=8), st.integers(1, 10))
def test_row_groups_are_shared_out(counts: list[int], parts: int) -> None:
    out = io.BytesIO()
    table = pa.table({"text": [f"t{number}" for number in range(sum(counts))]})
    with pq.ParquetWriter(out, table.schema) as writer:
        start = 0
        for count in counts:
            writer.write_table(table.slice(start, count))
            start += count
    held = Held(out.getvalue())
    spans = group_spans(held, parts)
    whole = FileShard(held, shard(Path("f"), format="parquet").reading, shard(Path("f")).labels, resolved=True)
    assert list(rows(whole, spans)) == list(whole.records())
    assert len(spans) <= parts
    assert len(spans) >= min(parts, len(counts)) // 2
