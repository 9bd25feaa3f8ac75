"""A set on a terminal or in a pipe: what it holds, and its samples token by token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from curator.report._terminal_parts import print_line, print_warnings
from curator.report.format import DASH, count, one_line, percentage, signed
from curator.report.inspect_tokens import boundary_words, visible
from curator.report.terminal_tables import (
    add_numbers,
    add_words,
    bars_table,
    new_table,
    print_block,
    print_facts,
    print_table,
)

_STYLES = {"start": "bold green", "end": "bold red", "control": "bold magenta", "part": "dim", "text": ""}
# In a pipe there is no colour: a control token must be told from text that only looks like one.
_BRACKETS = ("⟦", "⟧")
LEGEND = (
    "¦ between tokens   ⟦⟧ control token   · space   ↵ line end   ⇥ tab   … part of a character that ends later"
)


def print_inspection(found: Mapping[str, Any], console: Console) -> None:
    """Print the summary of a set, as `inspect_summary.inspection` makes it."""
    print_line(console, f"Calibration set {one_line(found.get('name') or '')}".rstrip(), "bold")
    documents, cut = found["documents"], found["cut"]
    per = documents["per_sample"]
    facts = [
        ("samples", count(found["samples"])),
        ("tokens", count(found["tokens"])),
        ("documents", count(documents["count"])),
        ("documents a sample", f"{per['least']} to {per['most']}, median {per['median']}"),
        ("in several samples", count(documents["in_several_samples"])),
        ("cut off", f"{count(cut['tokens'])} tokens, of {count(cut['pieces'])} texts"),
        *((f"tokens.{key}", one_line(value)) for key, value in found["policy"].items()),
    ]
    print_facts(console, facts)
    # On a line of its own it is whole at 80 columns, and can be copied.
    print_line(console, f"set hash {one_line(found.get('set_hash') or DASH)}")
    print_block(console, _counts("task", found["tasks"], asked=True))
    for key in ("languages", "licences"):
        print_block(console, _counts(key.removesuffix("s"), found[key]))
    print_block(console, _sources(found["sources"]))
    for words, lengths in (("sample", found["lengths"]), ("document", documents["lengths"])):
        bars = [(_bin_words(entry), entry["count"]) for entry in lengths["histogram"]]
        print_block(console, bars_table(console, f"tokens a {words}", f"{words}s", bars))
    _control(console, found["control_tokens"])
    print_warnings(console, found["warnings"])


def print_samples(views: Iterable[Mapping[str, Any]], console: Console) -> None:
    """Print samples token by token, as `inspect_tokens.sample_views` gives them."""
    print_line(console, LEGEND, "dim")
    for view in views:
        console.print()
        print_line(console, f"sample {view['number']}, {count(view['n_tokens'])} tokens", "bold")
        if view["prefix"]:
            print_line(console, "before the first document", "cyan")
            _print_tokens(console, view["prefix"])
        for document in view["documents"]:
            print_line(console, f"── {one_line(document['id'])}: " + ", ".join(boundary_words(document)), "cyan")
            _print_tokens(console, document["tokens"])


def _print_tokens(console: Console, tokens: Sequence[Mapping[str, Any]]) -> None:
    line = Text()
    for token in tokens:
        if "folded" in token:
            line.append(f"\n[{count(token['folded'])} tokens not shown]\n", "dim italic")
            continue
        if line and not line.plain.endswith("\n"):
            line.append("¦", "dim")
        shown = "…" if token["kind"] == "part" else visible(token["text"]) or "∅"
        if token["kind"] not in ("text", "part"):
            shown = shown.join(_BRACKETS)
        line.append(shown, _STYLES[token["kind"]])
        # The text breaks where it really breaks, so that code looks like code.
        if token["kind"] == "text" and token["text"].endswith("\n"):
            line.append("\n")
    line.rstrip()
    # Anywhere: spaces are signs here, so that a line has no place of its own to break at.
    console.print(line, highlight=False, overflow="fold", soft_wrap=False)


def _counts(name: str, groups: Mapping[str, Mapping[str, Any]], *, asked: bool = False) -> Table:
    table = new_table()
    add_words(table, name)
    add_numbers(table, "tokens", "share %", *(["asked %", "points"] if asked else []), "documents")
    for group, values in groups.items():
        cells = [count(values["tokens"]), percentage(values["share"])]
        if asked:
            wish = values["asked"]
            points = DASH if wish is None else signed(100 * (values["share"] - wish), 1)
            cells += [percentage(wish), points]
        table.add_row(Text(one_line(group)), *map(Text, [*cells, count(values["documents"])]))
    return table


def _sources(sources: Sequence[Mapping[str, Any]]) -> Table:
    table = new_table()
    add_words(table, "source", "task", "licence")
    add_numbers(table, "tokens", "share %", "documents")
    for source in sources:
        words = (one_line(source[key]) for key in ("source", "task", "licence"))
        numbers = (count(source["tokens"]), percentage(source["share"]), count(source["documents"]))
        table.add_row(*map(Text, (*words, *numbers)))
    return table


def _bin_words(entry: Mapping[str, int]) -> str:
    ends = [count(entry["least"])] + ([count(entry["most"])] if entry["most"] > entry["least"] else [])
    return " to ".join(ends)


def _control(console: Console, tokens: Sequence[Mapping[str, Any]] | None) -> None:
    console.print()
    if tokens is None:
        return print_line(console, "Control tokens are counted with --tokens, which loads the tokenizer.", "dim")
    if not tokens:
        return print_line(console, "No control token is in the set.")
    table = new_table()
    add_words(table, "control token", "kind")
    add_numbers(table, "id", "times", "samples begun")
    for token in tokens:
        numbers = (str(token["id"]), count(token["count"]), count(token["samples_begun"]))
        words = (Text(visible(token["text"])), Text(token["kind"], _STYLES[token["kind"]]))
        table.add_row(*words, *map(Text, numbers))
    print_table(console, table)
