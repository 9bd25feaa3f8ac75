"""Whether two runs' numbers may be compared: what is compared must be measured alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from curator._errors import RefusedError
from curator.compare.change import shown
from curator.compare.stored_run import Run
from curator.measure.comparable import COMPARABLE, TOLD, check_names

# What the number is of. Nobody can allow these to differ: the numbers would be of different things.
_PRIMARY = ("scheme", "phase", "batch_size", "tokens_per_prompt", "estimator", "weights")
_WORDS = {"batch_size": "batch size", "tokens_per_prompt": "scored tokens a prompt", "dtype": "compute type"}
# Facts of the environment that say what was run: the same name may stand for another model.
_IDENTITY = ("model hash", "held-out prompts", "tokenizer")
# Differences that a refusal tells; a run of another model differs in nearly everything.
_SHOWN = 5


def check_runs(first: str, second: str, a: Run, b: Run, allow: Sequence[str] = ()) -> list[str]:
    """Refuse two runs that were not measured alike; methods, sets and versions of the quantiser may differ.

    Args:
        first: what the user calls the first run.
        second: the second.
        a: the first.
        b: the second.
        allow: facts of the servers that may differ, by the names that baselines are compared by.

    Returns:
        A warning of the differences that ``allow`` names.

    Raises:
        InputError: ``allow`` names no such fact.
        RefusedError: what else differs, with both values.
    """
    check_names(allow)
    fixed, facts = unlike(a, b)
    refused = [*fixed, *(words for name, words in facts.items() if name not in allow)]
    if refused:
        more = " ".join(f"--allow {name}" for name in facts if name not in allow)
        way = f", or mark the result as not comparable with {more}" if more and not fixed else ""
        told = refused[:_SHOWN] + ([f"and {len(refused) - _SHOWN} more"] if len(refused) > _SHOWN else [])
        raise RefusedError(
            f"{first} and {second} were not measured alike ({'; '.join(told)}): their KL cannot be compared; "
            f"measure both alike{way}; sets in their arms/ folders can be compared"
        )
    return [f"not comparable: {', '.join(facts)} differ (--allow)"] if facts else []


def unlike(a: Run, b: Run) -> tuple[list[str], dict[str, str]]:
    """What two runs were measured unlike in: what nobody can allow, and facts of the servers by name."""
    return [*_of_primary(a, b), *_of_prompts(a, b)], _of_servers(a, b)


def _of_primary(a: Run, b: Run) -> list[str]:
    found = []
    for name in _PRIMARY:
        one, other = getattr(a.primary, name), getattr(b.primary, name)
        if one != other:
            found.append(f"{_WORDS.get(name, name)}: {_value(one)} and {_value(other)}")
    kept = [next((arm.sparse["k"] for arm in run.arms if "k" in arm.sparse), None) for run in (a, b)]
    if kept[0] != kept[1] and a.primary.estimator != "full vocabulary":
        found.append(f"length of the stored lists: {_value(kept[0])} and {_value(kept[1])}")
    return found


def _of_prompts(a: Run, b: Run) -> list[str]:
    found = []
    for name in _IDENTITY:
        one, other = a.environment.get(name), b.environment.get(name)
        if one != other:
            what = f"model ({a.primary.model}, {b.primary.model})" if name == "model hash" else name
            found.append(f"{what}: {_value(one)} and {_value(other)}")
    same = a.per_prompt.ids == b.per_prompt.ids and a.per_prompt.tasks == b.per_prompt.tasks
    if not same and not any(words.startswith("held-out prompts") for words in found):
        found.append("held-out prompts: other ids or tasks")
    return found


def _of_servers(a: Run, b: Run) -> dict[str, str]:
    """Facts of the servers that differ; those in TOLD only where both runs tell them."""
    found = {}
    one, other = ({**run.environment, "dtype": run.primary.dtype} for run in (a, b))
    for name in (*COMPARABLE, *TOLD):
        if name in TOLD and (name not in one or name not in other):
            continue
        if name not in _IDENTITY and one.get(name) != other.get(name):
            found[name] = f"{_WORDS.get(name, name)}: {_value(one.get(name))} and {_value(other.get(name))}"
    return found


def _value(value: Any) -> str:
    return shown(value).removeprefix("on (").removesuffix(")") if isinstance(value, dict) else shown(value)
