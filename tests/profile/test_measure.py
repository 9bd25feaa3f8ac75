"""Languages of items, and files measured in parts."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator._progress import Silent
from curator.profile import measure_file
from curator.profile.measure_file import Measuring
from curator.profile.measure_item import measure_items
from curator.profile.read_items import RawItem
from curator.recipe.schema import Continuity
from curator.scores.scorer import Scorer
from curator.scores.store import ScoreStore
from curator.tokens.tokenizer import Tokenizer
from tests.profile.profile_files import FlatEncoder
from tests.toy_tokenizers import save_marked


def measured(tmp_path: Path, *prompts: str) -> list[str]:
    tokenizer = Tokenizer(save_marked(tmp_path / "model", "bytes"))
    scorer = Scorer(Continuity(), print, FlatEncoder(), ScoreStore(print, tmp_path))
    items = [RawItem(at, "a", prompt, (), "none") for at, prompt in enumerate(prompts, start=1)]
    return [one.language for one in measure_items(items, tokenizer, scorer, 8)]


def test_languages_of_items(tmp_path: Path) -> None:
    english = "When does the ferry leave the island, and who brings the mail to the harbour master?"
    chinese = "渡船什么时候离开小岛？谁把邮件送到港务长那里？请根据下面的文章回答这个问题。"
    code = "def area(width, height):\n    return width * height\n\nfor x in range(3):\n    y[x] = {x: area(3, 4)}"
    ids = "Which of these identifiers is listed more than once below? " + " ".join(
        f"{at * 7_919_777_777_777:08x}-2fa1-11d2-883f-0016d3cca{at:03x}"[-36:] for at in range(200, 260)
    )
    assert measured(tmp_path, english, chinese, code, ids) == ["en", "zh", "zxx", "en"]


def test_items_are_cut_into_parts_of_some_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_file, "_TASK", 10)
    items = [RawItem(at, "a", "x" * size, (), "none") for at, size in enumerate((4, 5, 3, 50, 1, 1))]
    parts = [[len(item.prompt) for item in part] for part in measure_file._parts(items)]
    assert parts == [[4, 5, 3], [50], [1, 1]]


def test_a_line_of_the_store_is_told_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = save_marked(tmp_path / "model", "bytes")
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(measure_file, "Embedder", FlatEncoder)
    monkeypatch.setattr(measure_file, "_ready", {})
    monkeypatch.setattr(measure_file, "_TASK", 1)
    text = " ".join(f"The {name} boat left the quay at noon." for name in ("red", "blue", "green", "white"))
    items = [RawItem(at, "a", f"{text} {at}", (), "none") for at in range(3)]
    told: list[str] = []
    done: list[int] = []
    with Silent().bar("", None):
        measure_file.measure_file(items, Measuring(folder, "flat", 8), 2, told.append, done.append)
    assert done == [1, 1, 1]
    assert len(told) == 1 and "scores are not kept" in told[0]
