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
    arm_mean,
)

_SCOPE_PREFIX = {"sets": "These sets: ", "provisional": "Provisional (3 or 4 draws): ", "recipes": ""}
MIN_TASK_PROMPTS = 8
"""Prompts of a task below which its variance is little more than a guess."""
NEAR_BASELINE = 0.05
"""Mean KL, nats a token, below which a lower one is not taken for better answers: our choice of a round number."""

_SETS_SUFFIX = "; the variance between draws is not included, so new draws may differ"


def describe(pair: PairResult) -> str:
    """Return the sentence printed for a pair.

    In scope `sets` it speaks of these sets and says that draws are not included; `provisional` is marked.
    """
    text = _SCOPE_PREFIX[pair.scope] + (_tied(pair) if pair.verdict == "tied" else _separated(pair))
    return text + (_SETS_SUFFIX if pair.scope == "sets" else "") + "."


def settle_words(pair: PairResult) -> str:
    """What would settle a pair, with what that assumes; empty where it is settled or nothing would."""
    found = pair.settle
    if found is None:
        return ""
    ways = []
    if found.draws is not None:
        ways.append(f"{found.draws} draws an arm on these prompts")
    if found.prompts is not None:
        ways.append(f"{found.prompts} prompts with these {'sets' if pair.scope == 'sets' else 'draws'}")
    if found.both is not None:
        ways.append(f"{found.both[0]} draws an arm on {found.both[1]} prompts")
    aim = "separated" if found.as_ == "separated" else f"equivalent {_within(pair)}"
    return (
        f"about {' or '.join(ways)} would show them {aim} with {100 * found.power:.0f} % power, "
        "if the true difference is the one seen and more of the same vary alike"
    )


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
    few = {task: len(own) for task, own in design.strata.items() if len(own) < MIN_TASK_PROMPTS}
    if few and pairs:
        told = ", ".join(f"{task} {number}" for task, number in few.items())
        warnings.append(
            f"Few prompts ({told}): intervals rest on a variance over fewer than {MIN_TASK_PROMPTS} prompts of a "
            "task and on differences being close to normal; take more prompts of each kind."
        )
    lowest = min((arm_mean(arm, design) for arm in arms if not arm.null), default=math.inf)
    if pairs and lowest < NEAR_BASELINE:
        warnings.append(
            f"KL down to {lowest:#.3g} nats a token is near the baseline, where KL was not seen to predict "
            "accuracy on tasks (arXiv 2606.19558): a lower KL here is less change, not a better model."
        )
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
