"""How multiple-choice questions about the standard library are put and answered. All wordings are ours."""

from __future__ import annotations

from dataclasses import dataclass

# Docstrings of properties are read as methods'.
KINDS = {"class": "class", "function": "function", "method": "method or property"}


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put a question.

    Attributes:
        question: with ``{kind}`` (one of `KINDS`) and what is asked about: ``{text}`` or ``{name}``.
        option: how a choice is written, with ``{letter}`` and ``{choice}``.
        closing: how the answer is to be given.
        reason: the answer's reasoning, with ``{letter}``, ``{name}``, ``{text}`` and, of another choice,
            ``{other_letter}``, ``{other_name}`` and ``{other_text}``.
    """

    question: str
    option: str
    closing: str
    reason: str


@dataclass(frozen=True, slots=True)
class Wordings:
    """The wordings of one side of the held-out split.

    Attributes:
        which_name: asks which object a description belongs to.
        which_text: asks which description belongs to an object.
        blank: what the blanks in descriptions are, added where there is one.
    """

    which_name: tuple[Wording, ...]
    which_text: tuple[Wording, ...]
    blank: str


CALIBRATION = Wordings(
    which_name=(
        Wording(
            "Which {kind} is this line of Python's documentation about?\n\n{text}",
            "{letter}) {choice}",
            "Say why in a sentence or two. Your last line must be ANSWER: and the letter.",
            'It is `{name}`, documented with the words "{text}" Choice {other_letter} does not fit: '
            '`{other_name}` comes with "{other_text}"',
        ),
        Wording(
            "A {kind} of Python's standard library is described like this:\n\n{text}\n\nWhat is it called?",
            "{letter}. {choice}",
            "Reason briefly, then finish with the line ANSWER: followed by one letter.",
            "The manual has this to say on `{other_name}`, choice {other_letter}: {other_text} That is "
            "something else. What it has on `{name}` agrees with the question: {text}",
        ),
        Wording(
            "Match the description with a {kind} from the list.\n\nDescription: {text}",
            "[{letter}] {choice}",
            "Explain your choice in short and close with ANSWER: plus the letter, on a line of its own.",
            "Of `{name}` the documentation says: {text} So {letter} matches the description, whereas "
            "{other_letter}, `{other_name}`, is there for another purpose: {other_text}",
        ),
    ),
    which_text=(
        Wording(
            "Which of these four sentences documents the Python {kind} `{name}`?",
            "{letter}) {choice}",
            "Say why in a sentence or two. Your last line must be ANSWER: and the letter.",
            'Sentence {letter} does: `{name}` is documented with "{text}" Sentence {other_letter} is about '
            "`{other_name}`.",
        ),
        Wording(
            "You meet the {kind} `{name}` in a Python program. What is it for?",
            "{letter}. {choice}",
            "Reason briefly, then finish with the line ANSWER: followed by one letter.",
            "Its documentation begins like this: {text} What {other_letter} says is true of `{other_name}`.",
        ),
        Wording(
            "Pick the right description of `{name}` (a {kind} of the standard library).",
            "[{letter}] {choice}",
            "Explain your choice in short and close with ANSWER: plus the letter, on a line of its own.",
            "Description {other_letter} is that of `{other_name}`. On `{name}` one reads: {text} Hence {letter}.",
        ),
    ),
    blank="(Names that would give the answer away are written ____.)",
)
HELDOUT = Wordings(
    which_name=(
        Wording(
            "Quiz on the Python library. The purpose of a certain {kind} was put down as follows. {text} Name it.",
            "{letter}: {choice}",
            "Begin with your grounds; the reply ends in a line that has ANSWER: and the letter you chose.",
            "My grounds: {text} This is what `{name}` is made for. Had {other_letter} been meant, that is "
            "`{other_name}`, it would read: {other_text}",
        ),
        Wording(
            "Given the summary below, tell which {kind} was summarised.\n\n> {text}",
            "({letter}) {choice}",
            "Think first, in few words. Put ANSWER: and your letter at the very end, as a separate line.",
            "The summary of `{name}` is: {text} For comparison, the one of `{other_name}` ({other_letter}) is: "
            "{other_text} Only the former is the one shown.",
        ),
    ),
    which_text=(
        Wording(
            "Quiz on the Python library. What purpose does the {kind} `{name}` have?",
            "{letter}: {choice}",
            "Begin with your grounds; the reply ends in a line that has ANSWER: and the letter you chose.",
            "My grounds: {text} That introduces `{name}`, while {other_letter} introduces `{other_name}`.",
        ),
        Wording(
            "Four summaries were mixed up. One of them belongs to the {kind} `{name}`; find it.",
            "({letter}) {choice}",
            "Think first, in few words. Put ANSWER: and your letter at the very end, as a separate line.",
            "`{other_name}` is the owner of summary {other_letter}. The one of `{name}` goes: {text} It is "
            "listed under {letter}.",
        ),
    ),
    blank="Wherever you see ____ a name was taken out.",
)
