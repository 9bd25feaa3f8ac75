from pathlib import Path

import pytest

from curator._errors import InputError
from curator._shipped_files import shipped
from curator.corpora.card import Card
from curator.corpora.readers import READERS
from curator.corpora.shelf import available, find_card, load_cards
from curator.corpora.spdx import parse_licence

# Splits on which models are compared; calibrating on them would flatter a model.
HELD_BACK = ("test", "valid", "dev")


def test_every_shipped_card_is_readable_and_documented() -> None:
    cards = load_cards()
    assert list(cards) == sorted(path.stem for path in shipped("corpora").glob("*.yaml"))
    for card in cards.values():
        assert card.title and card.origin
        assert card.licence == "per-document" or parse_licence(card.licence) is not None, card.id
        assert not card.requires or card.install
        assert shipped("corpora").joinpath(f"{card.id}.yaml").read_text().startswith("# ")


def test_cards_of_the_hub_are_pinned_and_spare_what_models_are_tested_on() -> None:
    cards = [card for card in load_cards().values() if card.dataset is not None]
    assert {card.task for card in cards} >= {"prose", "chat", "code", "reasoning", "qa", "mcq"}
    assert {card.language for card in cards} >= {"en", "zh"}
    for card in cards:
        assert card.dataset is not None
        assert card.dataset.revision is not None and len(card.dataset.revision) == 40
        int(card.dataset.revision, 16)
        assert card.home == f"https://huggingface.co/datasets/{card.dataset.id}"
        assert card.dataset.data_files is not None
        assert not [word for word in HELD_BACK if word in card.dataset.data_files], card.id
        assert card.reading.columns.model_dump(exclude_none=True), "columns are said, not guessed"


def test_unknown_card_names_the_nearest() -> None:
    with pytest.raises(InputError, match="did you mean 'python-stdlib'"):
        find_card("python-stdlb")
    with pytest.raises(InputError, match=r"choose one of: .*python-qa.*, or a card's path \(x\.yaml\)"):
        find_card("zzz")


@pytest.mark.parametrize("name", ["../corpora/python-qa", "python-qa/", "", "python-qa.yml.bak"])
def test_a_shipped_card_is_found_by_its_id_only(name: str) -> None:
    with pytest.raises(InputError, match="no such card"):
        find_card(name)


def test_own_card_is_found_from_the_recipes_folder(tmp_path: Path) -> None:
    (tmp_path / "cards").mkdir()
    (tmp_path / "cards" / "mine.yaml").write_text(
        "id: mine\ntitle: t\ntask: prose\nlanguage: 'no'\nlicence: MIT\norigin: me\nfiles: [text/*.txt]\n"
    )
    card = find_card("./cards/mine.yaml", tmp_path)
    assert (card.id, card.folder, card.language) == ("mine", tmp_path / "cards", "no")
    assert find_card(str(tmp_path / "cards" / "mine.yaml"), Path("/elsewhere")) == card
    with pytest.raises(InputError, match=r"other\.yaml: no such file"):
        find_card("other.yaml", tmp_path)


def test_available_gives_the_line_to_type(tmp_path: Path) -> None:
    card = find_card("python-qa")
    assert available(card) == ""
    missing = card.model_copy(update={"requires": "no-such-package-x", "install": "pip install it"})
    assert available(missing) == "pip install it"
    assert available(find_card("squad")) == ""
    files = find_card("debian-reference-en").model_copy(update={"files": ["book.txt"], "folder": tmp_path})
    assert available(files) == "apt-get install debian-reference-en"
    (tmp_path / "book.txt").write_text("x")
    assert available(files) == ""


def test_unknown_option_of_a_card_is_refused() -> None:
    card = find_card("python-qa")
    for options in ({"per_modul": 3}, {"per_module": "3"}, {"per_module": True}):
        with pytest.raises(InputError, match="per_modul"):
            next(READERS[card.reader](Card(**{**card.model_dump(), "options": options})))


def test_a_card_in_a_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "mine.yaml").write_text(
        "id: mine\ntitle: t\ntask: prose\nlanguage: en\nlicence: MIT\norigin: me\nfiles: [x.txt]\n"
    )
    assert find_card("~/mine.yaml", Path("/elsewhere")).folder == tmp_path
    with pytest.raises(InputError, match=r"~nobody-is-called-this/mine\.yaml: no such file"):
        find_card("~nobody-is-called-this/mine.yaml", tmp_path)
