"""A search on a terminal: the one comparison that is its result, the mix, and how to build it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from curator.report._terminal_parts import print_item, print_line, print_warnings
from curator.report.format import count, decimals_for, kl, one_line


def print_search(result: Mapping[str, Any], console: Console) -> None:
    """Print what `curate search` found, as its JSON has it.

    Args:
        result: of `result_document`.
        console: where to print.
    """
    final, record, winner = result["result"], result["record"], result["winner"]
    print_line(console, one_line(result["verdict"]), "bold")
    print_item(console, Text(one_line(final["words"])))
    print_line(console, one_line(f"the mix {winner['name']}, against {result['written']}"), "bold")
    for line in winner["changes"] or ["nothing but the name differs"]:
        print_item(console, Text(one_line(line)))
    print_line(console, "how it was chosen (no result: the lowest of many values is partly luck)", "bold")
    print_item(console, Text(_record(record, result["written"])))
    print_warnings(console, result["warnings"])


def _record(record: Mapping[str, Any], written: str) -> str:
    evaluations = record["evaluations"]
    failed = sum(one["kl"] is None for one in evaluations)
    means = [record["winner_mean"], record["written_mean"], record["winner_estimate"]]
    decimals = decimals_for(means)
    lost = f", {count(failed)} of which gave no set" if failed else ""
    return (
        f"{count(len(evaluations))} evaluations on the search half{lost}; there its mean KL is "
        f"{kl(means[0], decimals)} ({kl(means[2], decimals)} with the mixes near it in view), that of "
        f"{one_line(written)} {kl(means[1], decimals)}"
    )
