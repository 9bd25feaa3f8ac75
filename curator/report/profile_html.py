"""A profile as one HTML file: the tables of the terminal, and lengths, continuity and scores as plots."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

from markupsafe import Markup

from curator.report import _svg as svg
from curator.report import profile_values as values
from curator.report._tables import Column, Table, table
from curator.report._templates import render
from curator.report.format import DASH, count, is_number, number, percent, percentage, short_hash

_BINS = 48


def profile_html(profile: Mapping[str, Any]) -> str:
    """The page of a profile, as `Profile.model_dump` gives it."""
    return render(
        "profile.html.j2",
        name=profile["file"]["name"],
        facts=_facts(profile),
        warnings=profile["warnings"],
        tables=_tables(profile),
        lengths=[plot for words, what in _LENGTHS if (plot := _lengths(profile, words, what)) is not None],
        continuity=_continuity(profile),
        low=_low(profile),
        scores=_scores(profile),
        windows=profile["settings"]["windows"],
    )


_LENGTHS = (("Prompts", "prompt_tokens"), ("Outputs", "output_tokens"), ("Golds", "gold_tokens"))


def _facts(profile: Mapping[str, Any]) -> list[tuple[str, str]]:
    overall, tokenizer, outputs = profile["overall"], profile["tokenizer"], profile.get("outputs")
    low = overall["low_continuity"]
    added = tokenizer["template_tokens"]
    return [
        ("Items", count(overall["items"])),
        ("Tasks", count(len(profile["tasks"]))),
        ("Prompt tokens", count(overall["prompt_tokens"]["sum"])),
        ("Tokens of", tokenizer["model"]),
        ("The chat template adds", DASH if added is None else f"{added} tokens a prompt"),
        ("Without continuity", f"{percent(low['item_share'])} of items, {percent(low['token_share'])} of tokens"),
        ("Languages", values.counted(overall["languages"])),
        ("Columns", ", ".join(f"{what}: {path}" for what, path in profile["file"]["columns"].items())),
        ("Embedder", profile["settings"]["embedder"]),
        ("SHA-256 of the file", short_hash(profile["file"]["sha256"])),
        *([("Predictions", f"{outputs['name']}, {count(outputs['items'])}")] if outputs else []),
    ]


def _tables(profile: Mapping[str, Any]) -> list[tuple[str, Table]]:
    rows = values.rows_of(profile)

    def made(*columns: tuple[str, Callable[[values.Row], str], str]) -> Table | None:
        shown = [Column(head, partial(_of_group, cell), kind) for head, cell, kind in columns]
        return table([Column("Task", lambda row: row[0], "name", keep=True), *shown], rows)

    named = [("Tasks", made(*_SHARES)), ("Golds and languages", made(*_GOLDS)), ("Text", made(*_TEXTS))]
    if values.has_outputs(profile):
        named += [("Outputs", made(*_OUTPUTS)), ("Counts of the predictions file", _told(profile["outputs"]))]
    return [(heading, found) for heading, found in named if found is not None]


def _of_group(cell: Callable[[values.Row], str], row: tuple[str, values.Row]) -> str:
    return cell(row[1])


def _spread(what: str) -> tuple[tuple[str, Callable[[values.Row], str], str], ...]:
    keys = (
        ("Tokens", "sum"),
        ("Least", "least"),
        ("p10", "p10"),
        ("Median", "median"),
        ("p90", "p90"),
        ("Most", "most"),
    )
    return tuple((head, partial(values.tokens, what=what, key=key), "num") for head, key in keys)


_SHARES = (
    ("Items", lambda group: count(group["items"]), "num"),
    ("Items %", lambda group: percentage(group["shares"]["items"]), "num"),
    ("Input tokens %", lambda group: percentage(group["shares"]["input_tokens"]), "num"),
    ("Output tokens %", lambda group: percentage(group["shares"]["output_tokens"]), "num"),
    ("All tokens %", lambda group: percentage(group["shares"]["total_tokens"]), "num"),
    *_spread("prompt_tokens"),
)
_GOLDS = (
    ("Gold", lambda group: values.counted(group["gold_types"]), "text"),
    ("Language", lambda group: values.counted(group["languages"]), "text"),
    *_spread("gold_tokens"),
)
_TEXTS = (
    ("Continuity z", values.mean_and_se, "num"),
    ("Windows scored", lambda group: count(group["continuity"]["windows"]), "num"),
    ("Windows ruled out %", values.ruled_share, "num"),
    ("Low items %", lambda group: percentage(group["low_continuity"]["item_share"]), "num"),
    ("Low tokens %", lambda group: percentage(group["low_continuity"]["token_share"]), "num"),
    ("Random %", lambda group: percentage(group["random_share"]), "num"),
    ("Kinds", values.kinds, "text"),
    ("Template %", lambda group: percentage(group["template_share"]), "num"),
    ("Duplicates", lambda group: count(group["duplicates"]), "num"),
    ("Near", lambda group: count(group["near_duplicates"]), "num"),
)
_OUTPUTS = (
    *_spread("output_tokens"),
    ("Reasoning %", lambda group: percentage(group["reasoning_share"]), "num"),
    ("Items scored", values.scored, "num"),
    ("Score", values.score, "num"),
)


def _told(outputs: Mapping[str, Any]) -> Table | None:
    heads = ("Task", "Input, the file's", "Ours", "Apart %", "Output, the file's", "Ours", "Apart %")
    columns = [
        Column(head, itemgetter(place), "num" if place else "name", keep=not place)
        for place, head in enumerate(heads)
    ]
    return table(columns, values.told_rows(outputs))


def _lengths(profile: Mapping[str, Any], words: str, what: str) -> dict[str, Any] | None:
    """One histogram a task, on one log axis."""
    found = {
        task: [one[what] for one in profile["items"] if one["task"] == task and is_number(one[what])]
        for task in profile["tasks"]
    }
    # No token has no place on a log axis; the table tells of it.
    drawn = {task: [value for value in some if value] for task, some in found.items() if some}
    scale = svg.scale_for([value for some in drawn.values() for value in some], log_from=8.0)
    if scale is None:
        return None
    return {
        "heading": words,
        "log": scale.log,
        "rows": [_row(scale, task, some, len(found[task])) for task, some in drawn.items()],
        "axis": svg.axis(scale),
    }


def _row(scale: svg.Scale, task: str, drawn: Sequence[float], size: int) -> dict[str, Any]:
    if not drawn:
        return {"label": task, "n": count(size), "strip": svg.strip(svg.grid(scale)), "top": None}
    bars, top = svg.histogram(scale, drawn, _BINS, "")
    return {"label": task, "n": count(size), "strip": svg.strip(svg.grid(scale), bars), "top": count(top)}


def _continuity(profile: Mapping[str, Any]) -> dict[str, Any] | None:
    """Each task's mean z with two standard errors to both sides, and the line below which a text is low."""
    tasks = {task: group["continuity"] for task, group in profile["tasks"].items()}
    reach = {
        task: (one["mean"] - 2 * (one["se"] or 0), one["mean"] + 2 * (one["se"] or 0))
        for task, one in tasks.items()
        if is_number(one["mean"])
    }
    line = profile["settings"]["least_z"]
    scale = svg.scale_for([line, 0, *(end for ends in reach.values() for end in ends)])
    if not reach or scale is None:
        return None
    limit = svg.vertical(scale, line, "limit")
    rows = []
    for task, one in tasks.items():
        drawn = Markup("")
        if task in reach:
            drawn = svg.estimate(scale, one["mean"], list(reach[task]) if one["se"] else None, "user")
        value = values.mean_and_se({"continuity": one}) if task in reach else "not scored"
        rows.append({"name": task, "strip": svg.strip(svg.grid(scale), limit, drawn), "value": value})
    return {"rows": rows, "axis": svg.axis(scale), "line": number(line, 2)}


