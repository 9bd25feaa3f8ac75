"""A word on the reference's weights is about the model that answers, wherever that is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from curator.cli.baseline import _note


class Answers:
    """A server that says what it serves."""

    def __init__(self, model_path: str | None) -> None:
        self._facts = {} if model_path is None else {"model_path": model_path}

    def facts(self) -> dict[str, str]:
        return self._facts


@pytest.fixture
def embedded(tmp_path: Path) -> Path:
    folder = tmp_path / "cache" / "smollm2-b179c9"
    folder.mkdir(parents=True)
    (folder / "origin.json").write_text(json.dumps({"note": "its weights sit on a 4-bit grid"}))
    return folder


def test_the_note_is_of_the_model_that_is_served(embedded: Path, tmp_path: Path) -> None:
    note = "its weights sit on a 4-bit grid"
    plain = tmp_path / "plain"
    plain.mkdir()
    # Opened here: the folder itself, whatever a server calls it (a twin, a link).
    assert _note(Answers("x"), embedded, False) == note  # type: ignore[arg-type]
    assert _note(Answers("x"), plain, False) == ""  # type: ignore[arg-type]
    for served, told in (
        (str(embedded), note),
        # The same cache folder on another machine.
        ("/home/other/.cache/curate/models/smollm2-b179c9", note),
        # Our tokenizer's folder is not the model there.
        (str(plain), ""),
        ("HuggingFaceTB/SmolLM2-135M-Instruct", ""),
        (None, ""),
    ):
        assert _note(Answers(served), embedded, True) == told  # type: ignore[arg-type]
    # The other way round: the user names a model of his own, the server has the embedded one.
    assert _note(Answers(str(embedded)), plain, True) == note  # type: ignore[arg-type]
