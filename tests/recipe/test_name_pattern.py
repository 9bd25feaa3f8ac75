from __future__ import annotations

import signal

import pytest

from curator._errors import InputError
from curator.recipe import name_pattern
from curator.recipe.name_pattern import NamePattern

NAME = "model.layers.11.mlp.experts.3.down_proj"


@pytest.mark.parametrize(
    ("entry", "begins"),
    [
        ("re:.*down", True),
        ("re:down", False),
        (r"re:model\.layers\.\d+\.mlp", True),
        (r".*\.experts\.(1|2)\.", False),
    ],
)
def test_a_name_begins_with_it(entry: str, begins: bool) -> None:
    assert NamePattern(entry).begins(NAME) is begins


@pytest.mark.parametrize(
    "entry", ["re:(.*.*)*.*x$", "re:(([a-z._0-9])+)+$!", "re:" + ".*" * 12 + "x", "re:(.|[a-z.])*!"]
)
def test_one_that_would_take_for_ever_is_refused(entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_pattern, "_SECONDS", 0.05)
    with pytest.raises(InputError, match=r"on the name model\.layers\.11"):
        NamePattern(entry).begins(NAME)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL


@pytest.mark.parametrize("entry", ["re:[", "re:" + "(" * 5000, "re:a{99999999999}"])
def test_what_cannot_be_compiled_is_told_in_short(entry: str) -> None:
    with pytest.raises(ValueError, match="is no regular expression") as caught:
        NamePattern(entry)
    assert len(str(caught.value)) < 250
