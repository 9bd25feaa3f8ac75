"""Text that says the same again: repeated lines, repeated word groups, text that packs to next to nothing."""

from curator.gates.repetition.measure import (
    Repetition,
    check_repetition,
    measure_repetition,
    measure_repetitions,
)

# Part of every stored score: scores of two versions are not compared. Since 2 texts are packed by zstd, not zlib.
VERSION = "2"

__all__ = ["VERSION", "Repetition", "check_repetition", "measure_repetition", "measure_repetitions"]
