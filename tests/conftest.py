"""Fixtures that several rooms share."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import hypothesis
import pytest
from tiny_llama import save_tiny_llama


def pytest_configure(config: pytest.Config) -> None:
    """Give the code that comes with a model a folder that is not the user's; transformers reads this once.

    And a width to what is printed, whatever terminal the tests are started from.
    """
    modules = tempfile.TemporaryDirectory(prefix="curate-tests-", ignore_cleanup_errors=True)
    os.environ["HF_MODULES_CACHE"] = modules.name
    config.add_cleanup(modules.cleanup)
    os.environ["COLUMNS"] = "80"
    # How long an example takes says what else the machine does.
    hypothesis.settings.register_profile("untimed", deadline=None)
    hypothesis.settings.load_profile("untimed")


@pytest.fixture(scope="session")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random Llama folder: 2 layers, hidden 64, about 300 byte-level ids, BF16, tied embeddings."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    save_tiny_llama(folder)
    return folder
