"""What really reached the model: the rows of ids that its embedding was given, compared with the set."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from curator.adapters import read_set
from curator.adapters.targets import TARGETS

Row = tuple[int, ...]


class Witness:
    """Records every row of ids that goes through an embedding, of whatever model, from now on."""

    def __init__(self) -> None:
        from torch.nn.modules.module import register_module_forward_pre_hook

        self.seen: list[Row] = []
        self._handle = register_module_forward_pre_hook(self._record)

    def stop(self) -> None:
        """Record nothing more."""
        self._handle.remove()

    def _record(self, module: Any, arguments: tuple[Any, ...]) -> None:
        from torch.nn import Embedding

        if isinstance(module, Embedding):
            ids = arguments[0].reshape(-1, arguments[0].shape[-1])
            self.seen.extend(tuple(row) for row in ids.tolist())


def run_printed(target: str, work: Path) -> None:
    """Run the lines that `curate export` prints, with only MODEL and OUT filled in."""
    script = TARGETS[target].script(work / "set")
    for name in ("model", "out"):
        script = script.replace(f'"{name.upper()}"', repr(str(work / name)))
    exec(compile(script, target, "exec"), {"__name__": "printed"})  # noqa: S102  (our own lines, as printed)


def compare(rows: list[list[int]], seen: list[Row]) -> dict[str, Any]:
    """Whether ``seen`` is the set, whole and in order, once or several times over; else what differs."""
    wanted = [tuple(row) for row in rows]
    passes, rest = divmod(len(seen), len(wanted))
    exact = passes > 0 and rest == 0 and seen == wanted * passes
    return {
        "passed": exact,
        "passes": passes if exact else None,
        "only_the_order_differs": not exact and passes > 0 and sorted(seen) == sorted(wanted * passes),
        "rows_seen": len(seen),
        "rows_that_never_came": sum(row not in set(seen) for row in wanted),
        "rows_not_of_the_set": sum(row not in set(wanted) for row in seen),
        "tokens_seen": sum(map(len, seen)),
    }


def main(package: str, calls: dict[str, Callable[[Path, list[list[int]], int], list[Row]]]) -> None:
    """Run one call of an audit (``WORK CALL BATCH_SIZE``) and print its result as the last line."""
    work, call, batch_size = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    rows = read_set(work / "set").rows
    seen = calls[call](work, rows, batch_size)
    packages = {name: version(name) for name in (package, "torch", "transformers")}
    result = {
        "call": call,
        "batch_size": batch_size,
        "versions": packages,
        "rows": len(rows),
        "tokens": sum(map(len, rows)),
        **compare(rows, seen),
    }
    sys.stdout.write("\n" + json.dumps(result) + "\n")
