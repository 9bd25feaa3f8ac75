"""Decoding the held-out prompts with the BF16 model: once for the windows, and again at other batch sizes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from curator._progress import Advance
from curator.measure.baseline import pick
from curator.measure.baseline_settings import Settings
from curator.measure.lists_file import pack
from curator.measure.partial import Arrays, Partial
from curator.measure.survival import common_prefix
from curator.measure.work import Work
from curator.serve.interface import Continuation, Sampling, Window


def decode_prompts(work: Work, partial: Partial, advance: Advance) -> None:
    """Decode greedily at the primary batch size, prompts of one limit together, whatever their places."""
    size, settings = work.sizes.real[0], work.settings
    keep = {limit: limit if settings.place == "spread" else settings.tokens for limit in work.groups}
    for limit, places in work.groups.items():

        def ask(begin: int, limit: int = limit, places: Sequence[int] = places) -> Iterator[Arrays]:
            asked = [work.encoded[place] for place in places[begin:]]
            lists = {"top_k": settings.top_k, "keep": keep[limit]} if "decode" in settings.phases else {}
            answers = work.server.generate(asked, Sampling(limit), size, **lists)
            for ids, answer in zip(asked, answers, strict=True):
                yield _written(settings, ids, answer)

        partial.run(f"written-{limit}", len(places), size, ask, work.server, advance)


def written(work: Work, partial: Partial) -> list[Arrays]:
    """What `decode_prompts` kept of each prompt: ``new`` ids, whether they are ``finished``, lists where asked."""
    return work.in_order(
        {limit: partial.results(f"written-{limit}", len(own)) for limit, own in work.groups.items()}
    )


def windows_of(work: Work, results: Sequence[Arrays]) -> list[Window]:
    """The prompts' windows with what was written."""
    return [
        work.settings.window(len(ids), (*ids, *result["new"].tolist()))
        for ids, result in zip(work.encoded, results, strict=True)
    ]


def decode_again(work: Work, partial: Partial, windows: Sequence[Window], size: int, advance: Advance) -> None:
    """Decode at another batch size and count how far each prompt follows its window: BF16's own survival."""
    for limit, places in work.groups.items():

        def ask(begin: int, limit: int = limit, places: Sequence[int] = places) -> Iterator[Arrays]:
            rest = places[begin:]
            answers = work.server.generate([work.encoded[place] for place in rest], Sampling(limit), size)
            for place, answer in zip(rest, answers, strict=True):
                window = windows[place]
                yield {"followed": np.array(common_prefix(window.ids[window.prompt :], answer.ids))}

        partial.run(f"again-{size}-{limit}", len(places), size, ask, work.server, advance)


def followed(work: Work, partial: Partial, size: int) -> list[int]:
    """What `decode_again` counted, in the order of the prompts."""
    counts = work.in_order(
        {limit: partial.results(f"again-{size}-{limit}", len(own)) for limit, own in work.groups.items()}
    )
    return [int(arrays["followed"]) for arrays in counts]


def _written(settings: Settings, prompt: Sequence[int], answer: Continuation) -> Arrays:
    """A continuation, and the lists of its scored tokens where they were asked."""
    window = settings.window(len(prompt), (*prompt, *answer.ids))
    lists = {} if answer.scores is None else pack(pick(answer.scores, settings.picked(window)))
    return {"new": np.array(answer.ids, dtype=np.int32), "finished": np.array(answer.finished), **lists}
