"""A third part of the labelled set, to be looked at once, when all is settled.

Its texts are of packages that neither half, nor the tables, have anything from; its junk is made with other seeds
from the words of these packages.
"""

from __future__ import annotations

from collections.abc import Iterator

from gate_bench import blind_sources, labelled, real_junk
from gate_bench.blind_sources import BLIND, FOLDER, HOW_TO_GET
from gate_bench.draw import draw_length, stream
from gate_bench.labelled import Labelled
from gate_bench.pieces import Piece, by_lines, by_sentences, draw_pieces, is_clearly_text, pieces

_JUNK, _EMBEDDED, _SMALL = 24, 8, 20
"""Texts of a class of junk, in each place of other text, and of small stretches there."""
_LANGUAGE, _PROGRAM, _MANUAL, _BYTES = 18, 32, 60, 80
"""Texts of a language, a language of programs, the manual and files of bytes."""


def build_blind(seed: int) -> list[Labelled]:
    """The blind part; empty, with a word on it, where the packages are not unpacked."""
    if not blind_sources.is_there():
        import sys

        print(f"No blind part: {FOLDER} lacks packages. {HOW_TO_GET}", file=sys.stderr)  # noqa: T201
        return []
    made = [*_junk(seed), *_languages(seed), *_programs(seed)]
    return list({one.text: one for one in made}.values())


def _junk(seed: int) -> Iterator[Labelled]:
    counts = {"embedded": _EMBEDDED, "small-stretch": _SMALL}
    for maker in labelled.junk_makers():
        count = counts.get(maker.kind.partition(":")[0].partition("@")[0], _JUNK)
        yield from labelled.made(maker, True, count, f"blind {seed}", BLIND)
    draw, found = stream("blind", seed, "bytes"), []
    for file in blind_sources.files_of_bytes():
        found += [Piece(text, file.name) for text in real_junk.decoded(file, draw_length(draw), draw.random())]
    draw.shuffle(found)
    yield from labelled.taken("real:bytes", True, BLIND, found[:_BYTES])


def _languages(seed: int) -> Iterator[Labelled]:
    for name, text in blind_sources.blind_texts().items():
        draw = stream("blind", seed, name)
        split = by_lines if len(text) < 20_000 else by_sentences
        cut = [piece for piece in pieces(text, draw, split) if len(piece) <= 4000 and is_clearly_text(piece)]
        draw.shuffle(cut)
        kept = [Piece(piece, name) for piece in cut[: 4 * _LANGUAGE if name == "eng" else _LANGUAGE]]
        yield from labelled.taken(f"language:{name}", False, BLIND, kept)


def _programs(seed: int) -> Iterator[Labelled]:
    for name, files in blind_sources.programs().items():
        found = draw_pieces(files, None, _PROGRAM, ("blind", seed, name))
        yield from labelled.taken(f"code:{name}", False, BLIND, found)
    found = draw_pieces(blind_sources.manuals(), None, _MANUAL, ("blind", seed, "manual"))
    yield from labelled.taken("manual", False, BLIND, found)
