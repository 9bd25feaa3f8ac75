"""Measures the gates and prints tables: junk, left-out, language, cost."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gate_bench.machine import conditions

_EPILOG = """\
junk      the labelled set: recall and good text refused, by class, on the half that nothing was learnt on; and on
          the blind part, where its packages are unpacked
left-out  recall of each kind of junk when the detector is fitted without it (an hour of one core)
language  accuracy and speed of each detector of languages
cost      documents a second of one core, of each gate and of the chain; sentence vectors
all       the four

Ends with 1 when a target is missed. `scripts/bench_gates junk --json scripts/gate_bench/results/junk.json` keeps
the figures with the date, versions and machine.
"""
_KEPT = Path(__file__).parents[2] / "build" / "left-out.json"
PARTS = ("junk", "left-out", "language", "cost")


def main() -> int:
    """Run the parts that were asked for."""
    options = _options()
    found: dict[str, Any] = {"conditions": conditions(options.seed)}
    for part in PARTS if options.part == "all" else (options.part,):
        found[part] = _RUNS[part](options)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return int(any(found[part].get("missed_targets") for part in PARTS if part in found))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        "bench_gates", description=__doc__, epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("part", nargs="?", default="all", choices=[*PARTS, "all"])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    parser.add_argument("--seed", type=int, default=0, help="of the generated texts and of every draw")
    parser.add_argument("--only", nargs="*", default=[], metavar="FAMILY", help="left-out: these families alone")
    parser.add_argument(
        "--kept", type=Path, default=_KEPT, metavar="FILE", help="left-out: what is found; run it again to go on"
    )
    parser.add_argument(
        "--mistakes", action="store_true", help="junk: print some texts judged wrong of each class"
    )
    return parser.parse_args()


def _junk(options: argparse.Namespace) -> dict[str, Any]:
    from gate_bench import show
    from gate_bench.blind import build_blind
    from gate_bench.junk_bench import judge, tabulate
    from gate_bench.labelled import build_labelled

    texts = build_labelled(options.seed)
    table = tabulate(judge(one for one in texts if one.half == 1))
    show.show_junk(table, f"half 1 of {len(texts):,} labelled texts", options.mistakes)
    found = {"texts": len(texts), **table.as_json()}
    if blind := build_blind(options.seed):
        table = tabulate(judge(blind))
        show.show_junk(table, f"the blind part, {len(blind):,} texts", mistakes=False)
        found["blind"] = {"texts": len(blind), **table.as_json()}
    return found


def _left_out(options: argparse.Namespace) -> dict[str, Any]:
    from gate_bench import show
    from gate_bench.leave_one_out import as_json, leave_one_out, missed

    found = leave_one_out(options.seed, options.kept, options.only)
    show.show_left_out(found)
    return {"recall": as_json(found), "missed_targets": missed(found)}


def _language(options: argparse.Namespace) -> dict[str, Any]:
    from gate_bench import show
    from gate_bench.language_bench import measure_detectors
    from gate_bench.language_texts import told_texts

    tables = measure_detectors(told_texts(options.seed))
    show.show_languages(tables)
    return {"detectors": [table.as_json() for table in tables]}


def _cost(options: argparse.Namespace) -> dict[str, Any]:
    from gate_bench import show
    from gate_bench.cost_bench import cost_documents, measure_gates
    from gate_bench.embedding_cost import measure_embedder

    gates, vectors = measure_gates(cost_documents(options.seed)), measure_embedder()
    show.show_cost(gates, vectors)
    missed = [*gates.failures(), *vectors.failures()]
    return {"gates": gates.as_json(), "embedding": vectors.as_json(), "missed_targets": missed}


_RUNS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "junk": _junk,
    "left-out": _left_out,
    "language": _language,
    "cost": _cost,
}

if __name__ == "__main__":
    sys.exit(main())
