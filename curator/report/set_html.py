"""A calibration set as one HTML file: what was kept, what was dropped, every score, and examples."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from curator.report import _svg as svg
from curator.report._build_facts import diversity_words
from curator.report._examples import EXCERPT, example
from curator.report._ranking_tables import asked_and_got, by_count, off_target
from curator.report._tables import Column, Table, of, table
from curator.report._templates import render
from curator.report.format import count, is_number, number, percent, percentage, signed
from curator.report.score_plots import EXAMPLES, score_plots

_BINS = 28
_ITEMS = 40
_HASH = 40  # digits of the shortest hash


def set_html(
    manifest: Mapping[str, Any], examples: Mapping[str, Any], scores: Sequence[Mapping[str, Any]] = ()
) -> str:
    """The report of a set.

    Args:
        manifest: the set's manifest.
        examples: ``kept``, a list of examples, and ``dropped``, a list for each reason.
        scores: of all pieces that were judged for the set: ``scores`` of `ScoreSummary.document`.

    Returns:
        A whole HTML document. Parts that the two documents do not hold are left out.
    """
    reasons = by_count(manifest.get("dropped"))
    return render(
        "set.html.j2",
        name=manifest.get("name"),
        tool=_tool(manifest.get("tool")),
        facts=_facts(manifest),
        warnings=manifest.get("warnings") or [],
        shares=_shares(manifest),
        shortfall=_shortfall(manifest),
        sources=_sources(manifest),
        contents=_contents(manifest),
        leakage=_leakage(manifest),
        neighbours=_neighbours(manifest),
        lengths=_lengths(manifest),
        plots=score_plots(scores),
        reasons=[(reason, count(size)) for reason, size in reasons],
        dropped=_dropped_examples(manifest, examples),
        kept=[_example(entry, "task") for entry in (examples.get("kept") or [])[:EXAMPLES]],
        excerpt=EXCERPT,
    )


def _tool(tool: object) -> str:
    if isinstance(tool, Mapping):
        return " ".join(str(tool[key]) for key in ("name", "version") if tool.get(key))
    return str(tool or "")


def _facts(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    numbers = {"samples": "Samples", "tokens": "Tokens"}
    hashes = {"set_hash": "Set hash (of the token ids)", "recipe_hash": "Recipe hash"}
    tokenizer = manifest.get("tokenizer") or {}
    return [
        *((words, count(manifest[key])) for key, words in numbers.items() if is_number(manifest.get(key))),
        ("Tokens a sample", _sample_length(manifest)),
        *(("Model", str(manifest[key])) for key in ("model",) if manifest.get(key)),
        *_lost(manifest),
        *_low_continuity(manifest),
        *(("Diversity", words) for words in (diversity_words(manifest),) if words),
        *((words, str(manifest[key])) for key, words in hashes.items() if manifest.get(key)),
        *(
            (f"Tokenizer {key}".replace("_", " "), count(value) if is_number(value) else str(value))
            for key, value in tokenizer.items()
            if value is not None and not isinstance(value, Mapping | list)
        ),
    ]


def _sample_length(manifest: Mapping[str, Any]) -> str:
    longest, shortest = manifest.get("sequence_length"), manifest.get("shortest_sequence")
    return count(longest) if shortest in (None, longest) else f"{count(shortest)} to {count(longest)}"


def _lost(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Tokens that did not find room, and room that stayed empty."""
    cut, unused = manifest.get("cut") or {}, manifest.get("unused_tokens")
    found = []
    if cut.get("pieces"):
        found.append(("Cut", f"{count(cut['tokens'])} tokens of {count(cut['pieces'])} pieces of text"))
    if unused:
        found.append(("Left empty by packing", f"{count(unused)} tokens"))
    return found


