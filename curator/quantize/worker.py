"""The child process that quantises: ``python -m curator.quantize.worker JOB.json``.

A process a job, because llm-compressor patches modules and its memory grows over several runs.
The job file holds ``{"model", "method", "rows", "out", "parent"}``; the answer is printed as the last
line of standard output.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.engine.parent import die_with_parent


def main() -> None:
    """Run one job and print its audit as one line of JSON."""
    job = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    die_with_parent(job["parent"])
    from curator.quantize.llm_compressor import quantize

    answer: dict[str, Any]
    try:
        answer = quantize(Path(job["model"]), job["method"], job["rows"], Path(job["out"]))
    except InputError as error:
        answer = {"input_error": str(error)}
    sys.stdout.write("\n" + json.dumps(answer) + "\n")


if __name__ == "__main__":
    main()
