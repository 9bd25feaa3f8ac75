"""The corpus cards that ship, found by id."""

from __future__ import annotations

import difflib
import importlib.metadata
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from curator._errors import InputError
from curator._shipped_files import shipped
from curator.corpora.card import Card
from curator.corpora.readers import READERS


def load_cards() -> dict[str, Card]:
    """Read every shipped card, by its id, in the order of the ids.

    Raises:
        InputError: a card is not YAML, has a wrong or unknown field, an id other than its file name, or
            names a reader that does not exist.
    """
    cards = [read_card(path) for path in sorted(shipped("corpora").glob("*.yaml"))]
    return {card.id: card for card in sorted(cards, key=lambda card: card.id)}


def find_card(card_id: str) -> Card:
    """Find the shipped card with this id.

    Raises:
        InputError: there is none; the message names the nearest id, or all of them.
    """
    cards = load_cards()
    if card_id in cards:
        return cards[card_id]
    near = difflib.get_close_matches(card_id, cards, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"choose one of: {', '.join(cards)}"
    raise InputError(f"corpus {card_id!r}: no such card; {hint}")


def available(card: Card) -> str:
    """Say what to type before the card's text can be read here; an empty string when it can."""
    if not card.requires:
        return ""
    try:
        importlib.metadata.distribution(card.requires)
    except importlib.metadata.PackageNotFoundError:
        return card.install or f"pip install {card.requires}"
    return ""


def read_card(path: Path) -> Card:
    """Read one card from its YAML 1.2 file.

    Raises:
        InputError: as in `load_cards`; names the file and the line or field.
    """
    try:
        values: Any = YAML(typ="safe", pure=True).load(path.read_text(encoding="utf-8"))
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path}:{line}: not YAML ({error.problem})") from error
    except YAMLError as error:
        raise InputError(f"{path}: not YAML ({error})") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from error
    if not isinstance(values, dict):
        raise InputError(f"{path}: a card is a mapping of fields, such as `id: {path.stem}`")
    try:
        card = Card.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path}: field {field!r}: {first['msg']}") from error
    return _checked(card, path)


def _checked(card: Card, path: Path) -> Card:
    if card.id != path.stem:
        raise InputError(f"{path}: id {card.id!r} differs from the file name; call it {path.stem!r}")
    if card.reader not in READERS:
        raise InputError(f"{path}: no reader {card.reader!r}; choose one of: {', '.join(READERS)}")
    return card
