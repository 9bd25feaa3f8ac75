"""What a tool kept and removed, against the truth."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from curation_bench.likeness import nearest, word_runs
from curation_bench.planted import BANDS, Line

ALIKE = 0.7
"""Two documents of this index or more may rightly be called near duplicates: the tools' limits are 0.7 to 0.8."""


def read_truth(folder: Path) -> list[Line]:
    """The truth about each line, in the corpus's order."""
    with (folder / "truth.jsonl").open(encoding="utf-8") as lines:
        return [Line(**json.loads(line)) for line in lines]


def judge(truth: Sequence[Line], kept: set[str], removed: set[str]) -> dict[str, Any]:
    """Shares of what was refused that should be, and of what should not.

    Args:
        truth: of the corpus.
        kept: ids of the lines that a tool wrote.
        removed: ids that its steps against duplicates took out.

    Returns:
        ``junk`` and ``foreign``: refused; ``junk_kinds``; ``real``: of the real English documents refused by other
        steps than those against duplicates; ``exact`` and ``near``: of the pairs that no other step touched, those
        of which one or none is left; ``near_bands``: by Jaccard index; ``unlike``: of the pairs with a half in
        common that no other step touched, those of which the steps against duplicates took one.
    """
    refused = {line.id for line in truth} - kept
    before = refused - removed
    junk = [line for line in truth if line.kind.startswith("junk")]
    found: dict[str, Any] = {
        "junk": _share([line.id in refused for line in junk]),
        "junk_kinds": {
            kind: _share([line.id in refused for line in junk if line.kind == kind])
            for kind in dict.fromkeys(line.kind for line in junk)
        },
        "foreign": _share([line.id in before for line in truth if line.kind == "foreign"]),
        "real": _share([line.id in before for line in truth if line.kind == "real"]),
    }
    pairs: defaultdict[str, list[tuple[float, bool]]] = defaultdict(list)
    for line in truth:
        if line.of and line.id not in before and line.of not in before:
            pairs[line.kind].append((line.jaccard, line.id in removed or line.of in removed))
    for kind, held in sorted(pairs.items()):
        found[kind] = _share([resolved for _, resolved in held])
    found["near_bands"] = {
        f"{low:g}-{high:g}": _share([resolved for index, resolved in pairs["near"] if low <= index < high])
        for low, high in BANDS
    }
    return found


def precision(folder: Path, removed_by: dict[str, set[str]]) -> dict[str, dict[str, Any]]:
    """Of what each tool's steps against duplicates took out, the share that another line is like, truly counted.

    Args:
        folder: of the corpus.
        removed_by: ids by tool.
    """
    codes: dict[str, int] = {}
    rows = list(_texts(folder / "corpus.jsonl"))
    number = {name: at for at, (name, _) in enumerate(rows)}
    texts = [text for _, text in rows]
    runs = [word_runs(text, codes) for text in texts]
    asked = sorted({number[name] for removed in removed_by.values() for name in removed})
    highest = dict(zip(asked, nearest(asked, runs), strict=True))
    # A text too short for runs is like another only where both are the same.
    times: defaultdict[str, int] = defaultdict(int)
    for text in texts:
        times[" ".join(text.split())] += 1
    twice = {at for at in asked if times[" ".join(texts[at].split())] > 1}
    return {
        tool: _share([number[name] in twice or highest[number[name]] >= ALIKE for name in sorted(removed)])
        for tool, removed in removed_by.items()
    }


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            yield row["id"], row["text"]


def _share(marks: Sequence[bool]) -> dict[str, Any]:
    return {"of": len(marks), "share": round(sum(marks) / len(marks), 5) if marks else None}