def _low_continuity(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The share of the tokens that lie in text without continuous meaning, and the tasks that have any."""
    share = of(manifest, "low_continuity", "share")
    if not is_number(share):
        return []
    by_task = of(manifest, "low_continuity", "by_task") or {}
    tasks = [f"{task} {percent(part)}" for task, part in by_task.items() if is_number(part) and part > 0]
    most = of(manifest, "low_continuity", "max_share")
    limit = f", at most {percent(most)}" if is_number(most) else ""
    return [("Low-continuity tokens", percent(share) + limit + (f" ({', '.join(tasks)})" if tasks else ""))]


def _shares(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    asked, got = asked_and_got(manifest)
    tasks = list(dict.fromkeys([*asked, *got]))
    scale = svg.scale_for([0.0, *(100 * v for v in [*got.values(), *asked.values()] if is_number(v))])
    if not tasks or scale is None:
        return None
    rows = []
    for task in tasks:
        both = is_number(got.get(task)) and is_number(asked.get(task))
        rows.append(
            {
                "task": task,
                "got": percentage(got.get(task)),
                "asked": percentage(asked.get(task)),
                "points": signed(100 * (got[task] - asked[task]), 1) if both else None,
                "off": off_target(got.get(task), asked.get(task)),
                "strip": svg.strip(
                    svg.grid(scale),
                    svg.bar(
                        scale,
                        100 * got[task] if is_number(got.get(task)) else None,
                        100 * asked[task] if is_number(asked.get(task)) else None,
                    ),
                ),
            }
        )
    return {"rows": rows, "axis": svg.axis(scale), "asked": bool(asked)}


def _sources(manifest: Mapping[str, Any]) -> Table | None:
    columns = [
        Column("Corpus", lambda source: str(source.get("corpus") or ""), "name", keep=True),
        Column("Task", lambda source: str(source.get("task") or ""), "text"),
        Column("Licence", lambda source: str(source.get("licence") or ""), "text short"),
        Column("Documents", lambda source: count(source.get("documents"))),
        Column("Revision", lambda source: _short(str(source.get("revision") or "")), "text short"),
        Column("Rows refused", lambda source: count(sum((source.get("bad_rows") or {}).values()))),
        Column("Read", _read, "text short"),
        Column("Tokens got", lambda source: count(source.get("tokens_got"))),
        Column("Tokens asked", lambda source: count(source.get("tokens_asked"))),
    ]
    return table(columns, manifest.get("sources") or [])


def _read(source: Mapping[str, Any]) -> str:
    """How much of a source was read; nothing for one whose size is not known, such as a generator."""
    read, size = source.get("bytes_read"), source.get("bytes")
    if not is_number(read) or not is_number(size) or not size:
        return ""
    return "all" if read >= size else f"{read / 1e6:,.0f} of {size / 1e6:,.0f} MB"


def _shortfall(manifest: Mapping[str, Any]) -> Table | None:
    columns = [
        Column("Missing", lambda row: str(row.get("cell") or ""), "name", keep=True),
        Column("Tokens asked", lambda row: count(row.get("asked"))),
        Column("Found", lambda row: count(row.get("available"))),
        Column("Taken", lambda row: count(row.get("taken"))),
        Column("Why", lambda row: str(row.get("why") or ""), "text"),
        Column("More from", lambda row: str(row.get("suggestion") or ""), "text"),
    ]
    return table(columns, manifest.get("shortfall") or [])


def _short(revision: str) -> str:
    """A commit or hash by its first digits; a version as it is."""
    return revision[:12] if len(revision) >= _HASH else revision


def _contents(manifest: Mapping[str, Any]) -> Table | None:
    """Documents and tokens by task, language and licence, counted from the documents."""
    keys = ("task", "language", "licence")
    documents: defaultdict[tuple[str, ...], set[object]] = defaultdict(set)
    tokens: Counter[tuple[str, ...]] = Counter()
    for document in manifest.get("documents") or []:
        group = tuple(str(document.get(key) or "") for key in keys)
        documents[group].add(document.get("document") or document.get("id"))
        tokens[group] += document["tokens"] if is_number(document.get("tokens")) else 0
    groups = sorted(documents, key=lambda group: (-tokens[group], group))
    columns = [
        Column("Task", lambda group: group[0], "name"),
        Column("Language", lambda group: group[1], "text"),
        Column("Licence", lambda group: group[2], "text short"),
        Column("Documents", lambda group: count(len(documents[group]))),
        Column("Tokens", lambda group: count(tokens[group] or None)),
    ]
    return table(columns, groups)


def _neighbours(manifest: Mapping[str, Any]) -> Table | None:
    columns = [
        Column("Cosine", lambda one: number(one.get("cosine"), 3)),
        Column("Evaluation item", lambda one: str(one.get("item") or ""), "name", keep=True),
        Column("Text of the set", lambda one: str(one.get("piece") or ""), "name", keep=True),
    ]
    return table(columns, of(manifest, "leakage", "nearest_by_meaning") or [])


def _leakage(manifest: Mapping[str, Any]) -> Table | None:
    """Evaluation items whose text was found, the most often first."""
    hits, shown = of(manifest, "leakage", "hits") or {}, of(manifest, "leakage", "examples") or {}
    columns = [
        Column("Evaluation item", lambda item: item, "name"),
        Column("Texts", lambda item: count(hits[item])),
        Column("First of them", lambda item: str(next(iter(shown.get(item) or ()), "")), "text words"),
    ]
    return table(columns, [item for item, _ in by_count(hits)][:_ITEMS])


def _lengths(manifest: Mapping[str, Any]) -> dict[str, Any] | None:
    whole: defaultdict[object, Any] = defaultdict(int)
    for piece in manifest.get("documents") or []:
        if is_number(piece.get("tokens")):
            whole[piece.get("document") or piece.get("id")] += piece["tokens"]
    finite = list(whole.values())
    scale = svg.scale_for(finite, log_from=20)
    if scale is None:
        return None
    middle = sorted(finite)[len(finite) // 2]
    return _histograms(scale, [("documents", "", finite)]) | {
        "least": count(min(finite)),
        "middle": count(middle),
        "most": count(max(finite)),
    }


def _histograms(scale: svg.Scale, groups: Sequence[tuple[str, str, list[float]]]) -> dict[str, Any]:
    rows = []
    for words, kind, values in groups:
        if values:
            bars, top = svg.histogram(scale, values, _BINS, kind)
            strip = svg.strip(svg.grid(scale), bars)
            rows.append({"label": words, "n": count(len(values)), "top": count(top), "strip": strip})
    return {"rows": rows, "axis": svg.axis(scale), "log": scale.log}


def _dropped_examples(manifest: Mapping[str, Any], examples: Mapping[str, Any]) -> list[dict[str, Any]]:
    by_reason = examples.get("dropped") or {}
    order = [reason for reason, _ in by_count(manifest.get("dropped"))]
    reasons = sorted(by_reason, key=lambda reason: order.index(reason) if reason in order else len(order))
    return [
        {
            "reason": reason,
            "total": count(of(manifest, "dropped", reason)) if of(manifest, "dropped", reason) else None,
            "entries": [_example(entry, "detail") for entry in by_reason[reason][:EXAMPLES]],
        }
        for reason in reasons
        if by_reason[reason]
    ]


def _example(entry: Mapping[str, Any], note: str) -> dict[str, Any]:
    found = of(entry, "scores", "continuity")
    score = f"continuity {number(found, 2)}" if is_number(found) else None
    return example(entry, (entry.get("id"), entry.get(note), score))
