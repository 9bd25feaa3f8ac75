"""A limit on how far a file may expand while it is read: a few kilobytes can say hundreds of gigabytes."""

from __future__ import annotations

from dataclasses import dataclass

from curator._errors import InputError

# Text compresses 3 to 10 times, logs some 50 times.
STREAM_RATIO = 200
# Tables name a value once that all rows repeat, such as a long system prompt.
TABLE_RATIO = 1000
# Below it nothing is refused: it fits in memory, and small files of one word do expand that far.
FREE_BYTES = 64 << 20


@dataclass(slots=True)
class Inflation:
    """What was stored of a file, and what became of it.

    Attributes:
        name: what errors call the file.
        ratio: bytes that may come out for each stored one.
        stored: bytes that went in so far, or all the file's.
        grown: bytes that came out.
    """

    name: str
    ratio: int
    stored: int = 0
    grown: int = 0

    def add(self, grown: int) -> None:
        """Count bytes that came out, or are about to.

        Raises:
            InputError: they are more than this file may become.
        """
        self.grown += grown
        if self.grown > max(FREE_BYTES, self.ratio * self.stored):
            raise InputError(
                f"{self.name}: expands to over {self.ratio} times its size (at least {self.grown:,} bytes), a "
                "decompression bomb or one thing over and over; if you trust it, write it out without compression"
            )
