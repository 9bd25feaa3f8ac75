"""The text for llama-imatrix: whole rows where that can be, and a true count where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator._errors import InputError
from curator.adapters.imatrix import TextTokenizer, text_for_imatrix
from curator.adapters.stored_set import StoredSet

BOS, EOS, PAIR = 0, 1, 2
WORDS = {"<s>": BOS, "</s>": EOS, "ab": PAIR}


def encode(text: str) -> list[int]:
    """Letters are ids from 97; `ab` is one token, which two letters apart are not; control tokens are known."""
    ids = []
    while text:
        word = next((word for word in WORDS if text.startswith(word)), text[0])
        ids.append(WORDS[word] if word in WORDS else ord(word))
        text = text[len(word) :]
    return ids


def decode(ids: list[int]) -> str:
    names = {place: word for word, place in WORDS.items()}
    return "".join(names.get(token, chr(token)) for token in ids)


def tokenizer(start: list[int]) -> TextTokenizer:
    return TextTokenizer(encode, start, decode(start), frozenset({BOS, EOS}))


def stored(rows: list[list[int]]) -> StoredSet:
    return StoredSet(rows, [decode(row) for row in rows], {})


def letters(text: str) -> list[int]:
    return [ord(letter) for letter in text]


def test_equal_rows_that_begin_with_bos_arrive_whole() -> None:
    rows = [[BOS, *letters("xyz")], [BOS, *letters("pqr")], [BOS, *letters("stu")]]
    made = text_for_imatrix(stored(rows), tokenizer([BOS]))
    # The first BOS is the tool's; a line end is taken off the end.
    assert made.text == "xyz<s>pqr<s>stu\n"
    assert (made.context, made.chunks, made.whole, made.same_ids, made.dropped) == (4, 3, 3, 3, 0)
    assert made.adds_bos
    assert made.control == 3


def test_equal_rows_without_bos_arrive_whole_too() -> None:
    rows = [letters("xyz"), [*letters("pq"), EOS], letters("stu")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    assert made.text == "xyzpq</s>stu\n"
    assert (made.context, made.whole) == (3, 3)


def test_a_bos_that_the_set_does_not_have_is_counted_as_a_change() -> None:
    made = text_for_imatrix(stored([letters("wxyz"), letters("pqrs")]), tokenizer([BOS]))
    # BOS in front moves everything by one, and is written over the second chunk's first token.
    assert made.whole == 0
    assert made.retokenised == 9


def test_tokens_that_merge_across_a_border_move_what_follows() -> None:
    rows = [letters("xya"), letters("bpq"), letters("rst")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    assert made.same_ids == 3
    assert made.retokenised == 8
    # At most the longest row, and as little as can be is left over.
    assert (made.context, made.chunks, made.dropped, made.whole) == (2, 4, 0, 0)


def test_control_text_in_prose_is_not_the_same_row() -> None:
    rows = [letters("x</s>"), letters("abcde")[2:] + letters("fgh")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    assert made.same_ids == 1


def test_ragged_rows_are_cut_at_other_places() -> None:
    rows = [letters("xy"), letters("pqrs"), letters("tu")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    assert made.context == 4
    assert (made.same_ids, made.whole) == (3, 0)
    assert any("0 of 3 rows arrive as they are" in line for line in made.changes())


def test_a_text_that_ends_a_line_keeps_its_end() -> None:
    made = text_for_imatrix(stored([letters("xy\n"), letters("pq\n")]), tokenizer([]))
    assert made.text == "xy\npq\n\n"


@pytest.mark.parametrize("rows", [[], [letters("x")]])
def test_too_few_tokens_for_two_chunks_are_refused(rows: list[list[int]]) -> None:
    with pytest.raises(InputError, match="too few"):
        text_for_imatrix(stored(rows), tokenizer([]))


def test_the_command_names_file_and_context() -> None:
    made = text_for_imatrix(stored([letters("xyz"), letters("pqr")]), tokenizer([]))
    command = made.command(Path("my set.txt"))
    assert command == "llama-imatrix -m MODEL.gguf -f 'my set.txt' -c 3 --parse-special -o imatrix.gguf"
