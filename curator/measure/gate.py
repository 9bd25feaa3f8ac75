"""Limits that a candidate must hold: the check before a submission."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from curator._errors import InputError

# Half the width of a 95 % interval in standard errors.
_NORMAL = 1.96


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
        wrong = []
        if self.max_kl is not None and not (math.isfinite(self.max_kl) and self.max_kl >= 0):
            wrong.append(f"--max-kl {self.max_kl}: give nats a token, 0 or more")
        if self.min_top1 is not None and not 0 <= self.min_top1 <= 1:
            wrong.append(f"--min-top1 {self.min_top1}: give a share from 0 to 1, such as 0.95")
        if wrong:
            raise InputError("\n".join(wrong))

    def __bool__(self) -> bool:
        return self.max_kl is not None or self.min_top1 is not None

    def judge(self, measured: Sequence[Mapping[str, Any]], judged: str) -> dict[str, Any] | None:
        """What is held and what is broken; ``None`` without limits.

        Args:
            measured: lines of a score (see score_document.py).
            judged: how the candidate was computed, in words.

        Returns:
            ``{"judged", "max_kl", "min_top1", "passed", "broken"}``, and ``kl_margin_se``, the least distance of a
            mean KL below its limit in standard errors, where there are intervals: one sentence for each limit
            broken, which names the worst line, how many more there are, and how the candidate was computed.
        """
        if not self:
            return None
        broken = [f"{words}, {judged})" for words in (*self._kl(measured), *self._top1(measured))]
        limits = {"max_kl": self.max_kl, "min_top1": self.min_top1}
        margins = [] if self.max_kl is None else [_margin(line, self.max_kl) for line in measured]
        known = [margin for margin in margins if margin is not None]
        limits |= {"kl_margin_se": min(known)} if known else {}
        return {"judged": judged, **limits, "passed": not broken, "broken": broken}

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
        by = ""
        if worst["kl_ci"] is not None:
            value += f" [{worst['kl_ci'][0]:.4g}, {worst['kl_ci'][1]:.4g}]"
            margin = _margin(worst, limit)
            by = "" if margin is None else f" by {-margin:.1f} SE"
        return [f"mean KL {value} is over --max-kl {limit:g}{by} ({_where(worst, len(over))}"]

    def _top1(self, measured: Sequence[Mapping[str, Any]]) -> list[str]:
        limit = self.min_top1
        if limit is None:
            return []
        under = [line for line in measured if line["top1"] is None or line["top1"] < limit]
        if not under:
            return []
        worst = min(under, key=lambda line: -math.inf if line["top1"] is None else line["top1"])
        value = "unknown" if worst["top1"] is None else f"{worst['top1']:.4g}"
        return [f"top-1 agreement {value} is under --min-top1 {limit:g} ({_where(worst, len(under))}"]


def judge_chance(
    gate: Mapping[str, Any] | None, chance: Mapping[str, Any], least: float, judged: str
) -> dict[str, Any]:
    """A gate with the chance of a score in it.

    The chance itself decides, which is predictive: what the sample leaves unknown is in it. Its interval is shown.

    Args:
        gate: of the distributions, where there are limits for them.
        chance: see `task_sample.Chance`.
        least: what it must be.
        judged: how the candidate was computed, in words.

    Returns:
        The gate with ``pass_score``, ``min_chance`` and ``chance``.
    """
    low, high = chance["ci"]
    words = (
        f"chance {chance['chance']:.3g} [{low:.3g}, {high:.3g}] that {chance['items']:,} items score "
        f"{chance['threshold']:g} or more is under --min-chance {least:g} ({judged})"
    )
    broken = [*(gate["broken"] if gate else []), *([words] if chance["chance"] < least else [])]
    asked = {"pass_score": chance["threshold"], "min_chance": least, "chance": chance["chance"]}
    return {"judged": judged, **(gate or {}), **asked, "passed": not broken, "broken": broken}


def _margin(line: Mapping[str, Any], limit: float) -> float | None:
    """How far a mean KL is below a limit, in standard errors; from its 95 % interval, ``None`` without one."""
    if line["kl_ci"] is None or line["kl_mean"] is None or line["kl_ci"][1] <= line["kl_ci"][0]:
        return None
    error = float(line["kl_ci"][1] - line["kl_ci"][0]) / (2 * _NORMAL)
    return (limit - float(line["kl_mean"])) / error


def _where(line: Mapping[str, Any], count: int) -> str:
    more = f", and {count - 1} more" if count > 1 else ""
    return f"{line['phase']} at batch {line['batch_size']}{more}"
