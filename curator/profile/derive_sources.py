"""Sources for the tasks of an evaluation: our generators and the corpus cards that can be read here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from curator.corpora.card import Card
from curator.corpora.generators import GENERATORS
from curator.corpora.shelf import available
from curator.gates.language import NO_LINGUISTIC_CONTENT
from curator.profile.derive_mix import REFILL
from curator.profile.figures import Group

# Other names of the tasks that we have: of benchmarks, and of the contest's scorer.
_OTHER_NAMES = {
    "lcx": "qa",
    "squad": "qa",
    "hotpotqa": "qa",
    "mmlu": "mcq",
    "choice": "mcq",
    "choices": "mcq",
    "needle": "niah",
    "coding": "code",
    "humaneval": "code",
    "mbpp": "code",
    "gsm8k": "math",
}
# Cards are of short texts: a task with longer prompts gets a generator alone where there is one.
_LONG_PROMPT = 1_024


@dataclass(frozen=True, slots=True)
class TaskSources:
    """Where the text of a task comes from.

    Attributes:
        kind: the task of the cards, or the generator, that was chosen.
        sources: as recipes write them.
        languages: languages that they can give.
        elsewhere: sources that are not on this machine, with what they need.
        why: a comment where the choice is not by the task's own name.
    """

    kind: str
    sources: tuple[str, ...]
    languages: tuple[str, ...]
    elsewhere: tuple[str, ...]
    why: str


_NONE = TaskSources("", (), (), (), "")


def sources_for(
    task: str, group: Group, languages: Sequence[str], word: str, cards: Sequence[Card]
) -> TaskSources:
    """Sources for a task of an evaluation.

    Args:
        task: its name there.
        group: what its items are like.
        languages: what its items are in, without code; sources of others are left out.
        word: the task's name as YAML writes it.
        cards: all cards.
    """
    kind, why = kind_of(task, group, {*GENERATORS, *(card.task for card in cards)})
    found = _of_cards([card for card in cards if card.task == kind], languages, word)
    if kind in GENERATORS:
        written = _generated(kind, languages)
        made = [f"{{generate: {kind}, task: {word}{_option(language)}}}" for language in written]
        beside = found if group.prompt_tokens.median <= _LONG_PROMPT or not made else _NONE
        return TaskSources(
            kind,
            (*made, *beside.sources),
            tuple(dict.fromkeys([*written, *beside.languages])),
            beside.elsewhere,
            why,
        )
    if not found.sources and kind != REFILL:
        # Nothing here is for it: continuous text is the nearest.
        nearest = refill(languages, cards, word)
        return replace(
            nearest, elsewhere=found.elsewhere, why=f"no source here is for {kind}; prose is the nearest"
        )
    return replace(found, kind=kind, why=why)


def refill(languages: Sequence[str], cards: Sequence[Card], word: str = REFILL) -> TaskSources:
    """Continuous text in the languages asked for: prose from the cards."""
    prose = [card for card in cards if card.task == REFILL and not card.low_continuity]
    return replace(_of_cards(prose, languages, word), kind=REFILL)


def _of_cards(cards: Sequence[Card], languages: Sequence[str], word: str) -> TaskSources:
    # Items that are in no language that was told get English.
    languages = languages or ("en",)
    fits = [card for card in cards if card.language in (*languages, NO_LINGUISTIC_CONTENT)]
    given = {card.language for card in fits}
    if any(language not in given for language in languages):
        # A card of many languages costs more to look through than one of its own.
        fits += [card for card in cards if card.language == "mul"]
    here = [card for card in fits if card.dataset is None and not available(card)]
    return TaskSources(
        "",
        tuple(f"{{corpus: {card.id}, task: {word}}}" for card in here),
        tuple(dict.fromkeys(name for card in here for name in _languages(card, languages))),
        tuple(f"{{corpus: {card.id}, task: {word}}}  # {_needs(card)}" for card in fits if card not in here),
        "",
    )


def _languages(card: Card, languages: Sequence[str]) -> Sequence[str]:
    return languages if card.language == "mul" else [card.language]


def _needs(card: Card) -> str:
    return "fetched from a hub" if card.dataset is not None else f"needs: {available(card)}"


def _option(language: str) -> str:
    return f", options: {{language: {language}}}" if language != "en" else ""


def kind_of(task: str, group: Group, kinds: set[str]) -> tuple[str, str]:
    """Which of our tasks one is, by its name, else by what its items are; with a word where it is a guess."""
    small = task.lower()
    if small in kinds:
        return small, ""
    parts = [part for part in re.split(r"[^a-z0-9]+", small) if part]
    for part in (small, *parts):
        known = part if part in kinds else _OTHER_NAMES.get(part)
        if known in kinds:
            return known, f"taken for {known} by its name"
    if group.languages.get(NO_LINGUISTIC_CONTENT, 0) * 2 > group.items and "code" in kinds:
        return "code", "no task of ours has this name; its items are code"
    if group.gold_types.get("letter", 0) * 2 > group.items and "mcq" in kinds:
        return "mcq", "no task of ours has this name; its golds are letters of choices"
    return REFILL, "no task of ours has this name; continuous prose is the nearest"


def _generated(kind: str, languages: Sequence[str]) -> list[str]:
    """The languages asked for that a generator can write; English where none is asked for."""
    known = GENERATORS[kind].choices.get("language", ("en",))
    return [language for language in languages or ("en",) if language in known]
