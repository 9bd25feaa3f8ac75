"""Writes a stand-in for the contest's evaluation set, and if asked the predictions of a made-up run."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from curator._errors import CurateError, InputError
from curator._files import write_jsonl
from curator.corpora.document import Message
from curator.models.locate import DEFAULT_MODEL, locate_tokenizer
from evalset.items import TASKS, Item, make_items
from evalset.predictions import made_up_rows

_EPILOG = """\
The prompts are the held-out side of the generators: wordings and prose that no calibration sample has. Equal
arguments give equal bytes with the same tokenizer, Python and installed packages.
"""
_LEAST, _MOST = 500, 128_000


def main() -> int:
    """Write what was asked for."""
    options = _options()
    try:
        _write(options)
    except CurateError as error:
        sys.stderr.write(f"make_evalset: {error}\n")
        return 1
    return 0


def _write(options: argparse.Namespace) -> None:
    _check_paths(options.file, options.predictions)
    from curator.tokens.tokenizer import Tokenizer

    tokenizer = Tokenizer(locate_tokenizer(options.model))

    def count(text: str) -> int:
        return len(tokenizer.encode(text))

    def count_prompt(text: str) -> int:
        if not tokenizer.template:
            return count(text)
        return len(tokenizer.encode_chat([Message("user", text)], answer_next=True))

    items: list[Item] = []

    def rows() -> Iterator[dict[str, Any]]:
        # Made while the file is open: that it cannot be written shows before the minutes of work.
        for item in make_items(options.items, options.tokens, options.seed, count):
            items.append(item)
            yield item.row()

    write_jsonl(options.file, rows())
    told = [f"{options.file}: {len(items)} items"]
    if options.predictions:
        write_jsonl(options.predictions, made_up_rows(items, options.noise, options.seed, count, count_prompt))
        told.append(f"{options.predictions}: a made-up run, {options.noise:.0%} wrong; no model was asked")
    sys.stdout.write("\n".join(told) + "\n")


def _check_paths(file: Path, predictions: Path | None) -> None:
    for path in filter(None, (file, predictions)):
        if path.is_dir():
            raise InputError(f"{path}: is a folder; give the name of a file")
    if predictions and predictions.resolve() == file.resolve():
        raise InputError(f"{file}: is FILE and --predictions at once; give two names")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "make_evalset", description=__doc__, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="JSON Lines to write: task, question, gold")
    parser.add_argument("--items", type=_whole(len(TASKS), 10_000), default=150, help="how many (150)")
    parser.add_argument(
        "--tokens", type=_whole(_LEAST, _MOST), default=74_000, help="of the longest prompts (74000)"
    )
    parser.add_argument("--seed", type=int, default=0, help="of every draw (0)")
    parser.add_argument("--model", default=DEFAULT_MODEL, help=f"whose tokens are counted ({DEFAULT_MODEL})")
    parser.add_argument("--predictions", type=Path, metavar="FILE", help="also write a made-up run's answers")
    parser.add_argument("--noise", type=_share, default=0.2, help="share of wrong answers in it (0.2)")
    return parser.parse_args()


def _whole(least: int, most: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r}: give a whole number from {least} to {most}")
        return int(text)

    return whole


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r}: give a number from 0 to 1")
    return share


if __name__ == "__main__":
    sys.exit(main())
