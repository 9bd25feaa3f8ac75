"""A recipe from a profile, with a comment beside each number that says where it came from."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from curator.corpora.shelf import load_cards
from curator.profile.derive_comments import head, measures
from curator.profile.derive_mix import REFILL, Measure, items_by_task, language_shares, mix_of
from curator.profile.derive_sources import TaskSources, refill, sources_for
from curator.profile.derive_target import target
from curator.profile.schema import Profile
from curator.recipe.starter import yaml_word
from curator.recipe.target import LONGEST

_TOKENS = """\
# An answer stays with its context: conversations and generated samples are never cut, plain text fills the rest.
tokens: {pack: bfd}"""


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user wants of a recipe.

    Attributes:
        by: a task's share of what becomes its share of tokens.
        factor: what is kept of the share without continuity.
        samples: sequences of the set.
        tokens: tokens of each.
        model: the model as the user named it; empty for the embedded one.
    """

    by: Measure = "items"
    factor: float = 0.5
    samples: int = 16
    tokens: int = 512
    model: str = ""


@dataclass(frozen=True, slots=True)
class Derivation:
    """A recipe's text, and what its reader has to know, a sentence each."""

    text: str
    notes: tuple[str, ...]


def derive_recipe(profile: Profile, wish: Wish, out: Path, evaluation: Path | None) -> Derivation:
    """The text of a recipe that passes ``curate check`` and can be built without a network.

    Args:
        profile: of the evaluation.
        wish: what the user wants.
        out: the file that it will be; paths in it start from its folder.
        evaluation: the evaluation file, which the texts are checked against; ``None`` when it is not here.

    Raises:
        InputError: shares by a measure that the profile does not have.
    """
    mix = mix_of(profile, wish.by, wish.factor)
    shares = {one.task: one.after for one in mix.tasks if one.after > 0}
    cards, by_task = list(load_cards().values()), items_by_task(profile)
    chosen = {
        task: sources_for(task, profile.tasks[task], tuple(language_shares(by_task[task])), yaml_word(task), cards)
        for task in shares
    }
    freed = None
    if mix.freed > 0:
        freed = refill(tuple(language_shares(profile.items)), cards)
        shares[REFILL] = shares.get(REFILL, 0.0) + mix.freed
        chosen.setdefault(REFILL, freed)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", out.stem).strip("._-")[:64] or "recipe"
    model = (
        f"model: {yaml_word(wish.model)}" if wish.model else "# model: ./model  # the one that you will quantise"
    )
    parts = [
        head(profile, wish.by, name, out),
        f"name: {yaml_word(name)}\nseed: 17\n{model}",
        _size(profile, wish),
        measures(profile, wish.by),
        target(profile, mix, shares, chosen, wish.by, wish.factor, wish.tokens),
        _source_lines(chosen, freed),
        _TOKENS,
        _gates(out, evaluation),
    ]
    notes = [f"task {task}: {found.why}" for task, found in chosen.items() if found.why]
    return Derivation("\n".join(parts) + "\n", tuple(notes))


def _gates(out: Path, evaluation: Path | None) -> str:
    if evaluation is None:
        return (
            "# The model is judged by the evaluation, of which nothing may be in the set; give its file:\n"
            "# gates: {leakage: {against: [eval.jsonl]}}"
        )
    against = yaml_word(os.path.relpath(evaluation, out.parent))
    return (
        "gates:\n  # The model is judged by that file: none of its text may be in the set.\n"
        f"  leakage: {{against: [{against}]}}"
    )


def _size(profile: Profile, wish: Wish) -> str:
    prompts = profile.overall.prompt_tokens
    plain = f"{{samples: {wish.samples}, tokens: {wish.tokens}}}"
    lines = [
        f"# Prompts of the evaluation have {prompts.median:,.0f} tokens in the median, {prompts.most:,} at most."
    ]
    if prompts.most > wish.tokens:
        long = min(1 << (prompts.most - 1).bit_length(), LONGEST)
        lines += [
            f"# These sequences see the first {wish.tokens:,} positions only. With long ones, given the memory:",
            f"# size: {{mix: [{plain}, {{samples: 2, tokens: {long}}}]}}",
        ]
    return "\n".join([*lines, f"size: {plain}"])


def _source_lines(chosen: Mapping[str, TaskSources], freed: TaskSources | None) -> str:
    lines = ["sources:"]
    for task, found in chosen.items():
        if found is freed:
            lines.append("  # Continuous text in place of what was cut.")
        elif found.why:
            lines.append(f"  # {yaml_word(task)}: {found.why}.")
        lines += [f"  - {source}" for source in found.sources]
        lines += [f"  # - {source}" for source in found.elsewhere]
    return "\n".join(lines)