def _low(profile: Mapping[str, Any]) -> dict[str, Any]:
    """Each task's share of random characters as a bar, and of low items as a mark."""
    scale = svg.Scale(0.0, 100.0)
    rows = []
    for task, group in profile["tasks"].items():
        random, low = 100 * group["random_share"], 100 * group["low_continuity"]["item_share"]
        bars = svg.bar(scale, random, low)
        rows.append(
            {"name": task, "strip": svg.strip(svg.grid(scale), bars), "value": f"{random:.1f} / {low:.1f}"}
        )
    return {"rows": rows, "axis": svg.axis(scale)}


def _scores(profile: Mapping[str, Any]) -> dict[str, Any] | None:
    found = {task: group["score"] for task, group in profile["tasks"].items() if group.get("score")}
    ends = [end for one in found.values() for end in (one["mean"], one["low"], one["high"]) if is_number(end)]
    if not ends:
        return None
    scale = svg.Scale(min(0.0, *ends), 1.0 if max(ends) <= 1 else max(100.0, *ends))
    rows = [
        {
            "name": task,
            "strip": svg.strip(
                svg.grid(scale), svg.estimate(scale, one["mean"], [one["low"], one["high"]], "user")
            ),
            "value": values.score(profile["tasks"][task]),
        }
        for task, one in found.items()
    ]
    return {"rows": rows, "axis": svg.axis(scale)}
