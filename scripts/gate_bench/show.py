"""The tables as a person reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gate_bench.cost_bench import AIM, CHARS, TARGET, GateCost
from gate_bench.embedding_cost import LEAST_RATIO, EmbeddingCost
from gate_bench.junk_bench import CLASS_GOOD, CLASS_RECALL, GOOD, RECALL, JunkTable
from gate_bench.language_bench import PARTS, LanguageTable
from gate_bench.leave_one_out import WAYS, LeftOut
from gate_bench.proportions import Share

_OUT = Console(width=110, highlight=False)
_WRONG = 25


def show_junk(table: JunkTable, part: str, mistakes: bool) -> None:
    """Totals, classes, and the targets that are missed."""
    _OUT.print(f"[bold]Junk gates[/] on {part} (95 % intervals by Wilson)")
    total = _table("in all", "texts", "share", "target", "")
    _row(total, "junk refused (recall)", table.all_junk, f">= {RECALL:.0%}", table.all_junk.value >= RECALL)
    _row(total, "good text refused", table.all_good, f"<= {GOOD:.0%}", table.all_good.value <= GOOD)
    _row(total, "refused that is junk (precision)", table.precision, "", None)
    _row(total, "junk made by no generator of ours", table.real[0], "", None)
    _row(total, "good text made by no generator of ours", table.real[1], "", None)
    _OUT.print(total)
    _show_classes("junk: refused", table.junk, f">= {CLASS_RECALL:.0%}", lambda share: share.value >= CLASS_RECALL)
    _show_classes(
        "good text: refused", table.good, f"<= {CLASS_GOOD:.0%}", lambda share: share.value <= CLASS_GOOD
    )
    if mistakes:
        for judged in (one for kept in table.mistakes.values() for one in kept):
            told = " ".join(judged.text.text[:160].split())
            _OUT.print(
                f"[dim]{judged.text.id}[/] {escape(judged.reason or 'passed')}: {escape(told)}", soft_wrap=True
            )


def _show_classes(title: str, shares: Mapping[str, Share], target: str, good: Callable[[Share], bool]) -> None:
    rows = _table(title, "texts", "share", "target", "")
    for kind, share in shares.items():
        _row(rows, kind, share, target, good(share))
    _OUT.print(rows)


def show_left_out(found: Sequence[LeftOut]) -> None:
    """Recall of kinds that were not learnt from."""
    _OUT.print("[bold]Kinds never seen while fitting[/]: recall on half 1, plain and embedded")
    _OUT.print(f"Target for the product as it is (with spoilt text): >= {CLASS_RECALL:.0%}")
    rows = _table("kind", "texts", *WAYS, "")
    for one in found:
        shares = [str(one.recall[way]) if way in one.recall else "" for way in WAYS]
        judged = one.recall.get("with spoilt text")
        of = next(iter(one.recall.values())).of
        rows.add_row(one.name, f"{of:,}", *shares, _mark(judged.value >= CLASS_RECALL if judged else None))
    _OUT.print(rows)


def show_languages(tables: Sequence[LanguageTable]) -> None:
    """Accuracy and speed by detector, and what is taken for what."""
    _OUT.print(
        "[bold]Languages[/]: right answers and und, of texts of about 60 (short) and 700 characters (long);"
    )
    _OUT.print("other: languages of which nothing is installed; none: code, ids, digits (right: zxx or und)")
    rows = _table("detector", "part", "right", "und", "texts/s")
    for table in tables:
        for part in PARTS:
            und = f"{table.undetermined[part].value:.1%}"
            rows.add_row(table.detector, part, str(table.right[part]), und, f"{table.per_second[part]:,.0f}")
    _OUT.print(rows)
    for table in tables:
        wrong = ", ".join(f"{pair} {count}" for pair, count in list(table.wrong.items())[:_WRONG])
        _OUT.print(f"{table.detector}, wrong: {escape(wrong)}", soft_wrap=True)


def show_cost(gates: GateCost, vectors: EmbeddingCost) -> None:
    """What documents cost, and documents and sentences a second of one core."""
    rows = _table(
        f"documents of {CHARS:,} characters", "us of a core", "us on the clock", "a second of a core", "target", ""
    )
    chains = {f"chain without embeddings, {name}": cost for name, cost in gates.chains.items()}
    judged = next(iter(chains))
    for name, cost in {**gates.gates, **chains}.items():
        told = (f"{cost.cpu:,.1f}", f"{cost.wall:,.1f}", f"{cost.per_second:,.0f}")
        target = f">= {TARGET:,}, aim {AIM:,}" if name == judged else ""
        rows.add_row(name, *told, target, _mark(cost.per_second >= TARGET if target else None))
    _OUT.print(rows)
    rows = _table("sentence vectors", "a second of one core", "target", "")
    rows.add_row("ours", f"{vectors.ours:,.1f}", "", "")
    for size, value in vectors.theirs.items():
        rows.add_row(f"sentence-transformers, batches of {size}", f"{value:,.1f}", "", "")
    rows.add_row(
        "ours to its best", f"{vectors.ratio:.2f}", f">= {LEAST_RATIO}", _mark(vectors.ratio >= LEAST_RATIO)
    )
    _OUT.print(rows)


def _table(first: str, *others: str) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    table.add_column(first)
    for name in others:
        table.add_column(name, justify="right")
    return table


def _row(table: Table, name: str, share: Share, target: str, good: bool | None) -> None:
    table.add_row(escape(name), f"{share.of:,}", str(share), target, _mark(good))


def _mark(good: bool | None) -> str:
    return "" if good is None else "pass" if good else "[bold]FAIL[/]"
