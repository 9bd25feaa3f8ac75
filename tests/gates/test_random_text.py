"""Random text is found whatever it is made of; words, paths, numbers, code and every language are kept."""

from __future__ import annotations

import base64
import itertools
import random
import uuid

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.corpora.generators.words.english import WORDS
from curator.gates.random_text import check_random_text, find_random_text

RNG = random.Random(5)
UUIDS = [str(uuid.UUID(int=RNG.getrandbits(128), version=4)) for _ in range(40)]
BASE64 = base64.b64encode(RNG.randbytes(900)).decode()
PROSE = (
    "The inspector asked for the tide tables, and the clerk, who kept them in a biscuit tin, said that he had "
    "lent them to his brother. Nobody had seen the brother since the spring. When the wind turned, they both "
    "went down to the quay and looked at the marks on the wall, which were older than the tables and had never "
    "been wrong. It was high water at noon, so they waited. A boat came in with its sail half down, and the man "
    "in it called out that the channel was clear as far as the second buoy. "
)


def share(text: str) -> float:
    return find_random_text(text).share


def drawn(alphabet: str, low: int, high: int, words: int) -> str:
    return " ".join("".join(RNG.choices(alphabet, k=RNG.randint(low, high))) for _ in range(words))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (UUIDS[0], "uuid"),
        ("\n".join(UUIDS), "uuid"),
        ("\n".join(f"{first}={second}" for first, second in zip(UUIDS[::2], UUIDS[1::2], strict=True)), "uuid"),
        (BASE64, "base64"),
        (base64.encodebytes(RNG.randbytes(900)).decode(), "base64"),
        (base64.urlsafe_b64encode(RNG.randbytes(900)).decode(), "base64"),
        (base64.b32encode(RNG.randbytes(300)).decode(), "base32"),
        (RNG.randbytes(64).hex(), "hex"),
        (" ".join(RNG.randbytes(16).hex() for _ in range(20)), "hex"),
        (" ".join("0x" + RNG.randbytes(8).hex() for _ in range(20)), "hex"),
        (drawn("abcdefghijklmnopqrstuvwxyz", 3, 9, 60), "letters"),
        (drawn("абвгдежзийклмнопрстуфхцчшщъыьэюя", 3, 9, 60), "letters"),
        (drawn("abcdefghijklmnopqrstuvwxyz0123456789", 9, 9, 40), "codes"),
        (drawn("0123456789", 3, 9, 80), "digits"),
        (" ".join(RNG.choices(WORDS, k=120)), "words"),
        ("asdkfj qwpeori zxcmvn lkjwre piouqwe mxnzbv qlwekj alskdfj", "letters"),
        ("фыдвлж йцузк щшгекн ячмсит лдэжфы цуенкг ждрлоп", "letters"),
        ("ывапфж щцукй смитяч жэдлор шгнещз", "letters"),
        ("乎桌雨快轻石写脚云钱买左笑南纸停红岁饭吃深虫门早河灯冷买岸肉借短黑叶树哭", "characters"),
        ("δφγηξκλ ςερτυ θιοπα ζχψωβν μνβψχ", "letters"),
    ],
)  # fmt: skip
def test_junk_is_refused_and_named(text: str, kind: str) -> None:
    found = find_random_text(text)
    assert found.share > 0.8
    assert found.kinds.startswith(kind)
    drop = check_random_text(found.share, found.kinds, 0.2)
    assert drop is not None
    assert drop.reason == "random_text"


