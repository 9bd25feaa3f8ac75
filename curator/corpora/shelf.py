"""The corpus cards that ship, found by id, and the user's own, found by path."""

from __future__ import annotations

import importlib.metadata
import os
from pathlib import Path

from curator._errors import InputError, did_you_mean
from curator._shipped_files import shipped
from curator.corpora.card import Card
from curator.corpora.card_file import read_card as read_card
from curator.corpora.file_patterns import find_files

_SUFFIXES = (".yaml", ".yml")


def load_cards() -> dict[str, Card]:
    """Read every shipped card, by its id, in the order of the ids.

    Raises:
        InputError: a card has a fault; see `read_card`.
    """
    return {path.stem: read_card(path) for path in sorted(shipped("corpora").glob("*.yaml"))}


def find_card(name: str, folder: Path | None = None) -> Card:
    """Find a card: a shipped one by its id, the user's own by the path of its file.

    Args:
        name: the id, or a path that ends in ``.yaml``.
        folder: what a relative path starts from, such as the recipe's folder; the working folder by default.

    Raises:
        InputError: there is none; the message names the nearest id, or all of them. Or the card has faults.
    """
    if name.endswith(_SUFFIXES):
        return read_card((folder or Path()) / os.path.expanduser(name))
    file = shipped("corpora") / f"{name}.yaml"
    ids = sorted(path.stem for path in shipped("corpora").glob("*.yaml"))
    if name in ids:
        return read_card(file)
    hint = did_you_mean(name, ids, f"choose one of: {', '.join(ids)}, or a card's path (x.yaml)", repr)
    raise InputError(f"corpus {name!r}: no such card; {hint}")


def available(card: Card) -> str:
    """Say what to type before the card's text can be read here; an empty string when it can.

    A data set of the hub counts as readable: it is fetched when it is opened.
    """
    if card.files is not None:
        try:
            find_files(card.files, card.folder)
        except InputError as error:
            return card.install or str(error)
        return ""
    if not card.requires:
        return ""
    try:
        importlib.metadata.distribution(card.requires)
    except importlib.metadata.PackageNotFoundError:
        return card.install or f"pip install {card.requires}"
    return ""
