"""One label a text, whatever came before; no guess without evidence."""

from __future__ import annotations

import subprocess
import sys

import pytest

from curator.gates.language import check_language, detect_language

TEXTS = {
    "en": "The harbour office opens at seven, and most people who work on the island take the second ferry.",
    "de": "Das Hafenamt öffnet um sieben Uhr, und die meisten Leute nehmen die zweite Fähre zur Insel.",
    "fr": "Le bureau du port ouvre à sept heures et la plupart des gens prennent le deuxième bateau.",
    "ru": "Контора порта открывается в семь часов, и большинство людей едет на втором пароме.",
    "zh": "港口办公室七点开门，第一班渡轮二十分钟后离开，所以大多数人坐第二班。",
    "ja": "港の事務所は七時に開き、最初の船は二十分後に出ます。",
    "ko": "항구 사무소는 일곱 시에 열고 첫 배는 이십 분 뒤에 떠난다.",
    "ar": "يفتح مكتب الميناء في الساعة السابعة وتغادر العبارة الأولى بعد عشرين دقيقة.",
}


@pytest.mark.parametrize("code", TEXTS)
def test_languages_have_their_bcp_47_tag(code: str) -> None:
    assert detect_language(TEXTS[code]) == code


def test_capitals_are_read_as_words() -> None:
    assert detect_language("DO NOT WRITE BELOW THIS LINE. KEEP THIS FORM WITH YOUR PAPERS, PLEASE!!!") == "en"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "2718 2818 284.59",
        "https://example.org/boats?year=1987&pier=north",
        "🙂🙂 🙃",
        "栈",
        "State: OK",
        "Hotel taxi 5 km",
        "0b9d1a3c-5e7f-4a2b-8c6d-9e0f1a2b3c4d",
        "\\begin{align} \\int_0^2 y^3 \\, dy &= 4 \\\\ \\sum_{j=1}^m j &= \\frac{m(m+1)}{2} \\end{align}",
        "| id | qty |\n|----|-----|\n| 7 | 21 |",
        "Գրադարանը բաց է ամեն օր և փակվում է երեկոյան",
        "ቤተ መጻሕፍቱ በየቀኑ ክፍት ነው እና ምሽት ላይ ይዘጋል",
    ],
)
def test_without_evidence_the_language_is_undetermined(text: str) -> None:
    assert detect_language(text) == "und"


def test_a_label_is_the_same_a_hundred_times_whatever_came_before() -> None:
    doubtful = "Le bureau ouvre tard. The office opens late. Der Laden ist zu. El barco sale."
    first = detect_language(doubtful)
    others = list(TEXTS.values())
    for number in range(100):
        detect_language(others[number % len(others)])
        assert detect_language(doubtful) == first
    code = f"from curator.gates.language import detect_language as d; print(d({doubtful!r}))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == first


def test_only_allowed_languages_pass() -> None:
    assert check_language(TEXTS["en"], ["en"]) is None
    assert check_language("12345", ["en", "und"]) is None
    drop = check_language(TEXTS["de"], ["en", "zh"])
    assert drop is not None
    assert (drop.reason, drop.detail) == ("language", "de, not one of en, zh")
