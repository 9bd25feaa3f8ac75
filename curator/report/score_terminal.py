"""One candidate's distance from the baseline on a terminal or in a pipe: one screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from curator.report._terminal_parts import print_line, print_warnings
from curator.report.format import (
    DASH,
    count,
    decimals_for,
    interval,
    is_number,
    kl,
    number,
    one_line,
    percent,
    percentage,
    spread,
)
from curator.report.terminal_tables import NAME_WIDTH, add_numbers, add_words, new_table, print_block, print_facts

Row = Mapping[str, Any]
Column = tuple[str, Callable[[Row], str]]
# A screen has room for the sources that weigh most; all are in the JSON.
_MOST_SOURCES = 5


def print_score(score: Mapping[str, Any], console: Console) -> None:
    """Print how far one candidate is from the baseline, in nats a token."""
    about = [one_line(score[key]) for key in ("scheme", "estimator") if score.get(key)]
    about += _dtypes(score.get("dtypes"))
    name = one_line(score.get("reference") or "reference")
    print_line(console, f"KL({name} || candidate), nats a token" + "".join(f", {part}" for part in about), "bold")
    if score.get("conditions"):
        print_line(console, one_line(score["conditions"]))
    lines = _lines(score)
    _print_rows(console, "phase", [(_phase(line), line) for line in lines], _line_columns(lines))
    if any(is_number(line.get("kl_lower_bound")) for line in lines):
        ran = "; ran: prompts that ran together" if any(_ran(line) != DASH for line in lines) else ""
        print_line(console, f"at least: what the lists prove of the mean KL{ran}", "dim")
    if any(is_number(line.get("cosine")) for line in lines):
        print_line(console, "cosine: of both probability vectors; p99: one token in 100 is over it", "dim")
    _print_facts(score, console)
    _print_free(score.get("free_running"), name, console)
    masses = score.get("mass") or {}
    columns: list[Column] = [("prompts", _prompts), ("mean KL", _mean), ("top-1 %", _top1), ("cosine", _cosine)]
    tasks = [(name, {**row, "mass": masses.get(name)}) for name, row in (score.get("by_task") or {}).items()]
    if score.get("phase") and score.get("batch_size"):
        console.print()
        print_line(console, f"Below: {one_line(score['phase'])} at batch {count(score['batch_size'])}", "dim")
    if tasks:
        _print_rows(console, "task", tasks, [*columns, ("in lists %", _mass)])
        if any(_mass(row) != DASH for _, row in tasks):
            print_line(console, f"in lists %: probability of {name} that its stored lists hold", "dim")
    lengths, other = _lengths(score, lines)
    if len(lengths) > 1:
        _print_rows(console, "prompt tokens", lengths, [*columns[:2], *other, *columns[2:]])
    families = sorted((score.get("by_family") or {}).items(), key=lambda item: -(item[1].get("prompts") or 0))
    if families:
        shown = families[:_MOST_SOURCES]
        _print_rows(console, "prompts' source", shown, [("prompts", _prompts), ("mean KL", _mean)])
        if len(families) > len(shown):
            print_line(console, f"and {len(families) - len(shown)} more sources (--json)")
    print_warnings(console, score.get("warnings"))


def _lines(score: Mapping[str, Any]) -> list[Row]:
    """A line for each pass; a score without passes is one itself."""
    return [line for line in score.get("measured") or [score] if isinstance(line, Mapping)]


def _lengths(score: Mapping[str, Any], lines: Sequence[Row]) -> tuple[list[tuple[str, Row]], list[Column]]:
    """KL by prompt length, and a column with that of the other phase at the same batch size."""
    own, size = score.get("phase"), score.get("batch_size")
    other = next((line for line in lines if line.get("batch_size") == size and line.get("phase") != own), {})
    theirs = other.get("by_length") or {}
    rows: list[tuple[str, Row]] = [
        (name, {**row, "other": (theirs.get(name) or {}).get("kl_mean")})
        for name, row in (score.get("by_length") or {}).items()
    ]
    return rows, [(f"{one_line(other['phase'])} KL", lambda row: kl(row.get("other"), 4))] if theirs else []


def _line_columns(lines: Sequence[Row]) -> list[Column]:
    decimals = decimals_for(line.get("kl_mean") for line in lines)

    def mean(row: Row) -> str:
        ends = interval(row.get("kl_ci"), decimals - 1)
        return kl(row.get("kl_mean"), decimals) + ("" if ends == DASH else f" {ends}")

    return [
        ("batch", _batch),
        ("ran", _ran),
        ("mean KL [95 %]" if any(line.get("kl_ci") for line in lines) else "mean KL", mean),
        ("at least", lambda row: kl(row.get("kl_lower_bound"), decimals)),
        ("p99", lambda row: number(row.get("kl_p99"), 2)),
        ("top-1 %", _top1),
        ("cosine", _cosine),
    ]


def _print_facts(score: Mapping[str, Any], console: Console) -> None:
    """What the same number does without a change of the candidate."""
    floors = [floor for floor in (score.get("floors") or {}).values() if is_number(floor.get("kl"))]
    facts = [
        (one_line(floor.get("words") or "floor"), f"{spread(floor['kl'])}  {_agreement(floor)}".rstrip())
        for floor in floors
    ]
    facts += [
        (f"SD of the mean KL over batch sizes, {phase}", spread(sd))
        for phase, sd in (score.get("batch_sd") or {}).items()
    ]
    if facts:
        console.print()
        print_line(console, "Noise floors (context, never subtracted)", "bold")
        print_facts(console, facts)


def _dtypes(dtypes: object) -> list[str]:
    """What both sides were computed in."""
    if not isinstance(dtypes, Mapping) or not dtypes.get("reference"):
        return []
    one, other = dtypes["reference"], dtypes.get("candidate") or "unknown"
    return [one_line(one if one == other else f"{one} against {other}")]


def _print_free(runs: object, name: str, console: Console) -> None:
    """How long a candidate that was not forced wrote what the reference wrote."""
    for size, run in runs.items() if isinstance(runs, Mapping) else ():
        own = run.get("candidate") or {}
        facts = [
            ("tokens until it departs", f"{_survived(own)} of {count(own.get('cap'))}"),
            ("departures a token at risk", f"{spread(own.get('hazard'))} {interval(own.get('hazard_ci'))}"),
            *(
                (f"{name} itself at batch {other}", _survived(itself))
                for other, itself in (run.get("reference") or {}).items()
            ),
            ("mean KL until then (easy tokens, no ranking)", kl(run.get("kl_while_following"))),
        ]
        console.print()
        print_line(console, f"Writing by itself at batch {size}", "bold")
        print_facts(console, [(name, value.replace(f" {DASH}", "")) for name, value in facts if value != DASH])


def _survived(one: Row) -> str:
    return f"{number(one.get('tokens'), 1)} {interval(one.get('tokens_ci'), 1)}".replace(f" {DASH}", "")


def print_gate(gate: object, console: Console) -> None:
    """Print that a candidate holds its limits, and which; what is broken is the error that the verb ends with."""
    if not isinstance(gate, Mapping):
        return
    limits = [
        *([f"mean KL at most {gate['max_kl']:g}{_margin(gate)}"] if is_number(gate.get("max_kl")) else []),
        *([f"top-1 at least {percent(gate['min_top1'])}"] if is_number(gate.get("min_top1")) else []),
        *([_chance(gate)] if is_number(gate.get("min_chance")) else []),
    ]
    if gate.get("passed"):
        judged = f" ({one_line(gate['judged'])})" if gate.get("judged") else ""
        console.print()
        print_line(console, f"passed: {', '.join(limits)}{judged}", "bold green")


def _margin(gate: Row) -> str:
    margin = gate.get("kl_margin_se")
    return f" (by {number(margin, 1)} SE)" if is_number(margin) else ""


def _chance(gate: Row) -> str:
    return f"chance of {percent(gate.get('pass_score'))} or more at least {percent(gate['min_chance'])}"


def _print_rows(console: Console, head: str, rows: Sequence[tuple[str, Row]], columns: Sequence[Column]) -> None:
    """Rows by name, without columns that hold nothing."""
    table = new_table()
    add_words(table, head, max_width=NAME_WIDTH)
    cells = [(one_line(name), [cell(row) for _, cell in columns]) for name, row in rows]
    kept = [place for place in range(len(columns)) if any(row[place] != DASH for _, row in cells)]
    add_numbers(table, *(columns[place][0] for place in kept))
    for name, row in cells:
        table.add_row(Text(name), *(Text(row[place]) for place in kept))
    print_block(console, table)


def _phase(line: Row) -> str:
    return one_line(line.get("phase") or "prefill")


def _batch(row: Row) -> str:
    return count(row.get("batch_size"))


def _ran(row: Row) -> str:
    """The smallest batch that really ran, where it was not the one asked."""
    size, achieved = row.get("batch_size"), row.get("batch_achieved")
    return count(achieved) if is_number(size) and is_number(achieved) and achieved < size else DASH


def _mean(row: Row) -> str:
    return kl(row.get("kl_mean"), 4)


def _top1(row: Row) -> str:
    return percentage(row.get("top1"))


def _prompts(row: Row) -> str:
    return count(row.get("prompts"))


def _cosine(row: Row) -> str:
    return number(row.get("cosine"), 3)


def _mass(row: Row) -> str:
    mass = row.get("mass")
    return percentage(mass.get("mean"), 2) if isinstance(mass, Mapping) else DASH


def _agreement(floor: Row) -> str:
    return f"top-1 {percent(floor.get('top1'))}" if is_number(floor.get("top1")) else ""
