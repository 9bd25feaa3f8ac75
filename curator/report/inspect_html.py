"""A set as one HTML file: what it holds, and its samples token by token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from curator.report import _svg as svg
from curator.report._tables import Column, Table, table
from curator.report._templates import render
from curator.report.format import DASH, clean, count, percentage, signed
from curator.report.inspect_tokens import boundary_words, visible

_BINS = 28


def inspect_html(
    found: Mapping[str, Any], lengths: Mapping[str, Sequence[int]], views: Iterable[Mapping[str, Any]]
) -> str:
    """The page of a set.

    Args:
        found: the summary, as `inspect_summary.inspection` makes it.
        lengths: tokens of every sample and of every document, for the plots.
        views: samples token by token; none when the tokenizer was not asked for.
    """
    return render(
        "inspect.html.j2",
        name=found.get("name"),
        facts=_facts(found),
        warnings=found["warnings"],
        tables=_tables(found),
        lengths=[row for name, values in lengths.items() if (row := _length_row(name, values)) is not None],
        control=_control(found["control_tokens"]),
        counted=found["control_tokens"] is not None,
        samples=[_sample(view) for view in views],
    )


def _facts(found: Mapping[str, Any]) -> list[tuple[str, str]]:
    documents, cut = found["documents"], found["cut"]
    per = documents["per_sample"]
    return [
        ("Samples", count(found["samples"])),
        ("Tokens", count(found["tokens"])),
        ("Documents", count(documents["count"])),
        ("Documents a sample", f"{per['least']} to {per['most']}, median {per['median']}"),
        ("Documents in several samples", count(documents["in_several_samples"])),
        ("Cut off", f"{count(cut['tokens'])} tokens, of {count(cut['pieces'])} texts"),
        *((f"tokens.{key}", str(value)) for key, value in found["policy"].items()),
        ("Set hash (of the token ids)", str(found.get("set_hash") or DASH)),
        ("Tokenizer fingerprint", str(found.get("tokenizer") or DASH)),
    ]


def _tables(found: Mapping[str, Any]) -> list[tuple[str, Table]]:
    def groups(key: str, head: str) -> Table | None:
        records = [{"name": name, **values} for name, values in found[key].items()]
        columns = [
            Column(head, lambda row: row["name"], "name"),
            Column("Tokens", lambda row: count(row["tokens"])),
            Column("Share %", lambda row: percentage(row["share"])),
            Column("Asked %", lambda row: percentage(row.get("asked"))),
            Column("Points", _points),
            Column("Documents", lambda row: count(row["documents"])),
        ]
        return table(columns, records)

    sources = table(
        [
            Column("Source", lambda row: row["source"], "name"),
            Column("Task", lambda row: row["task"], "text"),
            Column("Licence", lambda row: row["licence"], "text"),
            Column("Tokens", lambda row: count(row["tokens"])),
            Column("Share %", lambda row: percentage(row["share"])),
            Column("Documents", lambda row: count(row["documents"])),
        ],
        found["sources"],
    )
    named = [
        ("Tasks", groups("tasks", "Task")),
        ("Languages", groups("languages", "Language")),
        ("Licences", groups("licences", "Licence")),
        ("Sources", sources),
    ]
    return [(name, made) for name, made in named if made is not None]


def _points(row: Mapping[str, Any]) -> str:
    return DASH if row.get("asked") is None else signed(100 * (row["share"] - row["asked"]), 1)


def _length_row(name: str, values: Sequence[int]) -> dict[str, Any] | None:
    scale = svg.scale_for([*values, 0])
    if scale is None or not values:
        return None
    bars, top = svg.histogram(scale, list(values), _BINS, "")
    return {
        "label": name,
        "n": count(len(values)),
        "top": count(top),
        "strip": svg.strip(svg.grid(scale), bars),
        "axis": svg.axis(scale),
    }


def _control(tokens: Sequence[Mapping[str, Any]] | None) -> Table | None:
    columns = [
        Column("Token", lambda row: visible(row["text"]), "code"),
        Column("Kind", lambda row: row["kind"], "text"),
        Column("Id", lambda row: str(row["id"])),
        Column("Times", lambda row: count(row["count"])),
        Column("Samples begun", lambda row: count(row["samples_begun"])),
    ]
    return table(columns, tokens or [])


def _sample(view: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "number": view["number"],
        "n_tokens": count(view["n_tokens"]),
        "n_documents": len(view["documents"]),
        "prefix": [_token(token) for token in view["prefix"]],
        "documents": [
            {
                "id": document["id"],
                "words": boundary_words(document),
                "tokens": [_token(token) for token in document["tokens"]],
            }
            for document in view["documents"]
        ],
    }


def _token(token: Mapping[str, Any]) -> dict[str, Any]:
    if "folded" in token:
        return {"folded": count(token["folded"])}
    kind = token["kind"]
    return {
        "id": token["id"],
        "kind": kind,
        "text": "…" if kind == "part" else clean(visible(token["text"])) or "∅",
        "breaks": kind == "text" and token["text"].endswith("\n"),
    }
