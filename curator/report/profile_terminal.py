"""A profile on a terminal or in a pipe, within 80 columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from curator.report import profile_values as values
from curator.report._terminal_parts import print_line, print_warnings
from curator.report.format import count, one_line, percentage
from curator.report.terminal_tables import add_numbers, add_words, bars_table, new_table, print_block

Columns = Sequence[tuple[str, Callable[[values.Row], str]]]


def print_profile(profile: Mapping[str, Any], console: Console) -> None:
    """Print a profile, as `Profile.model_dump` gives it."""
    tasks, items = len(profile["tasks"]), profile["overall"]["items"]
    name, model = one_line(profile["file"]["name"]), one_line(profile["tokenizer"]["model"])
    shown = f"{count(items)} {'item' if items == 1 else 'items'}, {tasks} {'task' if tasks == 1 else 'tasks'}"
    print_line(console, f"{name}: {shown}", "bold")
    print_line(console, f"Tokens are those of {model}, of the prompt's text alone{_template(profile)}.", "dim")
    rows = values.rows_of(profile)
    _rows(console, rows, _PROMPTS)
    _rows(console, rows, _GOLDS)
    _rows(console, rows, _TEXTS)
    for line in _footer(profile["settings"]):
        print_line(console, line, "dim")
    if values.has_outputs(profile):
        _rows(console, rows, _OUTPUTS)
        print_line(
            console,
            "Outputs in tokens, think: those before the last </think>; n: items with a score; intervals of 95 % "
            "over them.",
            "dim",
        )
        if _told(console, profile["outputs"]):
            print_line(console, "Our input tokens are those of the prompts and of what the template adds.", "dim")
    _histogram(console, profile)
    print_warnings(console, profile["warnings"])


def _footer(settings: values.Row) -> list[str]:
    """What the columns above are."""
    return [
        f"scored: items with a continuity, mean z ± standard error over them, from up to {settings['windows']} "
        "windows an item; random text and lists are low by rule and not scored.",
        f"low %: items over {percentage(settings['max_random'])} % random, or most of whose windows are below "
        f"z {settings['least_z']:g}. low tok %: tokens in random text and low windows of "
        f"{settings['window_sentences']} sentences, as curate build counts a set's.",
        "gold tokens: sum over items. template %: words in wording that a task's prompts share. dup+near: "
        f"prompts that an earlier item has, exactly + nearly (Jaccard {settings['near_duplicate']:g}).",
    ]


def _template(profile: Mapping[str, Any]) -> str:
    added = profile["tokenizer"]["template_tokens"]
    return "" if added is None else f"; its template adds {added}"


_PROMPTS: Columns = (
    ("items", lambda group: count(group["items"])),
    ("items %", lambda group: percentage(group["shares"]["items"])),
    ("prompt tokens", lambda group: values.tokens(group, "prompt_tokens", "sum")),
    ("tokens %", lambda group: percentage(group["shares"]["input_tokens"])),
    ("p10", lambda group: values.tokens(group, "prompt_tokens", "p10")),
    ("median", lambda group: values.tokens(group, "prompt_tokens", "median")),
    ("p90", lambda group: values.tokens(group, "prompt_tokens", "p90")),
)
_GOLDS: Columns = (
    ("gold", lambda group: values.counted(group["gold_types"])),
    ("gold tokens", lambda group: values.tokens(group, "gold_tokens", "sum")),
    ("p10", lambda group: values.tokens(group, "gold_tokens", "p10")),
    ("median", lambda group: values.tokens(group, "gold_tokens", "median")),
    ("p90", lambda group: values.tokens(group, "gold_tokens", "p90")),
    ("language", lambda group: values.counted(group["languages"])),
)
_TEXTS: Columns = (
    ("scored", lambda group: count(group["continuity"]["items"])),
    ("continuity", values.mean_and_se),
    ("low %", lambda group: percentage(group["low_continuity"]["item_share"])),
    ("low tok %", lambda group: percentage(group["low_continuity"]["token_share"])),
    ("random %", lambda group: percentage(group["random_share"])),
    ("template %", lambda group: percentage(group["template_share"])),
    ("dup+near", values.repeats),
)
_OUTPUTS: Columns = (
    ("outputs", lambda group: values.tokens(group, "output_tokens", "sum")),
    ("p10", lambda group: values.tokens(group, "output_tokens", "p10")),
    ("median", lambda group: values.tokens(group, "output_tokens", "median")),
    ("p90", lambda group: values.tokens(group, "output_tokens", "p90")),
    ("think %", lambda group: percentage(group["reasoning_share"])),
    ("n", values.scored),
    ("score", values.score),
)
_WORDS = {"gold", "language"}


def _rows(console: Console, rows: Sequence[tuple[str, values.Row]], columns: Columns) -> None:
    table = new_table()
    add_words(table, "task")
    for head, _ in columns:
        add_words(table, head) if head in _WORDS else add_numbers(table, head)
    for task, group in rows:
        style = "bold" if task == values.ALL and len(rows) > 1 else ""
        table.add_row(Text(one_line(task), style), *(Text(one_line(cell(group))) for _, cell in columns))
    print_block(console, table)


def _told(console: Console, outputs: values.Row) -> bool:
    """What the predictions file counts, where it does; whether it does."""
    rows = values.told_rows(outputs)
    if not rows:
        return False
    table = new_table()
    add_words(table, "task")
    add_numbers(table, "input, told", "ours", "apart %", "output, told", "ours", "apart %")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    print_block(console, table)
    return True


def _histogram(console: Console, profile: Mapping[str, Any]) -> None:
    """Items by octaves of their lengths: equal steps on a log axis."""
    overall = profile["overall"]
    shown = [("prompt", "prompt_tokens"), ("output", "output_tokens")]
    for words, what in shown:
        ends = values.octaves(overall, what)
        if not ends:
            continue
        counts = {one["upto"]: one["count"] for one in overall[what]["histogram"]}
        bars = [(values.octave(low, high), size) for low, high, size in values.bars(ends, counts)]
        print_block(console, bars_table(console, f"{words} tokens", "items", bars))
