"""Decoding the held-out prompts with the reference: once for the windows, and again at other batch sizes.

Every pass, decoded or not, takes the prompts in one order and in batches of so many, whatever their limits: what
is in a prompt's batch is then the same when it is written, read and forced.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from curator._progress import Advance
from curator.measure.baseline import pick
from curator.measure.baseline_settings import Settings
from curator.measure.fits import is_continuation, is_lists, is_whole
from curator.measure.lists_file import Arrays, pack
from curator.measure.partial import Partial
from curator.measure.survival import common_prefix
from curator.measure.work import Work
from curator.serve.interface import Continuation, Sampling, Window

_WRITTEN = "written"


def decode_prompts(work: Work, partial: Partial, advance: Advance) -> None:
    """Decode greedily at the primary batch size."""
    size, settings, limits = work.sizes.real[0], work.settings, work.limits
    keep = max(limits) if settings.place == "spread" else settings.tokens
    lists = {"top_k": settings.top_k, "keep": keep} if "decode" in settings.phases else {}

    def ask(begin: int) -> Iterator[Arrays]:
        asked, most = work.encoded[begin:], limits[begin:]
        answers = work.server.generate(asked, Sampling(max(most)), size, limits=most, **lists)
        for ids, answer in zip(asked, answers, strict=True):
            yield _written(settings, ids, answer)

    def fits(index: int, arrays: Arrays) -> bool:
        if not is_continuation(arrays, limits[index], work.vocabulary):
            return False
        window = _window(work, index, arrays)
        return not lists or is_lists(arrays, len(settings.picked(window)))

    partial.run(_WRITTEN, len(limits), size, ask, work.server, advance, fits)


def written(work: Work, partial: Partial) -> list[Arrays]:
    """What `decode_prompts` kept of each prompt: ``new`` ids, whether they are ``finished``, lists where asked."""
    return partial.results(_WRITTEN, len(work.prompts))


def windows_of(work: Work, results: Sequence[Arrays]) -> list[Window]:
    """The prompts' windows with what was written."""
    return [_window(work, index, result) for index, result in enumerate(results)]


def decode_again(work: Work, partial: Partial, windows: Sequence[Window], size: int, advance: Advance) -> None:
    """Decode at another batch size, and count how far each prompt follows its window: the own survival."""
    limits = work.limits

    def ask(begin: int) -> Iterator[Arrays]:
        most = limits[begin:]
        answers = work.server.generate(work.encoded[begin:], Sampling(max(most)), size, limits=most)
        for window, answer in zip(windows[begin:], answers, strict=True):
            yield {"followed": np.array(common_prefix(window.ids[window.prompt :], answer.ids))}

    def fits(index: int, arrays: Arrays) -> bool:
        window = windows[index]
        return is_whole(arrays, "followed", 0, len(window.ids) - window.prompt)

    partial.run(f"again-{size}", len(limits), size, ask, work.server, advance, fits)


def followed(work: Work, partial: Partial, size: int) -> list[int]:
    """What `decode_again` counted, in the order of the prompts."""
    return [int(arrays["followed"]) for arrays in partial.results(f"again-{size}", len(work.prompts))]


def _window(work: Work, index: int, result: Arrays) -> Window:
    ids = work.encoded[index]
    return work.settings.window(len(ids), (*ids, *result["new"].tolist()))


def _written(settings: Settings, prompt: Sequence[int], answer: Continuation) -> Arrays:
    """A continuation, and the lists of its scored tokens where they were asked."""
    window = settings.window(len(prompt), (*prompt, *answer.ids))
    lists = {} if answer.scores is None else pack(pick(answer.scores, settings.picked(window)))
    return {"new": np.array(answer.ids, dtype=np.int32), "finished": np.array(answer.finished), **lists}
