"""Fixtures for text sources."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from huggingface_hub import close_session, constants
from loopback_hub import LoopbackHub, serving


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What would have been slept, in seconds; nothing is."""
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, waits: list[float]) -> Iterator[LoopbackHub]:
    """A hub on this machine that huggingface_hub is pointed at, with caches of its own and no token."""
    with serving(LoopbackHub()) as server:
        monkeypatch.setattr(constants, "ENDPOINT", server.endpoint)
        template = server.endpoint + "/{repo_id}/resolve/{revision}/{filename}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", template)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hf"))
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "no-token"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "curate"))
        for name in ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        close_session()
        yield server
        close_session()
