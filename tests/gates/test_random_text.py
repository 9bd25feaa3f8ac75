"""Random strings are found by shape; words, paths, numbers and code are not taken for them."""

from __future__ import annotations

import base64
import random
import time
import uuid

import pytest

from curator.gates.random_text import check_random_text, random_share

RNG = random.Random(5)
UUIDS = [str(uuid.UUID(int=RNG.getrandbits(128), version=4)) for _ in range(40)]
BASE64 = base64.b64encode(RNG.randbytes(900)).decode()
PROSE = "The inspector asked for the tide tables, and the clerk, who kept them in a biscuit tin, said no. " * 6


@pytest.mark.parametrize(
    "text",
    [
        UUIDS[0],
        "\n".join(UUIDS),
        BASE64,
        base64.encodebytes(RNG.randbytes(900)).decode(),
        base64.urlsafe_b64encode(RNG.randbytes(900)).decode(),
        base64.b32encode(RNG.randbytes(300)).decode(),
        RNG.randbytes(64).hex(),
        " ".join(RNG.randbytes(16).hex() for _ in range(20)),
        " ".join("0x" + RNG.randbytes(8).hex() for _ in range(20)),
    ],
    ids=["one uuid", "uuids", "base64", "wrapped", "url-safe", "base32", "hex", "hex words", "0x"],
)
def test_random_strings_are_dropped(text: str) -> None:
    assert random_share(text) > 0.9
    drop = check_random_text(text, 0.2)
    assert drop is not None
    assert drop.reason == "random_text"


@pytest.mark.parametrize(
    "text",
    [
        PROSE + "The picture is kept as " + BASE64[:60] + " in the file.",
        "To learn typing, begin with abcdefghijklmnopqrstuvwxyz and go on with 0123456789.",
        "Encode the word boat and you get Ym9hdA==, which is longer but safe to send by mail.",
        "See https://example.org/projects/HarbourTools/releases/Version2/ReadMe for TideTableReader2Factory.",
        "from harbour.tables.readers import TideTableReader\nMAXIMUM_NUMBER_OF_BOATS_2 = 12345678901234567890\n",
        "/usr/lib/python3/site-packages/Harbour/TideTables/Readers/Version2/TestReader.py",
        "DONAUDAMPFSCHIFFFAHRTSGESELLSCHAFT AND OTHER LONG WORDS",
        "effacedeffacedeffaced is no number",
        "e2e4e7e5g1f3b8c6f1b5a7a6b5a4g8f6 e1g1f6e4d2d4b7b5a4b3d7d5d4e5",
        "The lamp is out,\n  the tide is in,\nand nobody has counted\nthe boats again",
        "| pier | boats |\n|---|---|\n| north | 12 |\n",
        "港口办公室七点开门，第一班渡轮二十分钟后离开。",
        "",
        " \n\t",
    ],
)
def test_what_is_no_random_string_is_kept(text: str) -> None:
    assert check_random_text(text, 0.2) is None


def test_the_share_is_of_the_characters_without_spaces() -> None:
    words = "boat " * 9  # 36 characters without spaces, as many as a UUID
    assert random_share(words + UUIDS[0]) == 0.5
    assert check_random_text(words + UUIDS[0], 0.5) is None
    assert check_random_text(words + UUIDS[0], 0.499) is not None


def test_a_slash_does_not_hide_base64() -> None:
    assert BASE64.count("/") > 5
    assert random_share(BASE64) == 1.0


@pytest.mark.parametrize(
    "text",
    ["a" * 1_000_000, BASE64 * 800, "aA1" * 300_000, "a+" * 500_000, "a==" * 300_000, "12345678-1234-" * 70_000],
    ids=["a", "base64", "aA1", "a+", "a==", "uuid starts"],
)
def test_a_megabyte_takes_no_quadratic_time(text: str) -> None:
    begin = time.perf_counter()
    random_share(text)
    assert time.perf_counter() - begin < 5
