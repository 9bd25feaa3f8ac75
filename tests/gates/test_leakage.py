"""Rows of words that an evaluation has are found however they are written, and in documents of any length."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Callable

import pytest

from curator.gates.drop import Drop
from curator.gates.leakage import EvalItem, Leak, Leakage, check_leakage

WORDS = [f"word{number}" for number in range(40)]
PROMPT = " ".join(WORDS)
STORY = (
    "The ferryman of Ørsted kept a ledger, bound in green cloth, of every crossing since the harbour froze; "
    "nobody but the “postmistress” had ever read the office's last page."
)
OTHER = "A gardener who plants late should water early and never on the leaves. "


def _check(gate: Leakage, text: str) -> Drop | None:
    return check_leakage(gate.measure(text))


def _gate(*texts: str) -> Leakage:
    return Leakage(EvalItem(f"e{number}", text) for number, text in enumerate(texts))


def test_thirteen_words_in_a_row_are_found_whatever_the_punctuation() -> None:
    gate = _gate(PROMPT)
    drop = _check(gate, "before, " + ", ".join(WORDS[20:33]).upper() + "; after")
    assert drop is not None
    assert drop.reason == "leakage"
    assert drop.detail.startswith("shares 13 words in a row with e0: 'word20 word21 ")
    assert _check(gate, "before " + " ".join(WORDS[20:32]) + " after") is None


def test_the_same_words_in_another_order_are_no_leak() -> None:
    assert _check(_gate(PROMPT), " ".join(reversed(WORDS))) is None


def test_a_shared_short_licence_phrase_is_no_leak() -> None:
    phrase = "Licensed under the Apache License, Version 2.0 (the License)."
    gate = _gate(phrase + " The ferry timetable of the northern islands was printed twice a year in the mill.")
    assert _check(gate, phrase + " A good map of the marsh shows the paths that stay dry, and two gates.") is None


def test_a_short_prompt_counts_as_a_whole() -> None:
    gate = _gate("Which pier does the second ferry leave from today?", "Hello there")
    assert _check(gate, "A: which pier does the second ferry leave from today") is not None
    assert _check(gate, "A: which pier does the second ferry leave from on Sunday?") is None
    assert _check(gate, "Hello there") is None
    assert gate.too_short == ("e1",)


def test_scripts_without_spaces_count_by_characters() -> None:
    gate = _gate(
        "港口办公室七点开门，第一班渡轮二十分钟后离开。",
        "ร้านหนังสือริมคลองเปิดตอนเจ็ดโมงเช้าและปิดเมื่อเรือเที่ยวสุดท้ายออกจากท่า",
    )
    leak = gate.measure("他说，港口办公室七点开门，第一班渡轮二十多分钟才走。")
    assert (leak.item, leak.run, leak.unit) == ("e0", 16, "characters")
    assert _check(gate, "港口办公室七点开门，第一班渡船很慢。") is None
    assert gate.measure("เขาบอกว่าร้านหนังสือริมคลองเปิดตอนเจ็ดโมงเช้าและปิดเมื่อเรือจอด").item == "e1"
    assert _check(gate, "ร้านหนังสือริมคลองเล็กมาก และแมวนอนอยู่หน้าร้านทุกวันจนถึงเย็น") is None


def test_nothing_held_out_refuses_nothing() -> None:
    assert _check(_gate(), PROMPT) is None
    assert _gate("").measure("") == Leak()


WAYS: dict[str, Callable[[str], str]] = {
    "wrapped": lambda text: textwrap.fill(text, 30),
    "quoted": lambda text: textwrap.indent(textwrap.fill(text, 30), "> "),
    "capitals": str.upper,
    "no punctuation": lambda text: text.replace(",", "").replace(".", "").replace(";", ""),
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "wide": lambda text: "".join(chr(ord(one) + 0xFEE0) if "!" <= one <= "~" else one for one in text),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0\u00a0"),
    "soft hyphens": lambda text: text.replace("er", "e\u00adr"),
    "straight quotes": lambda text: text.replace("“", '"').replace("”", '"'),
    "emphasis": lambda text: text.replace("ledger", "**ledger**").replace("every", "_every_"),
    "a part": lambda text: text[len(text) // 4 : -len(text) // 4],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_is_found_however_it_is_written(way: str) -> None:
    gate = _gate(PROMPT, STORY)
    text = f"{OTHER}\n{WAYS[way](STORY)}\n{OTHER.upper()[:30]}"
    assert gate.measure(text).item == "e1"


@pytest.mark.parametrize("way", ["wrapped", "decomposed", "soft hyphens", "wide"])
def test_the_span_is_where_the_row_stands_in_the_text(way: str) -> None:
    copy = WAYS[way](STORY)
    before = "Ünder ﬁve ½ signs: e\u0301. " * 3
    start, end = _gate(STORY).measure(f"{before}{copy} {OTHER}").span
    # The last full stop is no word.
    assert (start, end) == (len(before), len(before) + len(copy) - 1)


@pytest.mark.parametrize("place", [0, 50_000, 99_000])
def test_an_item_is_found_within_a_long_document(place: int) -> None:
    text = "".join(f"{OTHER}{number}. " for number in range(2_000))
    text = f"{text[:place]} {STORY} {text[place:]}"
    leak = _gate(STORY).measure(text)
    assert text[slice(*leak.span)] == STORY[:-1]
    assert leak.ratio == 1.0


def test_a_document_is_found_within_a_long_item() -> None:
    long = " ".join(f"page{number} of leaf{number // 7}" for number in range(4_000))
    leak = _gate(f"{long} {STORY} {long[::-1]}").measure(STORY)
    assert leak.ratio == 1.0
    # The apostrophe parts a word in two.
    assert leak.run == len(STORY.split()) + 1


def test_the_ratio_is_the_share_of_the_item_that_the_text_has() -> None:
    # Of the 28 rows of thirteen words, 20 words hold eight; the text has more words of its own.
    leak = _gate(PROMPT).measure(" ".join(WORDS[:20]) + " " + OTHER * 9)
    assert leak.ratio == pytest.approx(8 / 28)
    assert check_leakage(leak, 0.28) == Drop("leakage", f"shares 20 words in a row with e0: {leak.words!r}")
    assert check_leakage(leak, 0.29) is None
    assert check_leakage(Leak()) is None


def test_the_item_that_shares_most_is_told() -> None:
    gate = _gate(PROMPT, " ".join(WORDS[:20]))
    assert gate.measure(PROMPT).item == "e0"
    assert gate.measure(" ".join(WORDS[:20]) + " " + OTHER).item == "e1"


@pytest.mark.parametrize(
    "row",
    [
        " ".join(str(number) for number in range(10, 60)),
        "0.0, 1.0, 0.0, 1.0, " * 9,
        "a b c d e f g h i j k l m n o p q r s t u v w x y z",
        "no no no no no no no no no no no no no no no no",
        "January February March April May June July August September October November December",
        "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore",
    ],
)
def test_rows_that_say_nothing_are_no_evidence(row: str) -> None:
    assert _check(_gate(f"{STORY} {row}"), f"{OTHER} {row}") is None


@pytest.mark.parametrize(
    "text",
    [
        "\ud800" * 50 + PROMPT,
        "\0" + PROMPT + "\0",
        "x" * 1_000_000 + " " + PROMPT,
        "\u0301\u0316" * 100_000 + " " + PROMPT,
        "\ufdfa" * 20_000 + " " + PROMPT,
        "字" * 200_000 + " " + PROMPT,
        "<?:;.'\")](" * 50_000 + PROMPT,
    ],
    ids=["surrogates", "nulls", "one word", "marks", "ligatures", "no spaces", "punctuation"],
)
def test_hostile_text_neither_stops_nor_hides(text: str) -> None:
    assert _gate(PROMPT).measure(text).run == 40


@pytest.mark.parametrize(
    "text", ["\ud800\udfff \0 ", "\u0301" * 10_000, "?" * 50_000, "\n" * 50_000, "(\"'. " * 9_000]
)
def test_hostile_items_are_too_short_or_harmless(text: str) -> None:
    gate = _gate(text, PROMPT)
    assert gate.measure(PROMPT).item == "e1"
    assert _check(gate, OTHER) is None


def test_rows_that_many_items_have_are_each_ones() -> None:
    passage = " ".join(f"river{number}" for number in range(400))
    gate = _gate(*(f"{passage} question{number}" for number in range(40)))
    assert gate.measure(passage[502:1500]).ratio == 1.0
