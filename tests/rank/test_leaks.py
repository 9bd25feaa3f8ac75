"""Held-out text in a set: of the prompts, and of what the model wrote after them."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from toy_tokenizers import save_tokenizer

from curator.measure.baseline import Baseline
from curator.rank.arms import Arm, Draw
from curator.rank.leaks import with_leaks
from curator.recipe.quantize_settings import QuantizeSettings
from curator.tokens.tokenizer import Tokenizer

PROMPT = "The keeper of the lighthouse counted every ship that passed before the winter storms of"
ANSWER = " that year, and wrote each name into a ledger bound in green sailcloth beside the lamp."
OTHER = (
    "A recipe for bread asks for flour, water, salt and the patience to wait until the dough has doubled in size."
)


def test_a_set_that_holds_what_the_model_wrote_is_named(tmp_path: Path) -> None:
    save_tokenizer(tmp_path)
    tokenizer = Tokenizer(tmp_path)
    windows = [SimpleNamespace(ids=tuple(tokenizer.encode(text))) for text in (PROMPT + ANSWER, OTHER)]
    baseline: Any = SimpleNamespace(prompts=[{"id": "ships"}, {"id": "bread"}], windows=windows)

    def arm(name: str, *texts: str) -> Arm:
        draws = tuple(
            Draw(tmp_path, [tokenizer.encode(text)], f"{name}{number}", {"warnings": ["old"]})
            for number, text in enumerate(texts)
        )
        return Arm(name, "", False, True, QuantizeSettings(), draws)

    clean = "Nothing of all this is in here: only a walk along the river, twice, and a talk about the weather."
    arms = with_leaks(
        [arm("a", clean, f"He said: {ANSWER} So it was."), arm("b", clean)], cast(Baseline, baseline), tokenizer
    )
    told = [draw.manifest["warnings"] for one in arms for draw in one.draws]
    assert told[0] == told[2] == ["old"]
    assert told[1][0] == "old"
    assert "at least 1: " in told[1][1] and "words in a row with ships" in told[1][1]
    # Phrases that a recipe exempts are no leak.
    exempt = tmp_path / "exempt.txt"
    exempt.write_text(ANSWER)
    (again,) = with_leaks(
        [arm("a", f"He said: {ANSWER} So it was.")], cast(Baseline, baseline), tokenizer, [exempt]
    )
    assert again.draws[0].manifest["warnings"] == ["old"]
