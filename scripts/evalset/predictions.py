"""What a made-up run answered: right answers, of which a given share is spoilt. No model is asked."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

from curator._seed import rng as seeded
from curator.profile.task_scoring import score_prediction
from evalset.items import CountText, Item

_EMPTY = "I could not find this in the text."


def made_up_rows(
    items: Iterable[Item], noise: float, seed: int, count: CountText, count_prompt: CountText
) -> Iterator[dict[str, Any]]:
    """Rows of a predictions file, marked as synthetic.

    Args:
        items: the set.
        noise: probability that an item is answered wrongly; of a list, that a word is left out.
        seed: of the spoiling.
        count: counts the tokens of an answer.
        count_prompt: counts those of a prompt as a server sees it, in the chat template.
    """
    for index, item in enumerate(items):
        prediction = _predicted(item, noise, seeded("evalset-noise", seed, index))
        yield {
            "index": index,
            "task": item.task,
            "gold": item.gold,
            "prediction": prediction,
            "score": score_prediction(item.task, prediction, item.gold),
            "input_tokens": count_prompt(item.question),
            "output_tokens": count(prediction),
            "synthetic": True,
        }


def _predicted(item: Item, noise: float, rng: random.Random) -> str:
    if isinstance(item.gold, str):
        return _chosen(item, item.gold, noise, rng)
    if item.task in ("fwe", "cwe"):
        kept = [gold for gold in item.gold if rng.random() >= noise]
        return item.answer if kept == item.gold else ", ".join(kept) or _EMPTY
    return item.answer if rng.random() >= noise else _EMPTY


def _chosen(item: Item, gold: str, noise: float, rng: random.Random) -> str:
    thought, _, _ = item.answer.rpartition("ANSWER:")
    letter = gold if rng.random() >= noise else rng.choice([one for one in "ABCD" if one != gold])
    return f"<think>\n{thought.strip()}\n</think>\n\nANSWER: {letter}"
