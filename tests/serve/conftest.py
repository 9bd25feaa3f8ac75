from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from stub_sglang import Stub

from curator._progress import Silent
from curator.models.embedded import SMOLLM2
from curator.models.locate import locate_model
from curator.serve.launch.launched import LaunchedSGLang, launch
from curator.serve.launch.launcher import Launcher
from curator.tokens.tokenizer import Tokenizer
from tests.serve.real_server import ENVIRONMENT


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def real_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LaunchedSGLang]:
    """SmolLM2 in float32, started by our own launch; its key is in the environment for ``curate ... --url``."""
    model = locate_model(SMOLLM2.name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CURATE_API_KEY", "of-the-tests")
        patch.setenv("CURATE_SGLANG_ENV", os.fspath(ENVIRONMENT))
        log: Path = tmp_path_factory.mktemp("server") / "server.log"
        server = launch(Launcher(log=log), model, None, Tokenizer(model).size, None, Silent())
        yield server
        server.close()
