"""The text for llama-imatrix: whole rows where that can be, and a true count where it cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator._errors import InputError
from curator.adapters.imatrix import Cut, TextTokenizer, text_for_imatrix
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
    assert (made.cut, made.shorter, made.same_ids) == (Cut(4, chunks=3, whole=3, dropped=0), None, 3)
    assert made.adds_bos
    assert made.control == 3


def test_equal_rows_without_bos_arrive_whole_too() -> None:
    rows = [letters("xyz"), [*letters("pq"), EOS], letters("stu")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    assert made.text == "xyzpq</s>stu\n"
    assert (made.cut.context, made.cut.whole) == (3, 3)


def test_a_bos_that_the_set_does_not_have_is_counted_as_a_change() -> None:
    made = text_for_imatrix(stored([letters("wxyz"), letters("pqrs")]), tokenizer([BOS]))
    # BOS in front moves everything by one, and is written over the second chunk's first token.
    assert made.cut.whole == 0
    assert made.retokenised == 9


def test_tokens_that_merge_across_a_border_move_what_follows() -> None:
    rows = [letters("xya"), letters("bpq"), letters("rst")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    assert made.same_ids == 3
    assert made.retokenised == 8
    # The rows' own length; what drops less is told, and not taken.
    assert made.cut == Cut(3, chunks=2, whole=0, dropped=2)
    assert made.shorter == Cut(2, chunks=4, whole=0, dropped=0)


def test_rows_before_a_merge_arrive_whole_at_the_length_of_the_rows() -> None:
    rows = [letters("xyzw"), letters("pqrs"), letters("klma"), letters("bcde")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    # 15 ids: 4 a chunk keep two rows and drop 3, where 15 // 4 = 3 a chunk would drop nothing and keep none.
    assert made.cut == Cut(4, chunks=3, whole=2, dropped=3)
    assert made.shorter == Cut(3, chunks=5, whole=0, dropped=0)
    assert "-c 4 " in made.command(Path("x"))
    assert "-c 3 would drop 0 tokens, not 3, and leave 0 rows as they are, not 2" in made.changes()


def test_a_shorter_cut_that_drops_more_is_not_told() -> None:
    made = text_for_imatrix(stored([letters("vwxyz"), letters("pqrst")]), tokenizer([BOS]))
    # 11 ids with BOS: one left over; at 11 // 3 = 3 a chunk it would be two.
    assert made.cut == Cut(5, chunks=2, whole=0, dropped=1)
    assert made.shorter is None
    assert not any("would drop" in line for line in made.changes())


@given(
    words=st.lists(
        st.lists(st.sampled_from([97, 98, 120, EOS, BOS]), min_size=1, max_size=9), min_size=2, max_size=9
    ),
    start=st.sampled_from([[], [BOS]]),
)
def test_whatever_the_rows_the_longest_is_the_cut_and_the_other_drops_less(
    words: list[list[int]], start: list[int]
) -> None:
    try:
        made = text_for_imatrix(stored(words), tokenizer(start))
    except InputError:
        return
    longest = max(map(len, words))
    assert made.cut.context == min(longest, made.retokenised // 2)
    assert made.cut.chunks >= 2
    for cut in filter(None, (made.cut, made.shorter)):
        assert cut.chunks * cut.context + cut.dropped == made.retokenised
        assert 0 <= cut.dropped < cut.context
    if made.shorter:
        assert made.shorter.dropped < made.cut.dropped
        assert len(start) < made.shorter.context < made.cut.context


def test_control_text_in_prose_is_not_the_same_row() -> None:
    rows = [letters("x</s>"), letters("abcde")[2:] + letters("fgh")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    assert made.same_ids == 1


def test_ragged_rows_are_cut_at_other_places() -> None:
    rows = [letters("xy"), letters("pqrs"), letters("tu")]
    made = text_for_imatrix(stored(rows), tokenizer([]))
    assert (made.cut.context, made.cut.dropped) == (4, 0)
    assert (made.same_ids, made.cut.whole) == (3, 0)
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