@pytest.mark.parametrize(
    "text",
    [
        PROSE + "The picture is kept as " + BASE64[:60] + " in the file.",
        "To learn typing, begin with abcdefghijklmnopqrstuvwxyz and go on with 0123456789.",
        "Encode the word boat and you get Ym9hdA==, which is longer but safe to send by mail.",
        "<p>Closed. See the board.</p><img src='data:image/gif;base64,R0lGODdhAQABAIAAAP'><p>Ask at the desk.</p>",
        "See https://example.org/projects/HarbourTools/releases/Version2/ReadMe for TideTableReader2Factory.",
        "from harbour.tables.readers import TideTableReader\nMAXIMUM_NUMBER_OF_BOATS_2 = 12345678901234567890\n",
        "/usr/lib/python3/site-packages/Harbour/TideTables/Readers/Version2/TestReader.py",
        "DONAUDAMPFSCHIFFFAHRTSGESELLSCHAFT AND OTHER LONG WORDS",
        "def depth(tide, keel):\n    return {k: v - keel for k, v in tide.items() if v > keel}\n",
        "SELECT name, length FROM boats WHERE built < 1950 AND moored = 1 ORDER BY length;",
        "The lamp is out,\n  the tide is in,\nand nobody has counted\nthe boats again",
        "| pier | boats |\n|---|---|\n| north | 12 |\n",
        "\\[ f'(x)=\\lim_{h\\to 0}\\frac{f(x+h)-f(x)}{h} \\]\nFor $f(x)=x^3$ this gives $3x^2$.",
        "- open the valve\n- turn the wheel right\n- wait for the water\n- close the cover",
        "Tides: https://example.org/t/2023?d=tue\nChart: https://example.org/c#quay\nFees: https://example.org/p",
        "Cheers, Martha.",
        "Съешь ещё этих мягких французских булок, да выпей чаю.",
        "Взвод вздрогнул: встреча с контрструктурой.",
        "Καλημέρα σας, πώς είστε σήμερα; Ελπίζω καλά.",
        "OK!",
        "ISBN 978-0-306-40615-7",
        "+44 20 7946 0018, weekdays 09:00-17:30",
        "食堂中午十一点半开始卖饭，晚上七点收摊。",
        "灯塔建于十九世纪，塔身由花岗岩砌成。\nThe lamp was lit by oil until 1921, when the cable came.\n"
        "此后灯光由马达转动，海上二十里外也能看见。",
        "训练时把 learning rate 设为 0.001，每个 batch 取 32 条样本，再用 validation loss 决定何时停止。",
        "板块之间的挤压使地壳隆起，形成山脉；岩浆沿裂缝上升，冷却后变成玄武岩。",
        "A surveyor measures boundaries, drafts detailed plans and advises owners on rights of way.",
        "港口办公室七点开门，第一班渡轮二十分钟后离开。",
        "港は朝七時に開き、最初の船は二十分後に出ます。",
        "항구 사무실은 일곱 시에 문을 열고 첫 배는 이십 분 뒤에 떠난다.",
        "สำนักงานท่าเรือเปิดเวลาเจ็ดโมงเช้าและเรือลำแรกออกหลังจากนั้นยี่สิบนาที",
        "የወደቡ ቢሮ በሰባት ሰዓት ይከፈታል፤ የመጀመሪያው ጀልባ ከሃያ ደቂቃ በኋላ ይነሳል።",
        "बंदरगाह का दफ़्तर सात बजे खुलता है और पहली नाव बीस मिनट बाद निकलती है।",
        "משרד הנמל נפתח בשעה שבע, והמעבורת הראשונה יוצאת כעבור עשרים דקות.",
        "يفتح مكتب الميناء في الساعة السابعة وتغادر العبارة الأولى بعد عشرين دقيقة.",
        "Mae swyddfa'r harbwr yn agor am saith ac mae'r fferi gyntaf yn gadael ugain munud wedyn.",
        "གྲུ་ཁའི་ལས་ཁུངས་ཆུ་ཚོད་བདུན་པར་སྒོ་འབྱེད་ཀྱི་རེད།",
        "",
        " \n\t",
    ],
)
def test_what_is_no_junk_is_kept(text: str) -> None:
    assert share(text) <= 0.2


def carried(line: str) -> str:
    return "\n".join(line.format(id=name, digest=RNG.randbytes(32).hex()) for name in UUIDS[:8])


@pytest.mark.parametrize(
    "text",
    [
        carried('{{"id": "{id}", "name": "Martha Quay", "boats": 3, "note": "pays in the spring"}},'),
        carried('[[package]]\nname = "harbour"\nversion = "1.2.0"\nchecksum = "{digest}"\nneeds = ["tides"]\n'),
        carried("commit {digest:.40}\nAuthor: Martha Quay <martha@example.org>\n\n    Count boats at low water\n"),
    ],
    ids=["json", "lock file", "git log"],
)  # fmt: skip
def test_ids_that_a_text_carries_are_kept(text: str) -> None:
    assert share(text) <= 0.2


