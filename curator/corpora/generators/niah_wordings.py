"""How needles, questions and answers are worded. All wordings are ours.

They are like nobody's benchmark on purpose: a set built from a benchmark's own templates would rightly be
thrown out by a leakage check against that benchmark.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put the task.

    Attributes:
        opening: stands before the text.
        needle: the sentence hidden in the text, with ``{key}`` and ``{value}``.
        question: stands after the text, with ``{keys}``.
        answer: the assistant's sentence for one key.
    """

    opening: str
    needle: str
    question: str
    answer: str


CALIBRATION = (
    Wording(
        "The following pages contain a few locker notes. You will be asked about them at the end.",
        "The locker booked under {key} opens with {value}.",
        "According to the notes, what opens the locker booked under {keys}?",
        "The locker booked under {key} opens with {value}.",
    ),
    Wording(
        "Please go through this document carefully. Some parcel references were left in it.",
        "A parcel for {key} was filed as {value}.",
        "How was the parcel for {keys} filed?",
        "It was filed as {value} for {key}.",
    ),
    Wording(
        "Below is a long text in which a clerk wrote down seat assignments now and then.",
        "Clerk's remark: guest {key} takes seat {value}.",
        "Which seat did the clerk write down for guest {keys}?",
        "Guest {key} takes seat {value}.",
    ),
    Wording(
        "I pasted my reading notes here, and my call signs got mixed in with them.",
        "The call sign agreed with {key} is {value}.",
        "Find the call sign agreed with {keys}.",
        "With {key} the agreed call sign is {value}.",
    ),
)
HELDOUT = (
    Wording(
        "Somewhere in this material an archivist recorded shelf marks. Keep them in mind.",
        "Shelf mark of the folder {key}: {value}.",
        "Name the shelf mark of the folder {keys}.",
        "The folder {key} has the shelf mark {value}.",
    ),
    Wording(
        "Read everything up to the question, including the odd line about ferry bookings.",
        "Whoever travels as {key} holds booking {value}.",
        "Which booking is held by whoever travels as {keys}?",
        "Booking {value} is held by {key}.",
    ),
    Wording(
        "Here is a manual. A technician added the labels of spare parts while using it.",
        "Added by hand: spare part {key} carries label {value}.",
        "What label did the technician add for spare part {keys}?",
        "Spare part {key} carries label {value}.",
    ),
    Wording(
        "This is an excerpt from a handbook with garden plot numbers scattered through it.",
        "In the garden list, {key} is entered with {value}.",
        "With what is {keys} entered in the garden list?",
        "The garden list has {value} for {key}.",
    ),
)
