"""Prompts of given lengths from held-out text: ``python -m sglang_gpu.prompts --model DIR --out FILE ...``."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import numpy as np

from curator.measure.heldout.shipped import heldout_documents
from curator.tokens.tokenizer import Tokenizer

_SOURCES = {"prose": "package-docs", "code": "python-stdlib"}


def main() -> None:
    """Write a file of prompts, one JSON object a line."""
    parser = argparse.ArgumentParser(prog="sglang_gpu.prompts", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="folder with the tokenizer")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--shortest", type=int, default=64)
    parser.add_argument("--longest", type=int, default=2000)
    parser.add_argument("--lengths", type=int, nargs="*", default=[], help="these instead, --count of each")
    parser.add_argument(
        "--tasks", nargs="+", choices=_SOURCES, default=list(_SOURCES), help="kinds of prompts, in turn"
    )
    asked = parser.parse_args()
    spread = np.geomspace(asked.shortest, asked.longest, asked.count).round().astype(int).tolist()
    lengths = [length for length in asked.lengths for _ in range(asked.count)] or spread
    tokenizer = Tokenizer(asked.model)
    texts = {task: _ids(tokenizer, _SOURCES[task]) for task in asked.tasks}
    rows = []
    for number, (length, task) in enumerate(zip(lengths, cycle(texts), strict=False)):
        # The first id of each document is that of its beginning, which the prompt is given anew.
        text = tokenizer.decode([next(texts[task]) for _ in range(length - 1)])
        rows.append({"id": f"{task}-{number}", "task": task, "corpus": _SOURCES[task], "text": text})
    asked.out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _ids(tokenizer: Tokenizer, corpus: str) -> Iterator[int]:
    """The token ids of the held-out documents, one after another."""
    for document in heldout_documents(corpus):
        yield from tokenizer.encode(document.text)


if __name__ == "__main__":
    main()
