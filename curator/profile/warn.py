"""What a reader of a profile has to know."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from curator.gates.language import UNDETERMINED
from curator.profile.figures import Group
from curator.profile.item import Item
from curator.profile.schema import Outputs
from curator.scores.embedder import DEFAULT, HUB_ID, MULTILINGUAL

_FEW = 10
# No other embedder reads better what is in no language that could be told.
_ENGLISH = ("en", UNDETERMINED)
# A server's template may have a system turn that ours has not, and its count of an answer a stop token.
_APART, _SOME = 0.05, 50
_SHORT, _LONG = 4_096, 32_768


def warnings_of(
    items: Sequence[Item], groups: Mapping[str, Group], outputs: Outputs | None, *, has_task: bool, embedder: str
) -> list[str]:
    """Sentences about the file, its languages, its lengths and its predictions."""
    found = [] if has_task else ["no column names a task: all items count as one; name it with --map task=COLUMN"]
    empty = [item.row for item in items if not item.prompt_tokens]
    if empty:
        found.append(f"{len(empty)} of {len(items)} prompts have no token (the first is row {empty[0]})")
    goldless = sum(item.gold_type == "none" for item in items)
    if goldless:
        found.append(f"{goldless} of {len(items)} items have no gold")
    few = [f"{task} {group.items}" for task, group in groups.items() if group.items < _FEW]
    if few:
        found.append(f"few items, so that their figures say little: {', '.join(few)}")
    foreign = sum(item.continuity is not None and item.language not in _ENGLISH for item in items)
    if foreign and embedder in (DEFAULT, HUB_ID):
        items_of = "item" if foreign == 1 else "items"
        found.append(
            f"{foreign} {items_of} in other languages than English scored by an embedder "
            f"of English text, which calls more of such text low; give --embedder {MULTILINGUAL}"
        )
    found += _lengths(items)
    return found + (_outputs(outputs, sum(item.score is not None for item in items)) if outputs else [])


def _lengths(items: Sequence[Item]) -> list[str]:
    """Lengths that no set of pieces of 2,048 tokens sees."""
    long = sum(item.prompt_tokens > _LONG for item in items)
    long_outputs = sum((item.output_tokens or 0) > _SHORT for item in items)
    found = []
    if long:
        found.append(
            f"{long} of {len(items)} prompts are longer than {_LONG:,} tokens: a set of short sequences sees no "
            "such positions; give the recipe a size.mix with long ones"
        )
    if long_outputs:
        found.append(
            f"{long_outputs} of {len(items)} answers are longer than {_SHORT:,} tokens: shorter sequences see "
            "their beginning only"
        )
    return found


def _outputs(outputs: Outputs, scored: int) -> list[str]:
    found = [f"items without a prediction: {outputs.missing}"] if outputs.missing else []
    # A run without any score was given for its lengths.
    if 0 < scored < outputs.items:
        found.append(
            f"{outputs.items - scored} of {outputs.items} predictions without a score: the means are of the others"
        )
    for words, counts in (("input", outputs.input_tokens), ("output", outputs.output_tokens)):
        told, ours = (sum(getattr(one, side) for one in counts.values()) for side in ("told", "ours"))
        items = sum(one.items for one in counts.values())
        if abs(told - ours) > _APART * ours + _SOME * items:
            why = "prompts that were cut" if words == "input" else "texts without their reasoning"
            found.append(
                f"{outputs.name} tells {told:,} {words} tokens where ours are {ours:,}: another tokenizer, or "
                f"{why}; name the model that was run with --model"
            )
    return found
