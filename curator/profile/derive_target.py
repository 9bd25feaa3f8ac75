"""The target of a derived recipe: shares of tasks, languages and lengths, and how much may have no continuity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from curator.profile.derive_comments import share_notes
from curator.profile.derive_mix import Measure, Mix, items_by_task, language_shares, length_shares
from curator.profile.derive_sources import TaskSources
from curator.profile.item import Item
from curator.profile.schema import Profile
from curator.recipe.starter import yaml_word

_MILLION = 1_000_000


def target(
    profile: Profile,
    mix: Mix,
    shares: Mapping[str, float],
    chosen: Mapping[str, TaskSources],
    by: Measure,
    factor: float,
    longest: int,
) -> str:
    """The mapping ``target`` with its comments.

    Args:
        profile: of the evaluation.
        mix: its shares, before and after the cut.
        shares: of the recipe's tasks.
        chosen: sources of the evaluation's tasks.
        by: what shares are of.
        factor: what is kept of the share without continuity.
        longest: tokens of a sequence.
    """
    notes = share_notes(profile, mix, by, factor)
    pairs = {task: f"{yaml_word(task)}: {share}" for task, share in rounded(shares).items()}
    width = max(map(len, pairs.values()))
    lines = ["target:", "  tasks:", *(f"    {pair.ljust(width)}  # {notes[task]}" for task, pair in pairs.items())]
    lines += [f"    # {yaml_word(one.task)}: nothing is left of it" for one in mix.tasks if one.task not in shares]
    lines += _languages(profile, chosen)
    lines += _by_task(profile, chosen, longest)
    if mix.low_before > 0:
        lines.append(
            f"  # {mix.low_before:.4g} of the evaluation's tokens lie in random text and low windows, as a set's"
        )
        lines.append(f"  # are counted, its tasks weighed by the shares above; {factor:g} of that is the most.")
        lines.append(f"  low_continuity: {{max_share: {round(mix.low_after, 4):g}}}")
    else:
        lines.append("  # All text of the evaluation has continuity: nothing is cut.")
    return "\n".join(lines)


def rounded(shares: Mapping[str, float]) -> dict[str, str]:
    """Shares with six decimals that sum to exactly 1; none rounds to nothing."""
    total = sum(shares.values())
    parts = {name: max(round(share / total * _MILLION), 1) for name, share in shares.items()}
    largest = max(parts, key=lambda name: parts[name])
    parts[largest] += _MILLION - sum(parts.values())
    return {name: f"{part / _MILLION:.6f}".rstrip("0").rstrip(".") for name, part in parts.items()}


def _languages(profile: Profile, chosen: Mapping[str, TaskSources]) -> list[str]:
    told = language_shares(profile.items)
    if not told:
        return ["  # No item is in a language that could be told: any will do."]
    counted = ", ".join(f"{name} {size}" for name, size in profile.overall.languages.items())
    given = {language for found in chosen.values() for language in found.languages}
    kept = {name: share for name, share in told.items() if name in given}
    lines = [f"  # Items by language: {counted}."]
    if missing := [name for name in told if name not in given]:
        lines.append(f"  # No source here is in {', '.join(missing)}: left out; add one, and its share.")
    return [*lines, f"  languages: {_flow(kept)}"] if kept else lines


def _by_task(profile: Profile, chosen: Mapping[str, TaskSources], longest: int) -> list[str]:
    """Languages and lengths of tasks, where they are others than those of all."""
    lines = []
    by_task, overall = items_by_task(profile), language_shares(profile.items)
    for task, found in chosen.items():
        items = by_task.get(task, [])
        if not items:
            # What refills is not of the evaluation.
            continue
        own = [*_own_languages(items, overall, found.languages), *_own_lengths(items, longest)]
        if own:
            lines.append(f"    {yaml_word(task)}: {{{', '.join(own)}}}")
    if not lines:
        return []
    note = (
        "  # Languages and lengths of a task's items; what is longer than a sequence counts as one that fills it."
    )
    return [note, "  by_task:", *lines]


def _own_languages(items: Iterable[Item], overall: Mapping[str, float], given: Sequence[str]) -> list[str]:
    own = language_shares(items)
    kept = {name: share for name, share in own.items() if name in given}
    return [f"languages: {_flow(kept)}"] if kept and rounded(own) != rounded(overall) else []


def _own_lengths(items: Iterable[Item], longest: int) -> list[str]:
    bins = length_shares(items, longest)
    words = [f"{{{'' if end is None else f'upto: {end}, '}share: {round(share, 6):g}}}" for end, share in bins]
    return [f"lengths: [{', '.join(words)}]"] if words else []


def _flow(shares: Mapping[str, float]) -> str:
    return "{" + ", ".join(f"{yaml_word(name)}: {share}" for name, share in rounded(shares).items()) + "}"
