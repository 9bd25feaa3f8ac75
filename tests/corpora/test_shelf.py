from pathlib import Path

import pytest

from curator._errors import InputError
from curator._shipped_files import shipped
from curator.corpora.card import Card
from curator.corpora.readers import READERS
from curator.corpora.shelf import available, find_card, load_cards, read_card


def test_every_shipped_card_is_readable_and_documented() -> None:
    cards = load_cards()
    assert list(cards) == sorted(path.stem for path in shipped("corpora").glob("*.yaml"))
    assert len(cards) == 8
    for card in cards.values():
        assert card.reader in READERS
        assert card.title
        assert bool(card.requires) == bool(card.install)


def test_unknown_card_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'python-stdlib'"):
        find_card("python-stdlb")
    with pytest.raises(InputError, match=r"choose one of: .*python-qa"):
        find_card("zzz")


def test_available_gives_the_line_to_type() -> None:
    card = find_card("python-qa")
    assert available(card) == ""
    missing = card.model_copy(update={"requires": "no-such-package-x", "install": "pip install it"})
    assert available(missing) == "pip install it"


CARD = "id: here\ntitle: t\nreader: python_qa\ntask: qa\nlanguage: 'en'\nlicence: MIT\norigin: o\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("id: [\n", r"here\.yaml:2: not YAML"),
        ("- 1\n", "a card is a mapping"),
        (CARD + "colour: red\n", "field 'colour'"),
        (CARD.replace("here", "there"), "call it 'here'"),
        (CARD.replace("python_qa", "nothing"), "no reader 'nothing'; choose one of: dataset_build"),
        (CARD + "title: twice\n", r"here\.yaml:\d+: not YAML"),
    ],
)
def test_a_broken_card_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "here.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=told):
        read_card(path)


def test_norwegian_stays_a_language(tmp_path: Path) -> None:
    path = tmp_path / "here.yaml"
    path.write_text(CARD.replace("'en'", "no"))
    assert read_card(path).language == "no"


def test_unknown_option_of_a_card_is_refused() -> None:
    card = find_card("python-qa")
    for options in ({"per_modul": 3}, {"per_module": "3"}, {"per_module": True}):
        with pytest.raises(InputError, match="per_modul"):
            next(READERS[card.reader](Card(**{**card.model_dump(), "options": options})))
