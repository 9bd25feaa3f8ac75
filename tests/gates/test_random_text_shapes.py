"""Random strings by shape: bytes, digits, broken encodings, characters from all over; and good text like them."""

from __future__ import annotations

import itertools
import random
import uuid

import pytest

from curator.gates.random_text import find_random_text
from curator.gates.random_text.shapes import find_shapes

TEXTS = {
    "ru": "Вчера вечером мы пошли гулять к реке и видели там уток, а потом долго пили чай на веранде у соседей.",
    "el": "Η βιβλιοθήκη ανοίγει κάθε μέρα στις εννέα το πρωί και κλείνει στις πέντε, εκτός από τις Κυριακές.",
    "zh": "图书馆每天上午九点开门，下午五点关门。昨天晚上我们去河边散步，看见了很多鸭子，回家时下起了小雨。",
    "ja": "図書館は毎日午前九時に開き、午後五時に閉まります。昨日の夜、川へ散歩に行きました。雨が降りました。",
    "uk": "Революції, традиції, лінії, функції та інші слова: їх є багато, і в них стоять поруч літери і та ї.",
    "fr": "L’été, d’être là, l’élève qu’à l’école on a félicité, et l’évêque, né à Évreux, qui l’a déjà dit.",
    "is": "Því að þá var það að þau fóru út á sjó, og þó að þá væri kalt, þá fóru þau þó, því að þá lá á því.",
    "vi": "Thư viện mở cửa mỗi ngày lúc chín giờ sáng và đóng cửa lúc năm giờ chiều, trừ những ngày chủ nhật.",
}


def drawn(seed: int) -> random.Random:
    return random.Random(seed)


def covered(text: str) -> float:
    return sum(span.end - span.start for span in find_shapes(text)) / len(text)


def kinds(text: str) -> set[str]:
    return {span.kind for span in find_shapes(text)}


_CODECS = ("latin-1", "cp1252", "koi8_r", "mac_roman", "cp437", "cp850")


@pytest.mark.parametrize(
    ("language", "codec"),
    [*itertools.product(("ru", "el"), _CODECS), ("ru", "cp1251"), ("ru", "cp866"), ("ru", "cp1250")],
)
def test_utf8_that_was_read_as_something_else_is_found(language: str, codec: str) -> None:
    broken = TEXTS[language].encode().decode(codec, errors="replace")
    assert kinds(broken) == {"mojibake"}
    assert covered(broken) > 0.9


@pytest.mark.parametrize(("language", "codec"), [("zh", "gbk"), ("ja", "gbk"), ("ru", "gbk"), ("zh", "shift_jis")])
def test_utf8_that_was_read_in_pairs_of_bytes_is_found(language: str, codec: str) -> None:
    assert covered(TEXTS[language].encode().decode(codec, errors="replace")) > 0.8


def test_text_that_was_broken_twice_is_found() -> None:
    once = TEXTS["ru"].encode().decode("cp1252", errors="replace")
    assert covered(once.encode().decode("cp1252", errors="replace")) > 0.9


def test_bytes_that_were_replaced_are_found() -> None:
    assert covered(TEXTS["zh"].encode().decode("ascii", errors="replace")) > 0.9


def test_a_broken_language_with_few_accents_is_found_too() -> None:
    text = "Les élèves déjà arrivés ont préféré dîner chez eux après la fête où l'été régnait; à côté, la forêt."
    assert covered(text.encode().decode("cp1252")) > 0.8


@pytest.mark.parametrize("language", TEXTS)
def test_no_language_is_taken_for_broken(language: str) -> None:
    assert find_shapes(TEXTS[language]) == []


def test_pictures_of_lines_and_blocks_are_not_broken() -> None:
    assert (
        find_shapes("██╗  █████╗ ███████╗██╗  ██╗\n██╔══██╗██╔══██╗██╔════╝██║  ██║\n├── a\n│   └── b\n" * 4) == []
    )


@pytest.mark.parametrize("gap", [" ", ":", ", ", "\n", "-"])
def test_random_bytes_one_by_one_are_found(gap: str) -> None:
    text = gap.join(f"{byte:02x}" for byte in drawn(1).randbytes(80))
    assert kinds(text) == {"hex"}
    assert covered(text) == 1


