"""Finding, masking and refusing personal data of all kinds."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curator.gates.personal_data.check import check_personal_data, count_kinds
from curator.gates.personal_data.clues import Clues
from curator.gates.personal_data.find import find_personal_data
from curator.gates.personal_data.finding import PersonalData
from curator.gates.personal_data.mask import mask_personal_data

PIECES = [
    *[
        "joe@firm.com",
        "52.31.7.144",
        "4111 1111 1111 1111",
        "DE89370400440532013000",
        "+1 415 555 2671",
        "(415) 555-2671",
    ],
    *[
        "password=",
        "hunter2",
        "'S3cr3t!x'",
        "Bearer abcdef1234567890abcd",
        "://u:p4ss@",
        "2a00:1450:4001:81b::200e",
    ],
    *[
        "-----BEGIN " + "PRIVATE KEY-----",
        "MIIabc",
        "-----END PRIVATE KEY-----",
        "ghp_" + "aB3" * 12,
        "tel ",
        "secret",
    ],
    *[" ", "\n", ":", "=", "@", ".", "-", "+", "/", "1", "号", "x", "<", ">", '"', "(", ")", ",", "\ud800", "\0"],
]


def _mask(text: str) -> str:
    return mask_personal_data(text, find_personal_data(text))


def test_each_find_becomes_its_kind_and_the_rest_stays() -> None:
    text = "张伟 joe@firm.com,\t+1 415 555 2671\r\n4111 1111 1111 1111 52.31.7.144 "
    text += "DE89370400440532013000 password=hunter2"
    masked = "张伟 <EMAIL>,\t<PHONE>\r\n<CARD> <IP> <IBAN> password=<KEY>"
    assert _mask(text) == masked
    assert _mask(masked) == masked


SHAPES = [
    *["AK" + "IA" + "Q3" * 8, "github_" + "pat_" + "aB3" * 9, "glpat-" + "aB3x" * 5, "xoxb-" + "1a" * 10],
    *["sk-" + "proj-" + "aB3xY" * 8, "sk_" + "live_" + "aB3x" * 5, "hf_" + "aB3x" * 8, "npm_" + "aB3x" * 9],
    *["pypi-" + "AgE" + "aB3x" * 10, "SG" + "." + "aB" * 11 + "." + "cD" * 21 + "e", "AIza" + "aB3x" * 8],
    *["eyJ" + "aB3x" * 5 + ".eyJ" + "aB3x" * 5 + ".aB3xaB3x", "Authorization: Basic aB3xaB3x", "passwd"],
    *["SECRET_KEY", "passphrase", "secretkey", "api-key", "refresh_token", "privateKey", "é", "1.", "2a00:"],
]  # fmt: skip


@settings(max_examples=300)
@given(st.lists(st.sampled_from([*PIECES, *SHAPES]), max_size=8))
def test_no_clue_hides_a_find(pieces: list[str]) -> None:
    text = "".join(pieces)
    assert set(find_personal_data(text)) == set(_without_clues(text))


def _without_clues(text: str) -> tuple[PersonalData, ...]:
    """All searches, whatever the text looks like."""
    with pytest.MonkeyPatch.context() as patch:
        for clue in ("tokens", "header_values", "named_values", "ip_addresses", "long_numbers"):
            patch.setattr(Clues, clue, lambda _self: True)
        return find_personal_data(text)


def test_text_without_personal_data_is_the_same_text() -> None:
    text = "Two tides a day, twelve hours apart.\n"
    assert find_personal_data(text) == ()
    assert _mask(text) == text


@given(st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
def test_masking_twice_is_masking_once(text: str) -> None:
    found = find_personal_data(text)
    assert all(one.end <= other.start for one, other in itertools.pairwise(found))
    masked = _mask(text)
    assert _mask(masked) == masked
    assert find_personal_data(masked) == ()


def test_the_name_of_a_mask_is_no_word_before_a_number() -> None:
    assert find_personal_data("<PHONE> 13812345678") == ()


def test_finds_that_overlap_become_one_of_the_surer_kind() -> None:
    text = "password=joe1@firm.com"
    assert find_personal_data(text) == (PersonalData(9, len(text), "key"),)


def test_counts_and_refusal_never_tell_the_value() -> None:
    counts = count_kinds(find_personal_data("joe@firm.com, ann@firm.com, (415) 555-2671"))
    assert counts == {"email": 2, "phone": 1}
    drop = check_personal_data(counts)
    assert drop is not None
    assert (drop.reason, drop.detail) == ("personal_data", "2 email, 1 phone")
    assert check_personal_data(counts, max_count=3) is None
    assert check_personal_data({}) is None


@pytest.mark.parametrize(
    "unit",
    [
        *[
            "a",
            "@",
            "a@",
            "@a.",
            "7",
            "1.",
            "1 ",
            "+1 415 ",
            ":",
            "2ab1:",
            "password=",
            "=",
            "sk-",
            "eyJ.",
            "Bearer ",
        ],
        *["-----BEGIN ", "\u0301\u0323", "\ud800", "\0", "://a:", "DE89 ", "4111 ", '="', "(", "tel: 12345678 "],
    ],
)
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    # Quadratic work on 200,000 characters would take hours.
    text = unit * (200_000 // len(unit))
    assert all(one.end <= len(text) for one in find_personal_data(text))
