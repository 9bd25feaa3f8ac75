"""What `curate sift` prints: a line a row as it comes, or tables at the end."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curator._progress import Narrator, Silent
from curator.cli.output import console
from curator.cli.progress import narrator
from curator.cli.streams import discard


class SiftOutput:
    """Where results go.

    Args:
        as_json: a line of JSON a row; else tables.

    Attributes:
        progress: shows how far the work is, where the rows themselves do not.
    """

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json
        self.progress: Narrator = Silent() if as_json else narrator()

    def row(self, values: Mapping[str, Any]) -> None:
        """Print one row at once; nothing where tables are asked for.

        Raises:
            SystemExit: the reader has gone (``| head``), which is its right: 0.
        """
        if not self._as_json:
            return
        line = json.dumps(values, ensure_ascii=False, allow_nan=False)
        try:
            sys.stdout.buffer.write(line.encode("utf-8", "backslashreplace") + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            discard(sys.stdout)
            raise SystemExit(0) from None

    def say(self, line: str) -> None:
        """Tell something about the run, on standard error."""
        narrator().say(line)

    def end(self, document: Mapping[str, Any], html: Path | None) -> None:
        """Print the tables, and where the page is; of both, lines of JSON have no more than the warnings."""
        if self._as_json:
            for warning in document["warnings"]:
                self.say(f"warning: {warning}")
            return
        from curator.report.sift_terminal import print_sift

        out = console()
        print_sift(document, out)
        if html is not None:
            out.print(f"written to {html}", markup=False, soft_wrap=True)
