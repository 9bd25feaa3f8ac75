"""Generators: texts made on the spot, each a pure function of seed, name, index, length and options."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

from curator._errors import InputError
from curator._seed import rng
from curator.corpora.document import Document, conversation_text
from curator.corpora.generators import common_words, frequent_words, niah, random_words, uuid_lines
from curator.corpora.generators.contract import Generator, Request, checked_options

GENERATORS: dict[str, Generator] = {
    "cwe": common_words.GENERATOR,
    "fwe": frequent_words.GENERATOR,
    "niah": niah.GENERATOR,
    "random-words": random_words.GENERATOR,
    "uuid": uuid_lines.GENERATOR,
}


def generate(
    name: str, *, seed: int, index: int, tokens_hint: int, options: Mapping[str, Any], heldout: bool = False
) -> Document:
    """Make sample number ``index`` of a generator.

    Args:
        name: one of `GENERATORS`.
        seed: the recipe's seed.
        index: number of the sample, from 0. Any sample can be made without those before it.
        tokens_hint: wanted length in tokens. The true count depends on the tokenizer: each generator
            reckons with rough costs, such as 4 characters of prose or 1.9 of a UUID a token.
        options: the generator's options; those left out have their defaults.
        heldout: for held-out prompts: wordings and haystack that calibration samples never have.

    Raises:
        InputError: no such generator, option or value; or a length that cannot be made.
    """
    generator = find_generator(name)
    if tokens_hint < 1 or index < 0:
        raise InputError(f"generate {name}: tokens must be 1 or more and index 0 or more")
    checked = checked_options(name, generator, options)
    side = "heldout" if heldout else "calibration"
    request = Request(seed, index, tokens_hint, checked, heldout)
    document_id = _document_id(name, seed, index, tokens_hint, checked, generator, heldout)
    # The id names seed, index and every changed option: two entries of a recipe do not share their needles.
    sample = generator.make(request, rng("generate", document_id))
    return Document(
        id=document_id,
        corpus=f"generate:{name}",
        unit=f"generate:{name}:{side}",
        task=name,
        language="en" if sample.messages else "und",
        licence=generator.licence,
        text=conversation_text(sample.messages) if sample.messages else sample.text,
        messages=sample.messages,
        low_continuity=generator.is_low(checked),
    )


def find_generator(name: str) -> Generator:
    """Find the generator with this name.

    Raises:
        InputError: there is none; names the nearest, or all.
    """
    if name in GENERATORS:
        return GENERATORS[name]
    near = difflib.get_close_matches(name, GENERATORS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"choose one of: {', '.join(GENERATORS)}"
    raise InputError(f"generate {name!r}: no such generator; {hint}")


def _document_id(
    name: str,
    seed: int,
    index: int,
    tokens: int,
    options: Mapping[str, Any],
    generator: Generator,
    heldout: bool,
) -> str:
    # Two entries of one recipe may differ in an option or the length only: the id must tell them apart.
    changed = [f"{key}={value}" for key, value in sorted(options.items()) if generator.defaults[key] != value]
    parts = [f"generate:{name}", *(["heldout"] if heldout else []), *changed, f"{tokens}t", f"seed{seed}"]
    return "/".join(parts) + f"#{index}"
