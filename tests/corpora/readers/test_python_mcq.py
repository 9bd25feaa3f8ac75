import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass

import pytest
from scipy.stats import chisquare

from curator.corpora.document import Document
from curator.corpora.heldout_split import is_heldout
from curator.corpora.readers import python_mcq
from curator.corpora.readers.docstring_summaries import BLANK
from curator.corpora.readers.docstrings import described
from curator.corpora.readers.mcq_wordings import CALIBRATION, HELDOUT
from curator.corpora.readers.stdlib_files import library_files, library_source, library_unit
from curator.corpora.shelf import find_card


@dataclass
class Question:
    document: Document
    asked: str
    options: dict[str, str]
    answer: str
    reply: str

    @property
    def by_name(self) -> bool:
        return self.options["A"].startswith("`")


def parsed(document: Document) -> Question:
    assert document.messages is not None
    user, assistant = (message.content for message in document.messages)
    options = {}
    for line in user.split("\n"):
        match = re.match(r"[(\[]?([A-D])[)\].:] (.+)$", line)
        # A description may itself begin like an option ("A. ..."): options come in the order of the letters.
        if match and match[1] == "ABCD"[len(options) : len(options) + 1]:
            options[match[1]] = match[2]
    asked = user[: user.index(options["A"])]
    last = assistant.split("\n")[-1]
    assert re.fullmatch("ANSWER: [A-D]", last)
    return Question(document, asked, options, last[-1], assistant)


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    return [parsed(document) for document in python_mcq.read(find_card("python-mcq"))]


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The docstring of every public object, on one line, by its full name."""
    found: dict[str, str] = {}
    for file in library_files():
        for item in described(library_source(file)):
            found.setdefault(f"{file.module}.{item.name}", " ".join(item.text.split()))
    return found


def shown_description(question: Question) -> str:
    """What a question that asks for a name shows of the object."""
    for wording in CALIBRATION.which_name + HELDOUT.which_name:
        for kind in ("class", "function", "method or property"):
            before, _, after = wording.question.format(kind=kind, text="\0").partition("\0")
            shown = question.asked.rpartition("\n\n")[0]
            if shown.startswith(before) and shown.endswith(after):
                return shown.removeprefix(before).removesuffix(after)
    raise AssertionError(question.asked)


def begins(docstring: str, description: str) -> bool:
    parts = [re.escape(part) for part in description.split(BLANK)]
    return re.match(r"\w+(?:\(\))?".join(parts), docstring) is not None


def test_there_are_many_and_each_is_well_formed(questions: list[Question]) -> None:
    sides = Counter(is_heldout(question.document.unit) for question in questions)
    assert sides[False] >= 800 and sides[True] >= 100
    assert len({question.document.id for question in questions}) == len(questions)
    assert [question.document.unit for question in questions] == sorted(q.document.unit for q in questions)
    for question in questions:
        assert list(question.options) == ["A", "B", "C", "D"]
        assert len(set(question.options.values())) == 4
        document = question.document
        assert (document.task, document.language, document.licence) == ("mcq", "en", "Python-2.0")
    by_name = sum(question.by_name for question in questions)
    assert 0.3 * len(questions) < by_name < 0.6 * len(questions)


def test_the_answer_is_right_and_the_others_are_not(questions: list[Question], texts: dict[str, str]) -> None:
    for question in questions:
        name = question.document.id.removeprefix("python-mcq/")
        right = question.options[question.answer]
        wrong = [choice for letter, choice in question.options.items() if letter != question.answer]
        if question.by_name:
            assert right == f"`{name}`"
            description = shown_description(question)
            assert begins(texts[name], description), name
            assert not any(begins(texts[choice.strip("`")], description) for choice in wrong), name
        else:
            assert begins(texts[name], right), name
            assert not any(begins(texts[name], choice) for choice in wrong), name


def test_choices_are_of_the_unit_and_so_of_the_side_of_the_question(
    questions: list[Question], texts: dict[str, str]
) -> None:
    of_unit: dict[str, list[str]] = {}
    for name, text in texts.items():
        of_unit.setdefault(library_unit(name), []).append(text)
    for question in questions:
        assert library_unit(question.document.id.removeprefix("python-mcq/")) == question.document.unit
        for choice in question.options.values():
            if question.by_name:
                assert library_unit(choice.strip("`")) == question.document.unit
            else:
                assert any(begins(text, choice) for text in of_unit[question.document.unit]), choice


def test_the_question_does_not_contain_the_name_it_asks_for(questions: list[Question]) -> None:
    for question in questions:
        if question.by_name:
            last, shown = question.document.id.rpartition(".")[2], shown_description(question)
            assert not re.search(rf"(?i)(?<![\w.]){re.escape(last)}(?!\w)", shown), question.document.id


def test_the_letters_are_flat(questions: list[Question]) -> None:
    for heldout in (False, True):
        counts = Counter(q.answer for q in questions if is_heldout(q.document.unit) == heldout)
        assert chisquare([counts[letter] for letter in "ABCD"]).pvalue > 0.01, counts
    named = Counter(q.answer for q in questions if q.by_name)
    assert chisquare([named[letter] for letter in "ABCD"]).pvalue > 0.01, named


def test_the_sides_have_their_own_wordings(questions: list[Question]) -> None:
    openings = []
    for wordings in (CALIBRATION, HELDOUT):
        fields = [one.question for one in wordings.which_name + wordings.which_text]
        openings.append({field.partition("{")[0] for field in fields} - {""})
        assert all("{text}" in one.question for one in wordings.which_name)
        assert all("{name}" in one.question for one in wordings.which_text)
    assert not openings[0] & openings[1]
    closings = [{one.closing for one in side.which_name + side.which_text} for side in (CALIBRATION, HELDOUT)]
    assert not closings[0] & closings[1]
    for question in questions:
        own = closings[is_heldout(question.document.unit)]
        assert question.document.messages is not None
        asked = question.document.messages[0].content
        assert asked.split("\n")[-1] in own
        # A reader of the question is told what a blank is.
        assert asked.count(BLANK) != 1


def test_questions_of_a_unit_are_capped(monkeypatch: pytest.MonkeyPatch, questions: list[Question]) -> None:
    few = [file for file in library_files() if file.unit in ("python:queue", "python:shutil", "python:cmd")]
    monkeypatch.setattr(python_mcq, "library_files", lambda: iter(few))
    card = find_card("python-mcq").model_copy(update={"options": {"per_unit": 2}})
    documents = list(python_mcq.read(card))
    assert Counter(document.unit for document in documents) == {
        f"python:{name}": 2 for name in ("cmd", "queue", "shutil")
    }
    # The same questions as without the cap, word by word.
    assert {document.text for document in documents} <= {question.document.text for question in questions}


SCRIPT = """
import hashlib
from curator.corpora.readers import python_mcq
from curator.corpora.shelf import find_card
few = [file for file in python_mcq.library_files() if file.unit in ("python:queue", "python:shutil", "python:cmd")]
python_mcq.library_files = lambda: iter(few)
documents = list(python_mcq.read(find_card("python-mcq")))
print(len(documents), hashlib.sha256(repr(documents).encode()).hexdigest())
"""


def test_the_same_bytes_under_every_hash_seed() -> None:
    outputs = set()
    for hash_seed in ("0", "424242"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=True
        )
        outputs.add(done.stdout)
    (output,) = outputs
    assert int(output.split()[0]) > 20
