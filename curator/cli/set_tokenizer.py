"""The tokenizer that made a set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from curator._progress import Narrator
    from curator.tokens.tokenizer import Tokenizer


def set_tokenizer(
    folder: Path, manifest: Mapping[str, Any], model: str | None, locate: Callable[[str, Narrator], Path]
) -> tuple[str, Path, Tokenizer]:
    """Load the tokenizer of a set's model.

    Args:
        folder: the set.
        manifest: its manifest.
        model: what ``--model`` says; the manifest's model when ``None``.
        locate: `locate_model`, or `locate_tokenizer` where no model is needed.

    Returns:
        The model's name, its folder, and the tokenizer.

    Raises:
        InputError: no such model.
        RefusedError: another tokenizer made the set.
    """
    from curator._errors import RefusedError
    from curator.cli.progress import narrator
    from curator.models.locate import DEFAULT_MODEL
    from curator.report._tables import of
    from curator.tokens.tokenizer import Tokenizer

    name = model or of(manifest, "recipe", "model") or DEFAULT_MODEL
    located = locate(name, narrator())
    tokenizer = Tokenizer(located)
    stored, found = of(manifest, "tokenizer", "ids_fingerprint"), tokenizer.ids_fingerprint
    if stored is None:
        # Older sets know the whole alone. The chat template does not matter where it can be told apart.
        stored, found = of(manifest, "tokenizer", "fingerprint"), tokenizer.fingerprint
    if stored != found:
        raise RefusedError(
            f"{folder}: its token ids are of another tokenizer ({str(stored)[:12]}) than that of {name} "
            f"({found[:12]}); give the set's model with --model"
        )
    return name, located, tokenizer
