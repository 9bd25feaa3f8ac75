"""The comments of a derived recipe: what it is, and where its shares came from."""

from __future__ import annotations

from pathlib import Path

from curator.profile.derive_mix import MEASURES, REFILL, Measure, Mix, share_of
from curator.profile.schema import Profile
from curator.recipe.starter import yaml_word

_HASH = 12
_WORDS = {"items": "items %", "input_tokens": "input tokens %", "total_tokens": "total tokens %"}


def head(profile: Profile, by: Measure, name: str, out: Path) -> str:
    """What the recipe is, what it needs, and how it is used."""
    file, tasks = profile.file, len(profile.tasks)
    build = f"curate build {yaml_word(out.name)} --out sets/{name}"
    return "\n".join(
        [
            f"# Purpose:  the task mix of {yaml_word(file.name)}: {profile.overall.items} items, {tasks} "
            f"{'task' if tasks == 1 else 'tasks'}, shares by {by}.",
            "# Needs:    nothing but what is on this machine.",
            f"# Command:  {build}",
            f"# Override: {build} --set size.samples=128 --set size.tokens=2048",
            f"# From:     {yaml_word(file.name)}, SHA-256 {file.sha256[:_HASH]}, by curate profile "
            f"{profile.tool}, in",
            f"#           tokens of {yaml_word(profile.tokenizer.model)}. None of its text is in here.",
        ]
    )


def measures(profile: Profile, by: Measure) -> str:
    """A table of the evaluation's shares by all measures."""
    names = {task: yaml_word(task) for task in profile.tasks}
    width = max(4, *(len(name) for name in names.values()))
    lines = [f"# Shares of the evaluation; this recipe goes by {by}.", f"#   {'task'.ljust(width)}  "]
    lines[-1] += "  ".join(_WORDS[measure] for measure in MEASURES)
    for task, group in profile.tasks.items():
        cells = [_per_cent(share_of(group, measure)).rjust(len(_WORDS[measure])) for measure in MEASURES]
        lines.append(f"#   {names[task].ljust(width)}  {'  '.join(cells)}")
    if profile.overall.shares.total_tokens is None:
        lines.append("# Total tokens need a run's predictions: curate profile ... --outputs PREDICTIONS.jsonl")
    return "\n".join(lines)


def share_notes(profile: Profile, mix: Mix, by: Measure, factor: float) -> dict[str, str]:
    """Where each task's share came from."""
    notes = {}
    for one in mix.tasks:
        group = profile.tasks[one.task]
        if by == "items":
            notes[one.task] = f"{group.items} of {profile.overall.items} items"
        else:
            notes[one.task] = f"{_per_cent(one.before)} % of the {by.replace('_', ' ')}"
        if one.after < one.before:
            kept = f"{factor:g} of which is kept: {one.before:.4g} -> {one.after:.4g}"
            notes[one.task] += f"; {_per_cent(one.low)} % of it low in continuity, {kept}"
    if mix.freed > 0:
        freed = f"{mix.freed:.4g} freed by that cut, for continuous text"
        notes[REFILL] = f"{notes[REFILL]}; and {freed}" if REFILL in notes else freed
    return notes


def _per_cent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}" if share >= 0.001 or not share else f"{100 * share:.2g}"
