"""How the questions about word counts are put. All wordings are ours, and like nobody's benchmark on purpose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

# A text, because a list of twenty would take twenty lines.
_NUMBERS = (  # noqa: SIM905
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
).split()
_CHARS_PER_TOKEN = 4.0


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put the task.

    Attributes:
        opening: stands before the words.
        question: stands after the words, with ``{many}``, such as "ten words".
        answer: the assistant's turn, with ``{words}``.
        item: how one word is written, with ``{word}`` and, in a numbered list, ``{number}``.
        gap: stands between two items.
    """

    opening: str
    question: str
    answer: str
    item: str = "{word}"
    gap: str = " "

    def tokens(self, words: Sequence[str]) -> float:
        """Rough tokens of all but the listed words, for an answer that names ``words``."""
        return len(self.opening + self.ask(len(words)) + self.reply(words)) / _CHARS_PER_TOKEN

    def ask(self, count: int) -> str:
        """The question for ``count`` words, 2 to 20."""
        return self.question.format(many=f"{_NUMBERS[count]} words")

    def reply(self, words: Sequence[str]) -> str:
        """The answer that names ``words``, two or more."""
        return self.answer.format(words=", ".join(words[:-1]) + " and " + words[-1])


CWE_CALIBRATION = (
    Wording(
        "This is the log of a label printer. Each label got a single word, and some came up again and again.",
        "Which {many} did the printer use most? Name them in the order in which they first turn up in the log.",
        "Printed most, in order of first use: {words}.",
        "{number}. {word}",
        "\n",
    ),
    Wording(
        "Visitors of a fair each wrote a word on a numbered card. The cards are copied out below.",
        "Find the {many} written on the most cards, sorted by the first card that has them.",
        "Counting the cards, these lead, the earliest first: {words}.",
        "{number}) {word}",
        "\n",
    ),
    Wording(
        "I noted every password my game accepted, with a running number. Most were accepted only a few times.",
        "Tell me the {many} that were accepted most often; keep the order of their first appearance.",
        "Accepted most often: {words}.",
        "#{number} {word}",
        "\n",
    ),
)
CWE_HELDOUT = (
    Wording(
        "The captain's signal book has one numbered entry for every flag word that was hoisted.",
        "By number of hoists, what are the top {many}? Order them by when each was hoisted first.",
        "Hoisted more than all others, by first hoist: {words}.",
        "{number}: {word}",
        "\n",
    ),
    Wording(
        "Below you see what a parrot said, one utterance to a line, numbered by its owner.",
        "Work out the parrot's favourite {many}, the one it said earliest at the front.",
        "The parrot's favourites: {words}.",
        "{number} - {word}",
        "\n",
    ),
    Wording(
        "Votes for the name of a boat follow, each ballot with its number and a single word.",
        "List the winning {many} of the ballot. Put first whichever was voted for first.",
        "With the most ballots, in order of their first vote: {words}.",
        "{number}, {word}",
        "\n",
    ),
)
FWE_CALIBRATION = (
    Wording(
        "A radio amateur took down this stream of code groups. Nobody knows what they stand for.",
        "Which {many} of the code were sent most often? Begin with the commonest.",
        "Sent most often, the commonest first: {words}.",
    ),
    Wording(
        "The following text is in a made-up language, written down without punctuation.",
        "Rank its {many} of highest frequency, from the highest down.",
        "By frequency, from the highest down: {words}.",
    ),
    Wording(
        "A machine wrote its states into this tape. Every state has a coded name of six letters.",
        "Count the states and give me the top {many}, starting with the largest count.",
        "The largest counts belong, in this order, to {words}.",
        gap="\n",
    ),
)
FWE_HELDOUT = (
    Wording(
        "Here is a cipher text from an exercise book, already split into its groups of letters.",
        "For a frequency attack I need the {many} that repeat the most, most repeated to the left.",
        "For the attack start with, most repeated to the left, {words}.",
    ),
    Wording(
        "The sensor wrote a tag whenever something passed it. These are all of its tags.",
        "What are the {many} seen at the sensor more than any other tag, in falling order?",
        "Seen more than any other tag, in falling order: {words}.",
        gap="\n",
    ),
    Wording(
        "Someone spoke in an invented tongue, and this is the transcript.",
        "Say which {many} the speaker used most, ordered from most to least used.",
        "From most to least used: {words}.",
    ),
)
