"""Which part of which data set is read: the keys that recipes and corpus cards share."""

from __future__ import annotations

from pydantic import Field

from curator.corpora.reading import Strict, Word

POOL_ROWS = 50_000


class DatasetPlace(Strict):
    """A part of a data set.

    Attributes:
        id: a data set of the hub (``owner/name``), or the path of a local folder with the hub's layout.
        revision: a commit, a tag or a branch; left out, the newest commit.
        config: the configuration; may be left out when there is one, or a default.
        split: the split, such as ``train``.
        data_files: path or pattern of files in the data set, instead of ``config`` and ``split``.
        pool_rows: rows that are looked at; sets are drawn from these.
    """

    id: Word
    revision: Word | None = None
    config: Word | None = None
    split: Word = "train"
    data_files: Word | None = None
    pool_rows: int = Field(default=POOL_ROWS, ge=1, le=100_000_000)