def test_a_list_of_hardware_addresses_is_random_and_one_in_a_table_is_not() -> None:
    draw = drawn(2)
    addresses = [":".join(f"{byte:02x}" for byte in draw.randbytes(6)) for _ in range(12)]
    assert covered("\n".join(addresses)) == 1
    assert (
        find_shapes("\n".join(f"| {name} | {one} |" for name, one in zip("abcdefghijkl", addresses, strict=True)))
        == []
    )


@pytest.mark.parametrize(
    "text",
    [
        "00 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00",
        "be ad de fa ed",
        "12:30:45 13:15:00 14:45:10 16:00:00",
    ],
)
def test_zeros_words_and_times_are_no_random_bytes(text: str) -> None:
    assert find_shapes(text) == []


@pytest.mark.parametrize(("low", "high", "gap"), [(4, 4, " "), (1, 9, " "), (6, 6, "\n"), (10, 10, " ")])
def test_random_groups_of_digits_are_found(low: int, high: int, gap: str) -> None:
    draw = drawn(3)
    text = gap.join("".join(draw.choices("0123456789", k=draw.randint(low, high))) for _ in range(60))
    assert kinds(text) == {"digits"}
    assert covered(text) > 0.95


@pytest.mark.parametrize(
    "text",
    [
        " ".join(map(str, range(100, 160))),
        " ".join(str(number * number) for number in range(10, 70)),
        "\n".join(f"{year} {1200 + 7 * year % 900} {year % 89}" for year in range(1950, 2000)),
        " ".join(
            f"{12 + tenth / 10:.1f}" for tenth in (3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6)
        ),
        "2021 2021 2022 2020 2021 2019 2020 2022 2021 2020 2019 2021 2022 2020 2021",
    ],
    ids=["count", "squares", "columns", "measured", "years"],
)
def test_numbers_that_mean_something_are_no_random_digits(text: str) -> None:
    assert find_shapes(text) == []


def test_a_count_is_kept_whatever_finds_it() -> None:
    assert find_random_text("5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20").share == 0


def test_characters_of_many_ancient_scripts_are_found_and_emoji_are_not() -> None:
    draw = drawn(4)
    assert kinds("".join(chr(draw.randrange(0x10000, 0x1F000)) for _ in range(80))) == {"characters"}
    assert find_shapes("🚀🔥🎉👍🙏😀😂🥲😍🤔💡🐈🌧📚🏃🎶" * 3) == []
    assert find_shapes("𐌰𐍄𐍄𐌰 𐌿𐌽𐍃𐌰𐍂 𐌸𐌿 𐌹𐌽 𐌷𐌹𐌼𐌹𐌽𐌰𐌼 𐍅𐌴𐌹𐌷𐌽𐌰𐌹 𐌽𐌰𐌼𐍉 𐌸𐌴𐌹𐌽") == []


@pytest.mark.parametrize(
    "text", ["", "\ud800" * 100, "\x00" * 100, "Ã" * 5000, "0 " * 5000, "ab " * 5000, "п÷" * 3000]
)
def test_hostile_text_is_looked_at_without_harm(text: str) -> None:
    assert all(0 <= span.start < span.end <= len(text) for span in find_shapes(text))


def _uuids(seed: int, count: int) -> list[str]:
    return [str(uuid.UUID(int=drawn(seed + number).getrandbits(128), version=4)) for number in range(count)]


@pytest.mark.parametrize("form", ["trace: {}", "session={}", "{},", "node - {}"])
def test_a_list_of_uuids_is_found_whatever_the_key_before_each(form: str) -> None:
    text = "\n".join([*(form.format(one) for one in _uuids(3, 5)), TEXTS["fr"]])
    assert [span.end - span.start for span in find_shapes(text)] == [36] * 5


def test_uuids_that_a_text_carries_are_none() -> None:
    one, two, three, four, five = _uuids(9, 5)
    assert not find_shapes("\n".join([*(f"trace: {each}" for each in (one, two, three)), TEXTS["fr"]]))
    assert not find_shapes(f'{{"id": "{one}", "up": "{two}", "by": "{three}", "to": "{four}", "at": "{five}"}}')
    assert not find_shapes("\n".join(f"order {each} shipped to the customer" for each in (one, two, three, four)))
