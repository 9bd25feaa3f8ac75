"""Facts of a server that are known before it is opened, which may take minutes."""

from __future__ import annotations

from pathlib import Path

from curator._errors import InputError
from curator._files import read_json
from curator.serve.identity import PROBE_TEXT, architecture_of, ids_digest
from curator.serve.open import ServeOptions
from curator.tokens.tokenizer import Tokenizer

# Class, shape and vocabulary: a config.json may leave out what a library fills in.
_WHOLE = 3


def known_facts(options: ServeOptions, folder: Path | None) -> dict[str, str]:
    """Some of what ``Server.facts`` will say.

    Args:
        options: where the model will run.
        folder: of the model or checkpoint; ``None`` with an address.

    Returns:
        The backend, and of a folder the architecture and, in this process, the tokenizer, as far as they can be
        read; what is wrong with a folder is told when it is opened.
    """
    facts = {"backend": options.backend or ("transformers" if options.here else "sglang")}
    if folder is None:
        return facts
    try:
        config = read_json(folder / "config.json")
        architecture = architecture_of(config) if isinstance(config, dict) else ""
        if len(architecture.split(", ")) == _WHOLE:
            facts["architecture"] = architecture
        if options.here:
            # A server cuts the text in its own way, with its start token.
            facts["tokenizer"] = ids_digest(Tokenizer(folder).encode(PROBE_TEXT))
    except InputError:
        pass
    return facts
