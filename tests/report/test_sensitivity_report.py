from __future__ import annotations

import io
from typing import Any

import pytest
from html_page import Page
from rich.console import Console

from curator.report.sensitivity_html import sensitivity_html
from curator.report.sensitivity_terminal import print_mix, print_sensitivity


def found(mean: float) -> dict[str, Any]:
    return {"mean": mean, "se": mean / 5, "ci": [mean * 0.6, mean * 1.4], "per_prompt": [mean]}


def document(by: str = "group", scale: float = 1.0) -> dict[str, Any]:
    kinds = ("self_attn.qkv_proj", "mlp.down_proj")
    names = {
        "group": [(f"layers.{layer}.{kind}", layer) for layer in range(12) for kind in kinds],
        "layer": [(f"layers.{layer}", layer) for layer in range(12)],
        "pattern": [(kind, 0) for kind in kinds],
    }[by]
    parts = [
        {
            "name": name,
            "modules": [name],
            "weights": 1_000_000 * (1 + layer),
            "first_layer": layer,
            "kl": {"nvfp4": found(scale * 0.5 / 2**place), "fp8": found(scale * 0.01 / 2**place)},
        }
        for place, (name, layer) in enumerate(names)
    ]
    return {
        "tool": {"name": "curate", "version": "0.1.0"},
        "model": "<script>alert(1)</script>",
        "scheme": "W4A4",
        "by": by,
        "checkpoint": None,
        "prompts": ["a", "b", "c"],
        "scored_tokens": 96,
        "batch_size": 8,
        "estimator": "full vocabulary",
        "dtype": "float32",
        "set_hash": "f565302f2db7536b",
        "set_rows": 8,
        "layers": 12,
        "weights": 78_000_000,
        "other_weights": 28_000_000,
        "bits": {"nvfp4": 4.5, "fp8": 8.0},
        "parts": parts,
        "together": {
            chosen: {**found(scale * 0.7), "sum_of_parts": sum(part["kl"][chosen]["mean"] for part in parts)}
            for chosen in ("nvfp4", "fp8")
        },
        "warnings": ["3 linear layers were reached by no row"],
    }


@pytest.mark.parametrize("by", ["group", "layer", "pattern"])
def test_the_page_has_every_part_in_order_with_its_interval(by: str) -> None:
    made = document(by)
    page = Page(sensitivity_html(made))
    assert not {"script", "link", "img", "iframe"} & set(page.tags)
    rows = [row for row in page.rows if row and row[0] in {part["name"] for part in made["parts"]}]
    assert [row[0] for row in rows] == [part["name"] for part in made["parts"]]
    # KL and SE in NVFP4, share of the sum, the same in FP8, weights, megabytes of 4.5 and 8 bits.
    assert rows[0][2].startswith("0.5000")
    assert rows[0][3] == "0.10"
    assert rows[0][-3:] == ["1,000,000", "0.56", "1.00"]
    shares = [float(row[4]) for row in rows]
    assert sum(shares) == pytest.approx(100, abs=0.1 * len(shares))
    assert page.headings == ["Warning", *(["By depth"] if by != "pattern" else []), "All parts at once", "Parts"]
    bars = [value for name, value in page.attributes if name == "class" and value == "bar"]
    assert len(bars) == {"group": 24, "layer": 12, "pattern": 0}[by]


def test_kl_of_nothing_is_drawn_too() -> None:
    assert "0.0000" in Page(sensitivity_html(document(scale=0.0))).text


def printed(show: Any, made: dict[str, Any], width: int = 100) -> str:
    out = io.StringIO()
    show(made, Console(file=out, width=width))
    return out.getvalue()


def test_the_terminal_shows_the_parts_that_lose_most() -> None:
    text = printed(print_sensitivity, document())
    lines = text.splitlines()
    first = next(line for line in lines if line.startswith("layers.0.self_attn.qkv_proj"))
    assert first.split()[1:] == ["0.500000", "±", "0.10", "0.010000", "±", "0.0020", "1,000,000"]
    assert "... and 4 parts below these" in text
    assert "all 24 parts in FP8: 0.7000 [0.420, 0.980]; the parts' own KL adds up to 0.02000" in text
    assert all(len(line) <= 100 for line in lines if "adds up" not in line)


def test_a_mix_is_printed_with_its_verdicts_or_as_a_guess() -> None:
    made: dict[str, Any] = {
        "bits": 4.91,
        "size_gb": 0.133,
        "formats": {"nvfp4": {"parts": 20, "weights": 7}, "fp8": {"parts": 4, "weights": 1}},
        "arms": [
            {"name": "mix", "mixes": 1, "bits": 4.91, "kl_added": 0.2, "kl_mean": 0.21, "kl_ci": [0.1, 0.3]},
            {"name": "random mix", "mixes": 3, "bits": 4.9, "kl_added": 0.4, "kl_mean": 0.4, "kl_ci": [0.3, 0.5]},
        ],
        "pairs": [{"words": "mix is lower than random mix by 0.19 nats a token."}],
        "conditions": "joint KL, 6 prompts",
        "warnings": [],
    }
    text = printed(print_mix, made)
    assert "20 parts in NVFP4, 4 parts in FP8: 4.910 bits a weight, 0.133 GB in all" in text
    cells = [line.split() for line in text.splitlines()]
    assert ["random", "mix,", "mean", "of", "3", "4.900", "0.4000", "[0.300,", "0.500]", "0.4000"] in cells
    assert "mix is lower than random mix" in text
    for arm in made["arms"]:
        del arm["kl_mean"], arm["kl_ci"]
    assert "joint KL" not in printed(print_mix, {**made, "pairs": [], "warnings": ["not confirmed"]})
