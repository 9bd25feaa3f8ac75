"""The prompts in two halves: one that the search sees, and one that it is judged by."""

from __future__ import annotations

from collections.abc import Sequence

from curator._errors import InputError
from curator._seed import stable_hash
from curator.measure.heldout import Prompt
from curator.rank.statistical_design import MIN_PROMPTS


def split(prompts: Sequence[Prompt], seed: int) -> tuple[list[Prompt], list[Prompt]]:
    """Half of each task's prompts, and the rest; prompts from one package, module or book stay together.

    Args:
        prompts: all of them.
        seed: of the search.

    Returns:
        The half to search on, and the half to compare on, both in the order given.

    Raises:
        InputError: a task has too few prompts, or all from one place, to be in both halves.
    """
    searched: set[int] = set()
    for task in dict.fromkeys(prompt.task for prompt in prompts):
        numbers = [number for number, prompt in enumerate(prompts) if prompt.task == task]
        chosen = _half(prompts, numbers, seed)
        if min(len(chosen), len(numbers) - len(chosen)) < MIN_PROMPTS:
            raise InputError(
                f"held-out prompts: task {task!r} has {len(numbers)} prompts, which do not divide into two halves "
                f"of {MIN_PROMPTS} or more from different places; give more, for example by --per-task 16"
            )
        searched |= chosen
    halves: tuple[list[Prompt], list[Prompt]] = ([], [])
    for number, prompt in enumerate(prompts):
        halves[number not in searched].append(prompt)
    return halves


def _half(prompts: Sequence[Prompt], numbers: Sequence[int], seed: int) -> set[int]:
    """Whole places by turns of chance, each to the half that has fewer prompts so far."""
    places: dict[tuple[str, str], list[int]] = {}
    for number in numbers:
        places.setdefault((prompts[number].corpus, prompts[number].unit), []).append(number)
    if len(places) < 2 * MIN_PROMPTS:
        # Too few places to keep together: generated prompts have one place for all.
        places = {("", str(number)): [number] for number in numbers}
    order = sorted(places, key=lambda place: (-len(places[place]), stable_hash("search-half", seed, *place)))
    chosen: set[int] = set()
    rest = 0
    for place in order:
        if len(chosen) <= rest:
            chosen |= set(places[place])
        else:
            rest += len(places[place])
    return chosen
