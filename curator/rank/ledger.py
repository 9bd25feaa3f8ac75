"""What each step of a run took: the base of estimates, and the cost in the report.

Times decide nothing: verdicts and looks are functions of the scores alone. A step that was killed is not in here;
one that is done again replaces its line.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from curator._files import write_json
from curator.rank.stored import read_result

LEDGER = "ledger.json"
Kind = Literal["build", "baseline", "quantise", "score", "floors"]


class Ledger:
    """The times of a run folder.

    Args:
        out: the run folder.
    """

    def __init__(self, out: Path) -> None:
        self._file = out / LEDGER

    def steps(self) -> list[dict[str, Any]]:
        """The steps in the order in which they were first done: ``step``, ``of``, ``seconds``, and more by step.

        ``of`` is the recipe of a ``build``, the prompts' hash of a ``baseline``, the piece of the others.
        """
        lines = (read_result(self._file) or {}).get("steps")
        # Times decide nothing: what is damaged is left out.
        return [line for line in lines if _is_step(line)] if isinstance(lines, list) else []

    @contextmanager
    def timed(self, step: Kind, of: str, **more: str | int) -> Iterator[None]:
        """Write down how long the body took, unless it fails."""
        started = time.monotonic()
        yield
        seconds = round(time.monotonic() - started, 3)
        self.put({"step": step, "of": of, **more, "seconds": seconds})

    def put(self, line: dict[str, Any]) -> None:
        """Write one step down, in the place of the same step before."""
        key = _identity(line)
        lines = {_identity(one): one for one in self.steps()}
        lines[key] = line
        write_json(self._file, {"steps": list(lines.values())})


def _is_step(line: Any) -> bool:
    if not isinstance(line, dict) or not all(isinstance(line.get(name), str) for name in ("step", "of")):
        return False
    # A list or an object tells no step from another.
    if not all(isinstance(value, str | int | float) for value in line.values()):
        return False
    seconds, draws = line.get("seconds"), line.get("draws", 1)
    return isinstance(seconds, int | float) and seconds >= 0 and isinstance(draws, int) and draws > 0


def _identity(line: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for name, value in line.items() if name not in ("seconds", "draws"))
