"""How a person may ask what a function, class or method does. All wordings are ours."""

from __future__ import annotations

from curator._seed import stable_hash

# {kind} is function, class or method; {name} is the full dotted name.
CALIBRATION = (
    "What does the {kind} `{name}` do?",
    "Can you explain the Python {kind} `{name}` to me?",
    "I came across `{name}` in some Python code. What is this {kind} for?",
    "Please summarise how the {kind} `{name}` behaves.",
    "How is the standard library {kind} `{name}` meant to be used?",
    "My colleague recommends `{name}`. What should I know about that {kind}?",
)
HELDOUT = (
    "Tell me about `{name}`, a {kind} of Python's standard library.",
    "In a code review someone asked about the {kind} `{name}`. Describe its purpose.",
    "Which behaviour is documented for `{name}`, the {kind}?",
    "I need a short description of the Python {kind} `{name}`, please.",
    "Before I call `{name}`: what is this {kind} documented to do?",
    "Write down what the documentation says about the {kind} `{name}`.",
)


def ask_about(kind: str, name: str, *, heldout: bool) -> str:
    """Word a question about ``name``; which wording depends on the name alone.

    Held-out units have wordings of their own, so that a held-out prompt never begins
    like a calibration sample.
    """
    wordings = HELDOUT if heldout else CALIBRATION
    return wordings[stable_hash("qa-wording", name) % len(wordings)].format(kind=kind, name=name)
