from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curator.corpora.document import Document, Message
from curator.select.pieces import Stretch, cut_pieces, cut_stretches


def document(text: str, messages: tuple[Message, ...] | None = None) -> Document:
    return Document("d", "c", "u", "prose", "en", "MIT", text, messages)


def cut(text: str, chars: int) -> list[str]:
    return [piece.text for piece in cut_pieces(document(text), chars)]


@given(st.text(alphabet="ab \n\t。", max_size=400), st.integers(2, 50))
def test_pieces_put_together_are_the_text(text: str, chars: int) -> None:
    pieces = list(cut_pieces(document(text), chars))
    assert "".join(piece.text for piece in pieces) == text
    assert all(0 < len(piece.text) <= chars for piece in pieces) or not text
    assert [piece.id for piece in pieces] == [f"d:{number}" for number in range(len(pieces))]


def test_the_last_paragraph_end_in_the_second_half_is_best() -> None:
    # Ends of paragraphs at 4, 12 and 16 of the first 20 characters.
    assert cut("aa\n\nbbbbbb\n\ncc\n\ndddddddddd", 20) == ["aa\n\nbbbbbb\n\ncc\n\n", "dddddddddd"]


def test_then_a_line_end_then_a_space_then_the_limit() -> None:
    assert cut("aaaaaa bb\nc d eeeeee", 12) == ["aaaaaa bb\n", "c d eeeeee"]
    assert cut("aaaaaa bb cc dd", 12) == ["aaaaaa bb ", "cc dd"]
    assert cut("aaaaaaaaaaaa", 5) == ["aaaaa", "aaaaa", "aa"]


def test_a_break_in_the_first_half_would_make_pieces_too_short() -> None:
    assert cut("aa\n\nbbbbbbbbbbbbbb", 10) == ["aa\n\nbbbbbb", "bbbbbbbb"]


def test_short_texts_and_conversations_stay_whole() -> None:
    assert cut("ab", 2) == ["ab"]
    assert cut("", 5) == [""]
    talk = document("hello\n\nthere", (Message("user", "hello"), Message("assistant", "there")))
    assert [piece.text for piece in cut_pieces(talk, 3)] == ["hello\n\nthere"]


@given(st.text(alphabet="ab \n。", max_size=600), st.integers(0, 5))
def test_stretches_put_together_are_the_text(text: str, seed: int) -> None:
    lengths = (Stretch(5, 10, 0.5), Stretch(40, 80, 0.5))
    pieces = list(cut_stretches(document(text), lengths, seed))
    assert "".join(piece.text for piece in pieces) == text
    # All but the last are of one of the lengths.
    assert all(5 <= len(piece.text) <= 10 or 40 <= len(piece.text) <= 80 for piece in pieces[:-1])
    assert all(len(piece.text) <= 80 for piece in pieces)


def test_stretches_have_their_shares_of_the_text() -> None:
    lengths = (Stretch(50, 100, 0.3), Stretch(400, 800, 0.7))
    text = "".join(f"word{number} " for number in range(40_000))
    pieces = [piece.text for piece in cut_stretches(document(text), lengths, 1)]
    short = sum(len(piece) for piece in pieces if len(piece) <= 100) / len(text)
    assert abs(short - 0.3) < 0.05
