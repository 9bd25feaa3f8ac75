"""Sensitivity of parts and a chosen mix on a terminal or in a pipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report._terminal_parts import print_warnings
from curator.report.format import count, decimals_for, interval, interval_decimals, kl, number, one_line, spread
from curator.report.sensitivity_html import FORMAT_NAMES
from curator.report.terminal_tables import add_numbers, add_words, new_table, print_block

_SHOWN = 20


def print_sensitivity(document: Mapping[str, Any], console: Console) -> None:
    """Print the parts that lose the most, and all parts at once."""
    formats = list(document["bits"])
    conditions = (
        f"KL(BF16 || part alone quantised), nats a token, {document['scheme']}, "
        f"{len(document['prompts'])} prompts, {count(document['scored_tokens'])} scored tokens, "
        f"{document['estimator']}"
    )
    console.print(Text(conditions, "bold"))
    shown = document["parts"][:_SHOWN]
    made = _table("part", *(f"KL {FORMAT_NAMES[chosen]} ± SE" for chosen in formats), "weights")
    decimals = {chosen: decimals_for(row["kl"][chosen]["mean"] for row in shown) for chosen in formats}
    for row in shown:
        cells = [
            f"{kl(row['kl'][one]['mean'], decimals[one])} ± {spread(row['kl'][one]['se'])}" for one in formats
        ]
        made.add_row(Text(one_line(row["name"])), *cells, count(row["weights"]))
    print_block(console, made)
    if len(document["parts"]) > len(shown):
        console.print(f"... and {len(document['parts']) - len(shown)} parts below these", markup=False)
    console.print()
    for chosen in formats:
        found = document["together"][chosen]
        console.print(
            f"all {len(document['parts'])} parts in {FORMAT_NAMES[chosen]}: {kl(found['mean'])} "
            f"{interval(found['ci'])}; the parts' own KL adds up to {kl(found['sum_of_parts'])}",
            markup=False,
            soft_wrap=True,
        )
    print_warnings(console, document["warnings"])


def print_mix(document: Mapping[str, Any], console: Console) -> None:
    """Print what was chosen, and how it compares."""
    formats = ", ".join(
        f"{held['parts']} parts in {FORMAT_NAMES[name]}" for name, held in document["formats"].items()
    )
    console.print(
        Text(f"{formats}: {document['bits']:.3f} bits a weight, {document['size_gb']:.3f} GB in all", "bold")
    )
    arms = document["arms"]
    confirmed = all("kl_mean" in arm for arm in arms)
    if confirmed:
        console.print(Text(document["conditions"], "dim"))
    made = _table("mix", "bits", *(("joint KL", "95 % interval") if confirmed else ()), "KL added up")
    decimals = decimals_for(arm.get("kl_mean", arm["kl_added"]) for arm in arms)
    ends = interval_decimals([arm.get("kl_ci") for arm in arms], decimals)
    for arm in arms:
        name = arm["name"] if arm["mixes"] == 1 else f"{arm['name']}, mean of {arm['mixes']}"
        joint = [kl(arm["kl_mean"], decimals), interval(arm["kl_ci"], ends)] if confirmed else []
        made.add_row(name, number(arm["bits"], 3), *joint, kl(arm["kl_added"], decimals))
    print_block(console, made)
    if document["pairs"]:
        console.print()
    for pair in document["pairs"]:
        console.print(f"  {pair['words']}", markup=False)
    print_warnings(console, document["warnings"])


def _table(first: str, *numbers: str) -> Table:
    made = new_table()
    add_words(made, first)
    add_numbers(made, *numbers)
    return made
