"""Generators: texts made on the spot, each a pure function of seed, name, index, length, options and tokenizer."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

from curator._errors import InputError, did_you_mean
from curator._seed import rng
from curator.corpora.document import Document, conversation_text
from curator.corpora.generators import (
    common_words,
    frequent_words,
    key_value,
    niah,
    passkey,
    random_words,
    uuid_lines,
    variable_tracking,
)
from curator.corpora.generators.budget import fit, rough_count
from curator.corpora.generators.contract import ROOM, Count, Generator, Options, Request, Sample, checked_options
from curator.corpora.generators.mcq import generator as mcq
from curator.corpora.generators.qa import generator as qa

GENERATORS: dict[str, Generator] = {
    "cwe": common_words.GENERATOR,
    "fwe": frequent_words.GENERATOR,
    "kv": key_value.GENERATOR,
    "mcq": mcq.GENERATOR,
    "niah": niah.GENERATOR,
    "passkey": passkey.GENERATOR,
    "qa": qa.GENERATOR,
    "random-words": random_words.GENERATOR,
    "uuid": uuid_lines.GENERATOR,
    "vt": variable_tracking.GENERATOR,
}
_FLOORS = 256
"""Least lengths that are remembered."""
_PROBES = 24
"""Samples that are tried for the least length: every wording of a side several times, with other words in it."""


def generate(
    name: str,
    *,
    seed: int,
    index: int,
    tokens: int,
    options: Options,
    count: Count | None = None,
    heldout: bool = False,
) -> Document:
    """Make sample number ``index`` of a generator.

    Args:
        name: one of `GENERATORS`.
        seed: the recipe's seed.
        index: number of the sample, from 0. Any sample can be made without those before it.
        tokens: the most tokens of the whole sample, template and answer included; 98 % or more of them are used.
        options: the generator's options; those left out have their defaults.
        count: counts the tokens of a text, or of a conversation in its template, as they will be used; left
            out, a rough count (4 ASCII characters, or one other character, a token).
        heldout: for held-out prompts: wordings and haystack that calibration samples never have.

    Raises:
        InputError: no such generator, option or value; or a length that cannot be made.
        DependencyError: the package that has the prose for these options is not installed.
    """
    generator = find_generator(name)
    if tokens < 1 or index < 0:
        raise InputError(f"generate {name}: tokens must be 1 or more and index 0 or more")
    checked = checked_options(name, generator, options)
    request = Request(seed, index, tokens, checked, heldout, count or rough_count)
    document_id = _document_id(name, request, generator)
    # The id names seed, index and every changed option: two entries of a recipe do not share their needles.
    draft = generator.plan(request, rng("generate", document_id))
    sample = fit(name, request, draft, lambda: _floor(name, request))
    return _document(document_id, request, generator, sample)


def least_tokens(
    name: str, *, tokens: int, options: Options, count: Count | None = None, heldout: bool = False
) -> int:
    """The tokens with which samples of these options can be made, whatever their wording.

    A sample in some dozens may need a few more where passages or problems are of many lengths.

    Args:
        name: one of `GENERATORS`.
        tokens: a budget, refused by `generate` where it is below the result; a larger one may have a larger least,
            as it leaves room for a worked example.
        options: as for `generate`.
        count: as for `generate`; with the rough count the result is as rough.
        heldout: as for `generate`.

    Raises:
        InputError: no such generator, option or value.
        DependencyError: the package that has the prose for these options is not installed.
    """
    checked = checked_options(name, find_generator(name), options)
    return _floor(name, Request(0, 0, tokens, checked, heldout, count or rough_count))


def find_generator(name: str) -> Generator:
    """Find the generator with this name.

    Raises:
        InputError: there is none; names the nearest, or all.
    """
    if name in GENERATORS:
        return GENERATORS[name]
    hint = did_you_mean(name, GENERATORS, f"choose one of: {', '.join(GENERATORS)}", repr)
    raise InputError(f"generate {name!r}: no such generator; {hint}")


def _document(document_id: str, request: Request, generator: Generator, sample: Sample) -> Document:
    corpus = document_id.partition("/")[0]
    return Document(
        id=document_id,
        corpus=corpus,
        unit=f"{corpus}:{request.side}",
        task=corpus.partition(":")[2],
        language=request.language if sample.messages else "und",
        licence=generator.licence(request.options),
        text=conversation_text(sample.messages) if sample.messages else sample.text,
        messages=sample.messages,
        low_continuity=generator.is_low(request.options),
        gold=sample.gold,
    )


def _floor(name: str, request: Request) -> int:
    """See `least_tokens`."""
    options = tuple(sorted(request.options.items()))
    return _known_floor(name, options, request.tokens, request.heldout, request.count)


# Every short sample of a set asks for it.
@lru_cache(maxsize=_FLOORS)
def _known_floor(name: str, options: tuple[tuple[str, Any], ...], tokens: int, heldout: bool, count: Count) -> int:
    generator, most = GENERATORS[name], 0.0
    # With room for a worked example the smallest sample is larger, and the length told must hold there.
    for budget in (tokens, ROOM):
        if budget > max(tokens, most):
            break
        for index in range(_PROBES):
            # The least length depends on no number of the sample, only on what is asked.
            probe = Request(0, index, budget, dict(options), heldout, count)
            document_id = _document_id(name, replace(probe, tokens=0), generator)
            draft = generator.plan(probe, rng("generate floor", document_id))
            most = max(most, draft.spare * count(draft.render(draft.least).content))
    return math.ceil(most)


def _document_id(name: str, request: Request, generator: Generator) -> str:
    # Two entries of one recipe may differ in an option or the length only: the id must tell them apart.
    options = sorted(request.options.items())
    changed = [f"{key}={value}" for key, value in options if generator.defaults[key] != value]
    parts = [f"generate:{name}", *(["heldout"] if request.heldout else []), *changed]
    return "/".join([*parts, f"{request.tokens}t", f"seed{request.seed}"]) + f"#{request.index}"
