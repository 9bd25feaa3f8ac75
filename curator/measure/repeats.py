"""How much a candidate's numbers move when the same measurement is made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from curator.measure.candidate import Measured
from curator.measure.summary import weighted

How = Literal["run", "restart"]


def jitter(runs: Sequence[Sequence[Measured]], how: How) -> list[dict[str, Any]]:
    """Spread of the same numbers over repeats, a line for each phase and batch size.

    Args:
        runs: two or more; each the same passes in the same order.
        how: what was done between them: nothing but asking again, or a new start of the server.

    Returns:
        ``phase``, ``batch_size``, ``how``, ``runs``; ``kl_means`` and ``kl_sd``, nats a token, ``top1_sd``: SDs of
        one run's value (that of a difference of two is 1.4 times as large); ``flips``, the share of tokens whose
        top-1 agreement with BF16 is not the same in all runs; ``moved``, the share whose KL is not.
    """
    lines = []
    for passes in zip(*runs, strict=True):
        tables = [one.table for one in passes]
        means = [weighted(table, "kl") for table in tables]
        top1 = [weighted(table, "top1") for table in tables]
        lines.append(
            {
                "phase": passes[0].phase,
                "batch_size": passes[0].batch_size,
                "how": how,
                "runs": len(passes),
                "kl_means": means,
                "kl_sd": _sd(means),
                "top1_sd": _sd(top1),
                "flips": _not_all_equal([table["top1"].to_numpy() for table in tables]),
                "moved": _not_all_equal([table["kl"].to_numpy() for table in tables]),
            }
        )
    return lines


def _sd(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.std(known, ddof=1)) if len(known) == len(values) > 1 else None


def _not_all_equal(columns: Sequence[Any]) -> float:
    """Share of places where runs differ."""
    whole = np.stack(columns)
    return float((whole != whole[0]).any(axis=0).mean())


def within_jitter(value: float, limit: float, sd: float | None) -> bool:
    """Whether a value and a limit are nearer than two SDs of the value: another run may land on the other side."""
    return sd is not None and abs(value - limit) < 2 * sd
