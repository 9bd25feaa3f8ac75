"""What the tests of scores share."""

from __future__ import annotations

import pytest
from word_encoder import WordEncoder


@pytest.fixture
def encoder() -> WordEncoder:
    """One that nothing was asked of yet."""
    return WordEncoder()
