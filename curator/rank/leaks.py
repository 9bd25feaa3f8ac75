"""Held-out text that reached a set all the same.

Sets are filtered against the prompts, piece by piece, as they are built. What KL is measured on, though, is what
the model goes on to write, which no filter has seen: a continuation that it knows by heart may stand in a set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from curator.gates.leakage import EvalItem, Leak, Leakage
from curator.measure.baseline import Baseline
from curator.rank.arms import Arm, Draw
from curator.tokens.tokenizer import Tokenizer

_SHOWN = 80


def with_leaks(
    arms: Sequence[Arm], baseline: Baseline, tokenizer: Tokenizer, exempt: Iterable[Path] = ()
) -> list[Arm]:
    """The arms, with a warning in the manifest of each set that shares text with what it is measured on.

    Args:
        arms: with their sets.
        baseline: its windows hold each prompt and what the model wrote after it.
        tokenizer: the model's.
        exempt: the recipes' files of phrases that are no leakage.
    """
    items = [
        EvalItem(prompt["id"], tokenizer.decode(list(window.ids)))
        for prompt, window in zip(baseline.prompts, baseline.windows, strict=True)
    ]
    leakage = Leakage(items, [path.read_text(encoding="utf-8") for path in dict.fromkeys(exempt)])
    # The same set is in an arm of each method.
    words: dict[str, str] = {}
    for draw in (draw for arm in arms if arm.recipe for draw in arm.draws):
        if draw.set_hash not in words:
            words[draw.set_hash] = _words(leakage, [tokenizer.decode(row) for row in draw.rows])
    return [_warned(arm, words) for arm in arms]


def _words(leakage: Leakage, texts: Sequence[str]) -> str:
    found: dict[str, Leak] = {}
    for text in texts:
        leak = leakage.measure(text)
        if leak.run and (leak.item not in found or leak.run > found[leak.item].run):
            found[leak.item] = leak
    if not found:
        return ""
    most = max(found.values(), key=lambda leak: (leak.run, leak.item))
    shown = most.words if len(most.words) <= _SHOWN else f"{most.words[: _SHOWN - 1]}…"
    return (
        f"shares text with held-out prompts or what the model writes after them, at least {len(found)}: "
        f"{most.run} {most.unit} in a row with {most.item} ({shown!r}); KL there speaks for this set"
    )


def _warned(arm: Arm, words: Mapping[str, str]) -> Arm:
    def warned(draw: Draw) -> Draw:
        told = words.get(draw.set_hash)
        if not told:
            return draw
        return replace(draw, manifest={**draw.manifest, "warnings": [*draw.manifest.get("warnings", []), told]})

    return replace(arm, draws=tuple(map(warned, arm.draws)))
