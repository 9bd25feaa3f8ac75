"""One label a text, whatever came before; no guess without evidence."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.gates.language import DETECTORS, NO_LINGUISTIC_CONTENT, UNDETERMINED, detect_language

TEXTS = {
    "en": "The harbour office opens at seven, and most people who work on the island take the second ferry.",
    "de": "Das Hafenamt öffnet um sieben Uhr, und die meisten Leute nehmen die zweite Fähre zur Insel.",
    "fr": "Le bureau du port ouvre à sept heures et la plupart des gens prennent le deuxième bateau.",
    "ru": "Контора порта открывается в семь часов, и большинство людей едет на втором пароме.",
    "zh": "港口办公室七点开门，第一班渡轮二十分钟后离开，所以大多数人坐第二班。",
    "ja": "港の事務所は七時に開き、最初の船は二十分後に出ます。",
    "ko": "항구 사무소는 일곱 시에 열고 첫 배는 이십 분 뒤에 떠난다.",
    "ar": "يفتح مكتب الميناء في الساعة السابعة وتغادر العبارة الأولى بعد عشرين دقيقة.",
    "hi": "बंदरगाह का कार्यालय सात बजे खुलता है और पहली नाव बीस मिनट बाद निकलती है।",
    "th": "สำนักงานท่าเรือเปิดเวลาเจ็ดโมงและเรือลำแรกออกในอีกยี่สิบนาที",
    "el": "Το γραφείο του λιμανιού ανοίγει στις επτά και το πρώτο πλοίο φεύγει μετά από είκοσι λεπτά.",
    "he": "משרד הנמל נפתח בשעה שבע והמעבורת הראשונה יוצאת כעבור עשרים דקות.",
}
# Scripts that no detector is asked about, because langdetect knows none of their languages.
OWN_SCRIPT = {
    "hy": "Նավահանգստի գրասենյակը բացվում է ժամը յոթին",
    "ka": "ნავსადგურის ოფისი იხსნება შვიდ საათზე",
    "am": "የወደቡ ቢሮ በሰባት ሰዓት ይከፈታል",
    "bo": "གྲུ་ཁའི་ལས་ཁུངས་ཆུ་ཚོད་བདུན་པར་སྒོ་འབྱེད།",
    "km": "ការិយាល័យកំពង់ផែបើកនៅម៉ោងប្រាំពីរ",
    "my": "ဆိပ်ကမ်းရုံးသည် ခုနစ်နာရီတွင် ဖွင့်သည်",
    "si": "වරාය කාර්යාලය හතට විවෘත වේ",
}
LATIN_FILLER = [
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore.",
    "Nunc feugiat mi a tellus consequat imperdiet. Vestibulum sapien proin quam etiam ultrices at eu nisl.",
    "Navis in portu est, sed nautae non omnes in nave sunt; ad insulam cum vento secundo navigant.",
]


@pytest.mark.parametrize("detector", DETECTORS)
@pytest.mark.parametrize("code", [*TEXTS, *OWN_SCRIPT])
def test_languages_have_their_bcp_47_code(code: str, detector: str) -> None:
    assert detect_language((TEXTS | OWN_SCRIPT)[code], detector) == code


@pytest.mark.parametrize("detector", DETECTORS)
def test_capitals_are_read_as_words(detector: str) -> None:
    text = "DO NOT WRITE BELOW THIS LINE. KEEP THIS FORM WITH YOUR PAPERS, PLEASE!!!"
    assert detect_language(text, detector) == "en"


@pytest.mark.parametrize("detector", DETECTORS)
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t",
        "2718 2818 284.59",
        "https://example.org/boats?year=1987&pier=north",
        "Mail anna.berg@example.org",
        "🙂🙂 🙃",
        "栈",
        "State: OK",
        "STATE: NOT OK",
        "Hotel taxi 5 km",
        "Radio bar taxi",
        "\ud800\udc00 \udfff",
        "\u0301" * 60,
        "\0" * 60,
        "x",
        "ha ha hahaha ahaha hahahaha ahahaha",
        "Zzzzzzzzzzzzzzzzzzzzzzzz",
    ],
)
def test_without_evidence_the_language_is_undetermined(text: str, detector: str) -> None:
    assert detect_language(text, detector) == UNDETERMINED


@pytest.mark.parametrize("detector", DETECTORS)
@pytest.mark.parametrize("text", LATIN_FILLER)
def test_filler_is_latin_or_nothing(text: str, detector: str) -> None:
    assert detect_language(text, detector) in {"la", UNDETERMINED}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("我们今天要 deploy 这个 model，然后 run 一下 test，看看结果对不对。", "zh"),
        ("The word 港口 means harbour in Chinese, and it is on each sign of the second pier.", "en"),
        ("The letters α, β and γ stand for the angles of the triangle in every figure of this book.", "en"),
        ("港口里有一家叫のり的小店，卖海苔，也卖茶。每天早上七点开门，晚上九点关门，周一休息。", "zh"),
        ("東京港の管理事務所", "ja"),
        ("東京港管理事務所長官", "zh"),
    ],
)
def test_mixed_scripts_go_by_the_weight_of_the_evidence(text: str, code: str) -> None:
    assert detect_language(text) == code


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Hafnarskrifstofan opnar klukkan sjö og flestir sem vinna á eyjunni taka aðra ferjuna þangað.", {"is"}),
        ("Лучка канцеларија се отвара у седам часова, а већина људи ће кренути другим бродом ђака.", {"sr"}),
        ("Кантора порта адчыняецца ў сем гадзін, і большасць людзей едзе на другім пароме ў горад.", {"be"}),
    ],
)
def test_letters_tell_languages_that_langdetect_does_not_know(text: str, codes: set[str]) -> None:
    assert detect_language(text) in codes


def test_words_of_no_language_have_none() -> None:
    words = "brabant kolodrin mesterat vulopar tindrask olamitor gresdon parvilat"
    text = " ".join(f"{word}{end}" for end in ("", "is", "en") for word in words.split())
    assert detect_language(text) == UNDETERMINED


@pytest.mark.parametrize("detector", DETECTORS)
def test_a_foreword_in_another_language_does_not_decide(detector: str) -> None:
    text = TEXTS["en"] + "\n" + "\n".join([TEXTS["de"]] * 12)
    assert detect_language(text, detector) == "de"


@pytest.mark.parametrize("detector", DETECTORS)
def test_a_label_is_the_same_a_hundred_times_whatever_came_before(detector: str) -> None:
    doubtful = "Le bureau ouvre tard. The office opens late. Der Laden ist zu. El barco sale."
    first = detect_language(doubtful, detector)
    others = list(TEXTS.values())
    for number in range(100):
        detect_language(others[number % len(others)], detector)
        assert detect_language(doubtful, detector) == first


def test_a_label_is_the_same_in_workers_and_where_others_use_the_libraries_too() -> None:
    texts = ["Le bureau ouvre tard. The office opens late.", "Video radio hotel taxi bar menu", *TEXTS.values()]
    asked = [(text, detector) for text in texts for detector in DETECTORS]
    code = (
        "import langdetect, multiprocessing, py3langid\n"
        "langdetect.DetectorFactory.seed = 11\nlangdetect.detect('one two')\n"
        "py3langid.set_languages(['fi', 'sw'])\n"
        "from curator.gates.language import detect_language\n"
        "with multiprocessing.get_context('fork').Pool(4) as pool:\n"
        f"    print(pool.starmap(detect_language, reversed({asked!r}), 1))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == str([detect_language(*pair) for pair in reversed(asked)])


@settings(max_examples=150)
@given(st.text(st.characters(codec=None, exclude_categories=()), max_size=600), st.sampled_from(list(DETECTORS)))
def test_any_text_has_one_label(text: str, detector: str) -> None:
    label = detect_language(text, detector)
    assert 2 <= len(label) <= 3
    assert detect_language(text, detector) == label


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "ab1" * 1_000_000, "@" * 10_000_000, "x=" * 1_000_000, "\u0301" * 1_000_000]
)
def test_huge_texts_cost_no_more_than_their_sample(text: str) -> None:
    assert detect_language(text) in {UNDETERMINED, NO_LINGUISTIC_CONTENT}
