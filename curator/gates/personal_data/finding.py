"""Where in a text personal data lies."""

from __future__ import annotations

from dataclasses import dataclass

# Finds that overlap become one of the earlier kind: the surer its shape, the earlier.
KINDS = ("key", "iban", "card", "email", "ip", "phone")

# What stands directly next to masked data was joined to it before, and no find: it must not become one. Put
# behind the first character of a pattern, and at its end.
NOT_AFTER_MASK = "".join(f"(?<!<{kind.upper()}>.)" for kind in KINDS)
NOT_BEFORE_MASK = f"(?!<(?:{'|'.join(KINDS).upper()})>)"


@dataclass(frozen=True, slots=True, order=True)
class PersonalData:
    """One find.

    Attributes:
        start: first character.
        end: behind the last character.
        kind: one of ``KINDS``.
    """

    start: int
    end: int
    kind: str