@pytest.mark.parametrize("place", ["head", "middle", "tail"])
@pytest.mark.parametrize(
    "junk", ["\n".join(UUIDS[:20]), drawn("bcdfghjklmnpqrstvwxz", 4, 8, 120)], ids=["uuid", "letters"]
)
def test_a_stretch_in_good_text_is_found_where_it_is(junk: str, place: str) -> None:
    before = "" if place == "head" else PROSE * 3
    after = "" if place == "tail" else PROSE * 3
    found = find_random_text(f"{before}\n\n{junk}\n\n{after}".strip())
    start = len(before) + 2 if before else 0
    assert abs(found.spans[0].start - start) < 100
    assert abs(found.spans[-1].end - start - len(junk)) < 100
    assert found.stretch > 0.8 * len(junk)


def test_the_tail_of_a_long_text_is_seen() -> None:
    text = PROSE * 400
    junk = drawn("bcdfghjklmnpqrstvwxz", 4, 8, 200)
    assert share(text) < 0.01
    found = find_random_text(text + junk)
    assert found.stretch > 0.8 * len(junk)
    assert found.spans[0].start > len(text) - 100


def test_spans_are_in_order_and_apart() -> None:
    text = PROSE + "\n".join(UUIDS) + PROSE + drawn("qxzjkvw", 5, 9, 80) + BASE64
    spans = find_random_text(text).spans
    assert len(spans) > 2
    assert all(one.start < one.end <= two.start for one, two in itertools.pairwise(spans))


def test_the_limit_is_applied_to_the_stored_numbers_alone() -> None:
    assert check_random_text(0.5, "uuid 50%", 0.5) is None
    drop = check_random_text(0.64, "uuid 50%, hex 14%", 0.5)
    assert drop is not None
    assert drop.detail == "64% of the characters are random (uuid 50%, hex 14%), over 50%"


@settings(max_examples=60)
@given(st.text(st.characters(codec=None), max_size=400))
def test_any_text_has_a_share(text: str) -> None:
    found = find_random_text(text)
    assert 0 <= found.share <= 1
    assert found == find_random_text(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found.spans)


def test_half_characters_and_controls_do_no_harm() -> None:
    assert find_random_text("\ud800").share <= 1
    assert find_random_text("\x00" * 500 + "\u0301" * 500 + "\udfff" * 500).share <= 1


@pytest.mark.parametrize(
    "text",
    ["a" * 300_000, BASE64 * 200, "aA1" * 100_000, "12345678-1234-" * 20_000],
    ids=["a", "base64", "aA1", "uuid starts"],
)
def test_a_long_word_is_seen_to_its_end(text: str) -> None:
    found = find_random_text(text)
    assert found.share > 0.9
    assert found.spans[-1].end > 0.99 * len(text)


@pytest.mark.parametrize(
    "text",
    [
        "abcdefghijklmnopqrstuvwxyz",
        "The Greek alphabet: αβγδεζηθικλμνξοπρστυφχψω.",
        "Алфавит: абвгдеёжзийклмнопрстуфхцчшщъыьэюя.",
        "plate, spoon, kettle, ladle, whisk, grater, colander, cleaver",
        "rope\nanchor\nrudder\nmast\nkeel\nhull\ndeck\nbuoy",
        "a\x00b The reading room stays shut on Monday.",
    ],
)
def test_alphabets_and_short_lists_of_things_are_no_junk(text: str) -> None:
    assert find_random_text(text).share == 0


def test_an_index_is_no_junk_and_the_same_words_in_no_order_are() -> None:
    words = sorted({drawn("abdegiklmnoprstu", 5, 9, 1) for _ in range(90)})
    assert share(", ".join(words)) == 0
    RNG.shuffle(words)
    assert share(", ".join(words)) > 0.9
    # Numbers before the words put them in an order too.
    assert share("\n".join(f"{number:03}. {word}" for number, word in enumerate(words))) > 0.5
