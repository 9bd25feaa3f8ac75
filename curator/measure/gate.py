"""Limits that a candidate must hold: the check before a submission."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator._errors import InputError


@dataclass(frozen=True, slots=True)
class Limits:
    """What every phase and batch size measured must hold.

    Decided on means: an interval is shown beside a mean and does not excuse it.

    Attributes:
        max_kl: the most that a mean KL may be, nats a token.
        min_top1: the least that top-1 agreement may be, a share.

    Raises:
        InputError: a limit that nothing could pass or fail.
    """

    max_kl: float | None = None
    min_top1: float | None = None

    def __post_init__(self) -> None:
        """Check the limits themselves."""
        if self.max_kl is not None and not (math.isfinite(self.max_kl) and self.max_kl >= 0):
            raise InputError(f"--max-kl {self.max_kl}: give nats a token, 0 or more")
        if self.min_top1 is not None and not 0 <= self.min_top1 <= 1:
            raise InputError(f"--min-top1 {self.min_top1}: give a share from 0 to 1, such as 0.95")

    def __bool__(self) -> bool:
        return self.max_kl is not None or self.min_top1 is not None

    def judge(self, measured: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
        """What is held and what is broken; ``None`` without limits.

        Args:
            measured: lines of a score (see score_document.py).

        Returns:
            ``{"max_kl", "min_top1", "passed", "broken"}``: one sentence for each limit broken, which names the
            worst line and how many more there are.
        """
        if not self:
            return None
        broken = [*self._kl(measured), *self._top1(measured)]
        return {"max_kl": self.max_kl, "min_top1": self.min_top1, "passed": not broken, "broken": broken}

    def _kl(self, measured: Sequence[Mapping[str, Any]]) -> list[str]:
        limit = self.max_kl
        if limit is None:
            return []
        # A mean that is not known is no mean below a limit.
        over = [line for line in measured if line["kl_mean"] is None or line["kl_mean"] > limit]
        if not over:
            return []
        worst = max(over, key=lambda line: math.inf if line["kl_mean"] is None else line["kl_mean"])
        value = "unknown" if worst["kl_mean"] is None else f"{worst['kl_mean']:.4g}"
        if worst["kl_ci"] is not None:
            value += f" [{worst['kl_ci'][0]:.4g}, {worst['kl_ci'][1]:.4g}]"
        return [f"mean KL {value} is over --max-kl {limit:g} ({_where(worst, len(over))})"]

    def _top1(self, measured: Sequence[Mapping[str, Any]]) -> list[str]:
        limit = self.min_top1
        if limit is None:
            return []
        under = [line for line in measured if line["top1"] is None or line["top1"] < limit]
        if not under:
            return []
        worst = min(under, key=lambda line: -math.inf if line["top1"] is None else line["top1"])
        value = "unknown" if worst["top1"] is None else f"{worst['top1']:.4g}"
        return [f"top-1 agreement {value} is under --min-top1 {limit:g} ({_where(worst, len(under))})"]


def _where(line: Mapping[str, Any], count: int) -> str:
    more = f", and {count - 1} more" if count > 1 else ""
    return f"{line['phase']} at batch {line['batch_size']}{more}"
