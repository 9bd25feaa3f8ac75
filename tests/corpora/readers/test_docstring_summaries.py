import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.corpora.readers.docstring_summaries import BLANK, Summary, alike, summarise
from curator.corpora.readers.docstrings import Described, Kind


def summed(text: str, name: str = "Thing.fetch", kind: Kind = "method") -> Summary | None:
    return summarise("pkg.mod", Described(kind, name, text))


def sure(text: str, name: str = "Thing.fetch", kind: Kind = "method") -> Summary:
    summary = summed(text, name, kind)
    assert summary is not None
    return summary


def test_a_summary_is_the_first_sentence_and_more_when_that_is_short() -> None:
    enough = "Open a mailbox\nfor reading and writing. It is locked for as long as you need. A third, not needed."
    assert sure(enough).text == "Open a mailbox for reading and writing. It is locked for as long as you need."
    long = "Move every message that was deleted to the wastebasket folder of the user. Never shown."
    assert sure(long).text == long.removesuffix(" Never shown.")
    broken = "Split numbers, e.g. Roman ones, into their several digits. Tail here.\n\nNot this."
    assert sure(broken).text == "Split numbers, e.g. Roman ones, into their several digits. Tail here."


@pytest.mark.parametrize(
    "text",
    [
        "See the class documentation for all of the details.",
        "Same as the other function, but with more arguments.",
        "Deprecated, use another function for reading mail instead.",
        "Don't use this function, there is a better one now.",
        "lower case at the start of this summary sentence.",
        "Too short, this.",
        "Print the table of contents of an archive",
        "Return a value:: and then some code comes along.",
        "Give the number of messages " + "and of their parts " * 12 + "there.",
        "Return all of the given objects with their own.",
    ],
)
def test_texts_that_tell_too_little_have_no_summary(text: str) -> None:
    assert summed(text) is None


def test_own_names_are_blanked_others_stay() -> None:
    text = "Collect the mail of a Thing; unlike prefetch(), fetch() waits for things to arrive."
    summary = sure(text)
    assert (
        summary.blanked == f"Collect the mail of a {BLANK}; unlike prefetch(), {BLANK} waits for things to arrive."
    )
    assert summary.text == text
    assert summary.name == "pkg.mod.Thing.fetch"
    assert (summary.parent, summary.last) == ("pkg.mod.Thing", "fetch")
    assert summed("Tell which of the mailboxes has unread messages.", "which", "function") is None
    assert summed("Fetch what fetch fetches, then let fetch() wait for incoming mail.") is None


@given(name=st.from_regex(r"[a-z]{2,8}(_[a-z]{2,8})?", fullmatch=True))
def test_the_own_name_is_nowhere_left(name: str) -> None:
    text = f"Move messages, {name.upper()} or `{name}`, between several wooden mailboxes."
    summary = summed(text, name)
    if summary:
        assert not {name, name.upper()} & set(summary.blanked.replace("`", " ").replace(",", " ").split())


def test_descriptions_that_spell_the_name_are_known() -> None:
    assert sure("Replaces a header of the message by another one.", "M.replace_header").spells_name
    assert sure("Replaces a header of the message by another one.", "M.replaceHeader").spells_name
    assert not sure("Replaces a header of the message by another one.", "M.swap_header").spells_name
    assert not sure("Replaces a header of the message by another one.", "M.substitute").spells_name


def test_alike_are_twins_and_those_that_mention_each_other() -> None:
    one = sure("Write the buffered bytes to the underlying socket.", "A.flush")
    assert alike(one, one)
    assert alike(one, sure("Write buffered bytes to the underlying file.", "A.sync"))
    assert alike(one, sure("Reading from a pipe that nobody has opened yet.", "B.flush"))
    assert alike(one, sure("Forget everything that flush would send on.", "A.drop"))
    other = sure("Count the visitors of a garden on rainy Sundays.", "A.visitors")
    assert not alike(one, other) and not alike(other, one)


WORDS = ("open", "close", "pipe", "read", "write", "lock", "file", "wait", "task", "loop")
TEXTS = st.lists(st.sampled_from(WORDS), min_size=6, max_size=9)


@given(first=TEXTS, second=TEXTS)
def test_alike_goes_both_ways_and_follows_the_shared_words(first: list[str], second: list[str]) -> None:
    one, other = (summed(f"Do {' '.join(words)}.", name) for words, name in ((first, "aaa"), (second, "bbb")))
    if one and other:
        assert alike(one, other) == alike(other, one)
        shared, fewest = len(set(first) & set(second)), min(len(set(first)), len(set(second)))
        assert alike(one, other) == (2 * shared > fewest)
