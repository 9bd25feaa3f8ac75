from __future__ import annotations

from curator._errors import InputError
from curator.corpora.document import Document
from curator.select.endless import Count, EndlessSupply


def make(number: int, tokens: int, language: str, _count: Count | None) -> Document:
    if tokens < 10:
        raise InputError(f"{tokens} tokens are too few")
    return Document(f"g#{number}", "g", "g", "t", language or "und", "CC0-1.0", "x" * tokens)


def test_samples_are_numbered_on_and_made_to_measure() -> None:
    supply = EndlessSupply(make, lambda _tokens, _language, _count: 10)
    first, second = supply.piece(12, ""), supply.piece(30, "zh")
    assert first is not None and second is not None
    assert [piece.document.id for piece in (first, second)] == ["g#0", "g#1"]
    assert [len(piece.text) for piece in (first, second)] == [12, 30]
    assert second.document.language == "zh"


def test_what_is_too_short_to_be_made_is_told_and_takes_no_number() -> None:
    supply = EndlessSupply(make, lambda _tokens, _language, _count: 10)
    assert supply.piece(9, "") is None
    assert supply.refusal == "9 tokens are too few"
    piece = supply.piece(10, "")
    assert piece is not None and piece.document.id == "g#0"
    assert supply.refusal == ""


def test_a_sample_longer_than_others_is_passed_over() -> None:
    def uneven(number: int, tokens: int, language: str, _count: Count | None) -> Document:
        # Every third sample needs more than the others.
        if tokens < (30 if number % 3 == 0 else 10):
            raise InputError(f"{tokens} tokens are too few")
        return Document(f"g#{number}", "g", "g", "t", language or "und", "CC0-1.0", "x" * tokens)

    supply = EndlessSupply(uneven, lambda _tokens, _language, _count: 10)
    made = [supply.piece(tokens, "") for tokens in (20, 20, 20, 9, 40)]
    assert [piece and piece.document.id for piece in made] == ["g#1", "g#2", "g#4", None, "g#5"]
    # What always fails ends, however short samples are said to be.
    assert EndlessSupply(uneven, lambda _tokens, _language, _count: 1).piece(9, "") is None
