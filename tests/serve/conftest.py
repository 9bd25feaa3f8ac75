from __future__ import annotations

from collections.abc import Iterator

import pytest
from stub_sglang import Stub


@pytest.fixture
def stub() -> Iterator[Stub]:
    server = Stub()
    yield server
    server.stop()
