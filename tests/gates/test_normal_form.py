"""Normal form C without the cost of sorting endless marks."""

from __future__ import annotations

import unicodedata

import pytest

from curator.gates.normal_form import nfc


@pytest.mark.parametrize(
    "text", ["plain", "cafe\u0301 \u1100\u1161\u11a8 \u0928\u093c", "q\u0323\u0307 q\u0307\u0323", "“—”"]
)
def test_is_normal_form_c(text: str) -> None:
    assert nfc(text) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("shift", range(0, 31, 5))
def test_a_million_marks_take_no_time(shift: int) -> None:
    # Sorting 500,000 marks one by one would take minutes.
    assert len(nfc("a" * shift + "e\u0301\u0323" + "\u0301\u0323" * 250_000)) > 500_000


def test_other_orders_of_marks_become_one_behind_a_long_run() -> None:
    run = "\u2500" * 80
    assert nfc(f"{run} a\u0301\u0323") == nfc(f"{run} a\u0323\u0301")
