"""Instructions, licences, templates and quoted passages are in ordinary texts too: alone they are no leak."""

from __future__ import annotations

import pytest

from curator.gates.drop import Drop
from curator.gates.leakage import EvalItem, Leakage, check_leakage
from curator.gates.leakage.asked import asked_spans

INSTRUCTIONS = [
    "Pick the best option from the list below.",
    "Read the following passage with care and then answer the question below by choosing one of the options.",
    "Answer the following multiple choice question. The last line of your response should be of the form ANSWER.",
    "You are a helpful assistant. Think step by step before you give your final answer.",
    "请阅读以下文章，然后回答问题。请从下列选项中选择正确的答案。",
]
LICENCES = [
    "Permission is given to copy, change and share this page for any purpose, free of charge, so long as the "
    "copyright notice stays on every copy.",
    "You may pass on and adapt these notes freely as long as this notice stays with every copy and the authors "
    "are credited.",
    'THIS SOFTWARE IS GIVEN "AS IS", WITHOUT WARRANTY OF ANY KIND, AND THE AUTHORS ARE NOT LIABLE FOR\nANY '
    "DAMAGES THAT COME OF ITS USE, EXPRESS OR IMPLIED.",
]
QUOTED = (
    "Whan that Aprille with his shoures soote the droghte of March hath perced to the roote and bathed every "
    "veyne in swich licour of which vertu engendred is the flour."
)
ASKED = "How many lamps does the keeper light on the northern reef?"


def _check(gate: Leakage, text: str) -> Drop | None:
    return check_leakage(gate.measure(text))


def _item(text: str) -> EvalItem:
    return EvalItem("e", text, asked_spans(text))


@pytest.mark.parametrize("phrase", [*INSTRUCTIONS, *LICENCES, QUOTED])
def test_a_shared_phrase_alone_is_no_leak_and_with_the_question_it_is(phrase: str) -> None:
    gate = Leakage([_item(f"{phrase} {ASKED}")])
    assert _check(gate, f"{phrase} Which rope is tied to the boom of a small boat?") is None
    assert _check(gate, f"# Notes\n\n{phrase}\n\ndef area(width, height):\n    return width * height\n") is None
    assert gate.measure(f"Unit 4. {phrase} {ASKED} (a) two (b) nine").item == "e"
    assert gate.measure(f"Unit 5. {ASKED}").item == "e"


@pytest.mark.parametrize("phrase", INSTRUCTIONS + LICENCES)
def test_phrases_are_known_by_their_words_where_nothing_is_asked(phrase: str) -> None:
    told = "The keeper of the northern reef lights nine lamps at dusk and trims the tenth by hand by midnight."
    gate = Leakage([EvalItem("e", f"{phrase}\n\n{told}")])
    assert _check(gate, f"{phrase} Which rope is tied to the boom of a small boat?") is None
    assert _check(gate, f"Note: {told}") is not None


def test_a_question_shorter_than_a_row_counts_with_what_is_before_it() -> None:
    before = "Pick the best option from the list below."
    gate = Leakage([_item(f"{before} What do otters carry under their arms?")])
    assert gate.measure(f"Unit 4. {before} What do otters carry under their arms? (a) salt").run >= 13
    # The same beginning of another question is none.
    assert _check(gate, f"Unit 4. {before} What do otters carry under their chins? (a) salt") is None
    assert _check(gate, "What do otters carry under their arms?") is None


def test_a_long_row_of_the_passage_is_evidence_without_the_question() -> None:
    passage = " ".join(f"stone{number} by wall{number % 9}" for number in range(100))
    gate = Leakage([_item(f"{passage}. {ASKED}")])
    words = passage.split()
    assert _check(gate, " ".join(words[:99])) is None
    assert gate.measure(" ".join(words[50:150])).run == 100


def test_what_many_items_share_is_their_template() -> None:
    template = "Zorbl the quonk as fendels require, minding every grist of the older brask before noon:"
    stories = [" ".join(f"s{item}w{number}" for number in range(30)) for item in range(40)]
    gate = Leakage(EvalItem(str(item), f"{template} {story}") for item, story in enumerate(stories))
    assert _check(gate, f"{template} something else that no item of this evaluation has in it at all") is None
    assert gate.measure(f"{template} {stories[7]}").item == "7"
    # Two items do not make a template.
    assert _check(Leakage(EvalItem(text, f"{template} {text}") for text in stories[:2]), template) is not None


def test_a_passage_with_a_few_questions_is_no_template() -> None:
    passage = " ".join(f"river{number}" for number in range(60))
    others = [EvalItem(f"o{item}", " ".join(f"o{item}w{number}" for number in range(30))) for item in range(90)]
    gate = Leakage([*(EvalItem(f"p{item}", f"{passage} part{item}") for item in range(4)), *others])
    assert gate.measure(passage).item == "p0"


def test_exempt_phrases_of_the_users_are_no_evidence() -> None:
    phrase = "Brought to you by the friends of the marsh museum, open on the first Sunday of every month from ten"
    items = [EvalItem("e", f"{phrase}. The bittern nests where the reeds stand thick, far from any path or dog.")]
    assert _check(Leakage(items), f"{phrase}. Welcome!") is not None
    gate = Leakage(items, ["another line\n" + phrase.upper()])
    assert _check(gate, f"{phrase}. Welcome!") is None
    assert _check(gate, "The bittern nests where the reeds stand thick, far from any path or dog.") is not None


def test_an_item_of_boilerplate_only_is_too_short() -> None:
    gate = Leakage([EvalItem("e", INSTRUCTIONS[1])])
    assert gate.too_short == ("e",)
    assert _check(gate, INSTRUCTIONS[1]) is None


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("It rained. Who was out? Nobody.", ["Who was out?"]),
        ("The ferry left at\nnoon. Where did it\ngo to?", ["Where did it\ngo to?"]),
        ("灯塔很旧。谁点灯？", ["谁点灯？"]),
        ("The reef is old. Name the keeper who lit it.", ["Name the keeper who lit it."]),
        ("Name the keeper who lit it.", []),
        ("The reef is old. The keeper is not.", []),
        ("", []),
    ],
)
def test_what_a_text_asks(text: str, asked: list[str]) -> None:
    assert [text[start:end] for start, end in asked_spans(text)] == asked
