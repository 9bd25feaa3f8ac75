"""A first recipe, with comments, from what was found."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from curator.corpora.card import Card
from curator.corpora.generators import GENERATORS
from curator.corpora.shelf import available, load_cards
from curator.recipe.found_here import Evaluation
from curator.recipe.texts_here import Texts

# What a set is made of when no evaluation says it: the shares of the recipe `coherent-mix`.
DEFAULT_ITEMS = {"prose": 4, "code": 3, "qa": 3}
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Findings:
    """What a starter is written from.

    Attributes:
        models: model folders; with several, none is chosen.
        evaluations: evaluation files; with several, none is chosen.
        evaluation: the one that was read.
        texts: files and patterns that could be sources.
    """

    models: Sequence[Path] = ()
    evaluations: Sequence[Path] = ()
    evaluation: Evaluation | None = None
    texts: Sequence[Texts] = ()


@dataclass(frozen=True, slots=True)
class Starter:
    """A recipe's text and what it decided.

    Attributes:
        text: the YAML.
        items: items by task of what is in the target.
        without: tasks of the evaluation that no source that ships can give.
    """

    text: str
    items: Mapping[str, int]
    without: tuple[str, ...]


def write_starter(out: Path, found: Findings) -> Starter:
    """The text of a first recipe that passes ``curate check``.

    Args:
        out: the file that it will be; paths in it start from its folder.
        found: what it is made of.
    """
    given = sources_by_task()
    asked = found.evaluation.items if found.evaluation else DEFAULT_ITEMS
    items = {task: count for task, count in asked.items() if task in given}
    without = tuple(task for task in asked if task not in given)
    parts = [
        _head(out),
        _model(found.models),
        "# A first look; calibration sets in use have 128 to 512 sequences of 2,048 tokens.\n"
        "size: {samples: 16, tokens: 512}",
        _target(found, items or DEFAULT_ITEMS, without, replaced=not items),
        _sources(out, items or DEFAULT_ITEMS, given, found.texts),
        "# Gates that refuse short text, random strings and exact duplicates are on.\n"
        "# gates: {language: {allow: [en, und]}, licence: {forbid: [unknown]}}",
    ]
    return Starter("\n".join(parts) + "\n", items or DEFAULT_ITEMS, without)


def sources_by_task() -> dict[str, list[str]]:
    """Sources that ship and need no network, by task, as recipes write them."""
    found: dict[str, list[str]] = {name: [f"{{generate: {name}}}"] for name in GENERATORS}
    for card in load_cards().values():
        if _is_at_hand(card):
            found.setdefault(card.task, []).append(f"{{corpus: {card.id}, task: {card.task}}}")
    return found


def _is_at_hand(card: Card) -> bool:
    # What the running Python holds is everywhere; a package that happens to be here is not.
    return bool(card.reader) and not card.requires and not available(card)


def _head(out: Path) -> str:
    name = _name(out)
    return (
        f"# Purpose:  a first recipe, written by `curate init`; change what you like.\n"
        f"# Needs:    nothing but the install.\n"
        f"# Command:  curate build {yaml_word(out.name)} --out sets/{name}\n"
        f"# Override: curate show {yaml_word(out.name)} --set size.samples=64\n"
        f"# Editors:  curate schema > recipe.schema.json, then as the first line:\n"
        f"#           # yaml-language-server: $schema=recipe.schema.json\n"
        f"name: {yaml_word(name)}\n"
        f"seed: 17"
    )


def _name(out: Path) -> str:
    """The file's name, or its folder's where the file has the name that every first recipe gets."""
    stem = out.resolve().parent.name if out.stem == "recipe" else out.stem
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("._-")[:64] or "recipe"


def _model(models: Sequence[Path]) -> str:
    if len(models) == 1:
        named = yaml_word(str(models[0]))
        return f"# Its tokenizer is used. The path starts from where you run curate.\nmodel: {named}"
    if models:
        listed = "".join(f"\n# model: {yaml_word(str(model))}" for model in models)
        return f"# Several models are here; choose the one that you will quantise:{listed}"
    return "# The model that you will quantise, a folder or hub id; else the small embedded one.\n# model: ./model"


def _target(found: Findings, items: Mapping[str, int], without: Sequence[str], *, replaced: bool) -> str:
    lines = []
    evaluation = found.evaluation
    if evaluation is not None:
        counts = ", ".join(f"{yaml_word(task)} {count}" for task, count in evaluation.items.items())
        lines += [
            f"# Items of {yaml_word(str(evaluation.path))} by task: {counts}.",
            "# That file is what the model is judged by: never make it a source.",
        ]
        if evaluation.unusable:
            lines.append(f"# {evaluation.unusable} of its rows have no task, question and gold.")
    elif found.evaluations:
        listed = ", ".join(yaml_word(str(path)) for path in found.evaluations)
        lines.append(f"# Several evaluation files are here ({listed}); name one: curate init --eval FILE")
    else:
        lines.append("# Better: the task mix of your evaluation (curate init --eval FILE.jsonl).")
    lines += [
        f"# {yaml_word(task)}: no source that ships is for this task; add one of your own." for task in without
    ]
    low = [task for task in items if task in GENERATORS and _lacks_continuity(task)]
    if low:
        lines.append(
            f"# {', '.join(low)}: text without continuity, which may hurt calibration; see what a cut buys:"
        )
        lines.append("# curate show low-continuity-reduced")
    if replaced:
        lines.append("# So these are not your tasks; they are a mix that can be built at once.")
    shares = _shares(items)
    return "\n".join(
        [*lines, "target:", "  tasks:", *(f"    {yaml_word(task)}: {share}" for task, share in shares.items())]
    )


def _lacks_continuity(generator: str) -> bool:
    found = GENERATORS[generator]
    return found.is_low(found.defaults)


def _sources(out: Path, items: Mapping[str, int], given: Mapping[str, list[str]], texts: Sequence[Texts]) -> str:
    lines = ["sources:", *(f"  - {source}" for task in items for source in given[task])]
    if texts:
        lines.append("  # Text files that are here; what each is for is a guess. Give its task a share:")
        for found in texts:
            path = yaml_word(os.path.relpath(found.path, out.parent))
            lines.append(f"  # - {{files: {path}, task: {found.task}}}")
    else:
        lines.append("  # - {files: my_texts/*.jsonl, task: prose}")
    return "\n".join(lines)


def _shares(items: Mapping[str, int]) -> dict[str, str]:
    """Shares by items with six decimals that sum to exactly 1; no task rounds to nothing."""
    total = sum(items.values())
    parts = {task: max(round(count * _MILLION / total), 1) for task, count in items.items()}
    largest = max(parts, key=lambda task: parts[task])
    parts[largest] += _MILLION - sum(parts.values())
    return {task: f"{part / _MILLION:.6f}".rstrip("0").rstrip(".") for task, part in parts.items()}


def yaml_word(text: str) -> str:
    """A word as YAML takes it on one line, in quotes where it must be."""
    plain = re.fullmatch(r"(?:[A-Za-z_]|\.{0,2}/)[A-Za-z0-9./_-]*", text)
    reserved = text.lower() in {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
    # A line separator would end a comment, so that what cannot be printed is escaped.
    return text if plain and not reserved else json.dumps(text, ensure_ascii=not text.isprintable())
