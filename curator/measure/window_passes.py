"""The passes over the reference's finished windows: read at once, or decoded along their own tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from curator._progress import Advance
from curator.measure.baseline import pick
from curator.measure.fits import is_lists, is_whole
from curator.measure.full_logits import FullLogits
from curator.measure.lists_file import Arrays, pack
from curator.measure.partial import Partial
from curator.measure.work import Work
from curator.serve.interface import Window

# Of the vocabulary: an id is four bytes.
_MOST = 2**31 - 1


def prefill_windows(work: Work, partial: Partial, windows: Sequence[Window], size: int, advance: Advance) -> None:
    """Lists of windows that are read at once, and full-vocabulary logits where those are wanted and given."""
    settings = work.settings
    rows = [settings.picked(window) for window in windows]
    full = FullLogits(partial.folder, size, list(map(len, rows)))

    def ask(begin: int) -> Iterator[Arrays]:
        for index, scores in enumerate(work.server.score(windows[begin:], settings.top_k, size), begin):
            kept = pick(scores, rows[index])
            wanted = kept.logits if settings.full else None
            if wanted is not None:
                full.keep(index, wanted)
            yield {**pack(kept), "width": np.array(0 if wanted is None else wanted.shape[1])}

    def fits(index: int, arrays: Arrays) -> bool:
        # A prompt whose logits are lost is not done.
        listed = is_lists(arrays, len(rows[index])) and is_whole(arrays, "width", 0, _MOST)
        return listed and full.holds(int(arrays["width"]))

    partial.run(f"prefill-{size}", len(windows), size, ask, work.server, advance, fits)


def has_full(partial: Partial, size: int) -> bool:
    """Whether `prefill_windows` has kept full-vocabulary logits at a batch size."""
    first = partial.first(f"prefill-{size}")
    return first is not None and int(first["width"]) > 0


def force_windows(work: Work, partial: Partial, windows: Sequence[Window], size: int, advance: Advance) -> None:
    """Lists of windows that are decoded along their own tokens."""
    settings = work.settings
    rows = [settings.picked(window) for window in windows]

    def ask(begin: int) -> Iterator[Arrays]:
        for index, scores in enumerate(work.server.force(windows[begin:], settings.top_k, size), begin):
            yield pack(pick(scores, rows[index]))

    def fits(index: int, arrays: Arrays) -> bool:
        return is_lists(arrays, len(rows[index]))

    partial.run(f"decode-{size}", len(windows), size, ask, work.server, advance, fits)
