"""What a reader must know before the numbers."""

from __future__ import annotations

from collections.abc import Sequence

from curator.models.locate import model_note
from curator.rank.arms import Arm
from curator.rank.plan import Plan
from curator.rank.verdict import Ranking

MAX_OVERLAP = 0.2
"""Above this share of common text, draws are no replicates."""


def overlap(arm: Arm) -> float:
    """The largest share of its documents that a draw shares with the others."""
    return max((float(draw.manifest.get("overlap", 0.0)) for draw in arm.draws), default=0.0)


def warnings(plan: Plan, arms: Sequence[Arm], ranking: Ranking, void: bool) -> list[str]:
    """Sentences, the weightiest first, each once.

    Args:
        plan: of the run.
        arms: with their sets' own warnings.
        ranking: with those of the statistics.
        void: draws share so much text that no verdict is about recipes.
    """
    found = list(ranking.warnings)
    if len(plan.recipes) == 1 and len(plan.quantize) == 1:
        found.append("one recipe: there are only null arms to compare it with")
    if plan.draws < 3:
        found.append(
            f"{plan.draws} draw{'s' if plan.draws > 1 else ''} an arm: verdicts are about these sets, not about "
            "recipes; --draws 5 compares recipes"
        )
    if void:
        found.append(
            f"draws of an arm share more than {MAX_OVERLAP:.0%} of their text: no verdict is about recipes"
        )
    note = model_note(plan.model)
    if note:
        found.append(note)
    if len(plan.schemes) < 2:
        found.append(f"the server runs weight-only: {plan.scheme} alone is measured")
    found += _of_sets(plan, arms)
    found.append(
        "prefill only: errors that build up over a model's own decoded tokens are not in this number; "
        "values by task and by source, W4A16 beside W4A4, medians and tails are exploratory"
    )
    return list(dict.fromkeys(found))


def _of_sets(plan: Plan, arms: Sequence[Arm]) -> list[str]:
    """Warnings of the sets, said once for a recipe where all draws have them; its notes were told at the start."""
    told = {note for loaded in plan.recipes for note in loaded.notes}
    found: dict[tuple[str, str], list[int]] = {}
    for arm in arms:
        for number, draw in enumerate(arm.draws):
            for warning in draw.manifest.get("warnings", []):
                if warning not in told:
                    numbers = found.setdefault((arm.recipe or arm.name, warning), [])
                    numbers += [number] if number not in numbers else []
    return [f"{name} {_draws(numbers)}: {warning}" for (name, warning), numbers in found.items()]


def _draws(numbers: Sequence[int]) -> str:
    listed = ", ".join(map(str, numbers))
    return f"draw {listed}" if len(numbers) == 1 else f"draws {listed}"
