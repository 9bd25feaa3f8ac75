"""Whether the prompts of a batch were really decoded together, by what the server counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from curator._errors import ServerError
from curator.serve.http import Connection

# Fewer decode steps tell nothing: the server leaves out those at the ends of a batch.
_LEAST_STEPS = 16
# Of the mean that all prompts together would show.
_SHORT = 0.9


def read_decoded(connection: Connection) -> tuple[float, float] | None:
    """Decode steps, and sequences in them, since the server began; ``None`` where it does not count them."""
    try:
        loads = connection.get("/v1/loads?include=core").get("loads")
    except ServerError:
        return None
    ranks = [load for load in loads if isinstance(load, dict)] if isinstance(loads, list) else []
    totals = [load.get("decode_moments") for load in ranks]
    known = [total for total in totals if isinstance(total, list) and len(total) > 1]
    return (sum(total[0] for total in known), sum(total[1] for total in known)) if known else None


class Together:
    """Counts of one run.

    Args:
        read: takes the server's counts now.
    """

    def __init__(self, read: Callable[[], tuple[float, float] | None]) -> None:
        self._read = read
        self._before = read()
        self._steps = self._rows = self._retracted = 0

    def add(self, answers: Sequence[Mapping[str, Any]]) -> None:
        """Count a batch's answers."""
        lengths = [len(answer["output_ids"]) for answer in answers if isinstance(answer.get("output_ids"), list)]
        self._steps += max(lengths, default=0)
        self._rows += sum(lengths)
        for answer in answers:
            meta = answer.get("meta_info")
            retracted = meta.get("num_retractions") if isinstance(meta, dict) else None
            self._retracted += type(retracted) is int and retracted > 0

    def mean(self) -> float | None:
        """Sequences of a decode step, by the server's count; ``None`` where it tells too little."""
        now = self._read() if self._steps >= _LEAST_STEPS else None
        if now is None:
            return None
        steps, rows = (after - before for after, before in zip(now, self._before or (0.0, 0.0), strict=True))
        return rows / steps if steps >= _LEAST_STEPS // 2 else None

    def told(self, batch_size: int, mean: float | None) -> list[str]:
        """What the user should know, in words."""
        notes = []
        if self._retracted:
            notes.append(
                f"batch size {batch_size}: {self._retracted} prompts were put back and begun again, since the "
                "server's cache was full; lower the batch size"
            )
        wanted = self._rows / self._steps if self._steps else 0.0
        if mean is not None and mean < _SHORT * wanted:
            notes.append(
                f"batch size {batch_size}: the server decoded {mean:.1f} prompts at a time on average, where all "
                f"of a batch together would have been {wanted:.1f}"
            )
        return notes
