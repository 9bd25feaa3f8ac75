"""The sentences that are printed for a pair and for a ranking."""

from __future__ import annotations

import math
from collections.abc import Sequence

from scipy import special

from curator.rank.pair_result import PairResult
from curator.rank.statistics import (
    MAX_CALIBRATION_DRAW_SD,
    MIN_DRAWS_PROVISIONAL,
    ArmKL,
    Design,
)

_SCOPE_PREFIX = {"sets": "These sets: ", "provisional": "Provisional (3 or 4 draws): ", "recipes": ""}
_SETS_SUFFIX = "; the variance between draws is not included, so new draws may differ"


def describe(pair: PairResult) -> str:
    """Return the sentence printed for a pair.

    In scope `sets` it speaks of these sets and says that draws are not included; `provisional` is marked.
    """
    text = _SCOPE_PREFIX[pair.scope] + (_tied(pair) if pair.verdict == "tied" else _separated(pair))
    return text + (_SETS_SUFFIX if pair.scope == "sets" else "") + "."


def _separated(pair: PairResult) -> str:
    word = "lower" if pair.verdict == "better" else "higher"
    near, far = sorted(abs(end) for end in pair.ci)
    text = (
        f"{pair.a} is {word} than {pair.b} by {abs(pair.diff):#.3g} nats a token{_percent(pair)}, "
        f"{_confidence(pair)} interval {near:#.3g} to {far:#.3g}"
    )
    return text + (f", yet equivalent {_within(pair)}" if pair.equivalent else "")


def _tied(pair: PairResult) -> str:
    how = f"equivalent {_within(pair)}" if pair.equivalent else "not separated"
    low, high = pair.ci
    return (
        f"{pair.a} and {pair.b} are {how}, difference {pair.diff:+#.3g} nats a token{_percent(pair)}, "
        f"{_confidence(pair)} interval {low:+#.3g} to {high:+#.3g}"
    )


def _percent(pair: PairResult) -> str:
    """Share of the second arm's KL."""
    return f" ({100 * abs(pair.diff) / pair.mean_b:.1f} %)" if pair.mean_b > 0 else ""


def _confidence(pair: PairResult) -> str:
    return f"simultaneous {100 * (1 - pair.alpha):g} %"


def _within(pair: PairResult) -> str:
    return f"within ±{100 * pair.margin_share:g} %"


def ranking_warnings(arms: Sequence[ArmKL], pairs: Sequence[PairResult], design: Design) -> tuple[str, ...]:
    """Return what to print with a ranking whose verdicts hold less than they seem to."""
    warnings = []
    if design.data_acts == "activation-scales":
        warnings.append(_max_calibration_warning(arms))
    noise = -float(special.ndtri(design.alpha / 2)) * math.sqrt(2) * design.floor_sd
    if pairs and noise > 0 and all(abs(pair.diff) < noise for pair in pairs):
        warnings.append(
            f"Every difference between these arms is below {noise:#.3g} nats a token, which repeating one "
            f"and the same estimate gives (floor SD {design.floor_sd:#.3g}): nothing can be told apart here."
        )
    return tuple(warnings)


def _max_calibration_warning(arms: Sequence[ArmKL]) -> str:
    text = (
        "Max calibration: only one activation scale per linear can differ between sets. Measured on 18 sets "
        "(SmolLM2-135M, W4A4), draws of one recipe differ more (SD 0.0056 nats) than recipes do (SD 0.0037), "
        "so this method does not separate recipes; expect ties."
    )
    if any(arm.has_draws and arm.draws < MIN_DRAWS_PROVISIONAL for arm in arms):
        text += (
            f" Where an arm has fewer than {MIN_DRAWS_PROVISIONAL} draws, a draw SD of "
            f"{100 * MAX_CALIBRATION_DRAW_SD:.1f} % of KL from that measurement joins the standard error, so "
            f"only gross differences count; {MIN_DRAWS_PROVISIONAL} or more draws replace it by your own."
        )
    return text
