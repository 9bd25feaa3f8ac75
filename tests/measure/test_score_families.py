from __future__ import annotations

import pandas as pd
import pytest

from curator.measure.summary import score_summary


def test_kl_is_told_apart_by_the_family_of_the_prompts() -> None:
    rows = [
        ("one", "a", "books", 1.0),
        ("one", "a", "books", 3.0),
        ("two", "a", "books", 4.0),
        ("three", "b", "code", 8.0),
    ]
    table = pd.DataFrame(rows, columns=["prompt", "task", "corpus", "kl"])
    table = table.assign(kl_lumped=0.0, cosine=1.0, top1=1.0)
    summary = score_summary(table, None)
    # Tokens, then prompts: (2 + 4) / 2. The primary number weighs tasks: (3 + 8) / 2.
    assert summary["by_family"] == {
        "books": {"kl_mean": pytest.approx(3.0), "prompts": 2},
        "code": {"kl_mean": pytest.approx(8.0), "prompts": 1},
    }
    assert summary["kl_mean"] == pytest.approx(5.5)
