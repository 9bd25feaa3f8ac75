from __future__ import annotations

import io
from typing import Any

from rich.console import Console

from curator.report.verify_terminal import print_verification


def printed(document: dict[str, Any], width: int = 80) -> str:
    out = io.StringIO()
    print_verification(document, Console(file=out, width=width, highlight=False))
    return out.getvalue()


def document(**changes: Any) -> dict[str, Any]:
    return {
        "checkpoint": "checkpoints/mine",
        "asked": None,
        "reference": None,
        "layout": "modelopt",
        "producer": "modelopt 0.47.0",
        "scheme": "W4A4",
        "kv_cache": "fp8",
        "layers": {"nvfp4": 1234, "fp8": 2, "not quantised": 0},
        "parameters": 134_515_008,
        "size": 116_414_736,
        "bits_quantised": 4.5001,
        "bits_all": 6.9235,
        "faults": [],
        "warnings": [],
        "errors": None,
        **changes,
    }


def error(layer: str, value: float, far: bool = False) -> dict[str, Any]:
    return {"layer": layer, "format": "nvfp4", "error": value, "rounding": 0.095, "note": "", "far": far}


def test_what_it_is_in_a_few_lines() -> None:
    lines = [" ".join(line.split()) for line in printed(document()).splitlines()]
    assert lines == [
        "checkpoints/mine: modelopt 0.47.0",
        "scheme W4A4",
        "linear layers 1,234 nvfp4, 2 fp8",
        "KV cache FP8",
        "size 116.4 MB, 134,515,008 parameters",
        "bits 6.92 a parameter; 4.50 a weight in quantised layers",
        "",
        "no fault found",
    ]
    assert "mine: compressed-tensors by somebody 2" in printed(
        document(layout="compressed-tensors", producer="somebody 2")
    )


def test_the_ten_worst_layers_and_the_median_of_all() -> None:
    errors = [error(f"model.layers.{index}.mlp.down_proj", 0.5 - index / 100, index == 0) for index in range(21)]
    text = printed(document(reference="mine", errors=errors))
    assert "median 0.4000" in " ".join(text.split())
    assert "over 21 layers" in " ".join(text.split())
    assert "model.layers.9.mlp.down_proj" in text
    assert "model.layers.10.mlp.down_proj" not in text
    first = next(line for line in text.splitlines() if "model.layers.0." in line)
    assert first.split()[1:] == ["nvfp4", "0.5000", "0.0950", "5.26"]


def test_ten_faults_all_warnings_and_nothing_wider_than_the_terminal() -> None:
    faults = [f"model.layers.{index}.mlp.experts.{index}.down_proj.input_scale is missing" for index in range(12)]
    long = "model.layers.0.self_attn: " + "a very long explanation " * 8
    errors = [error("x." * 60 + "y", 0.1)]
    text = printed(document(faults=faults, warnings=[long, "short"], errors=errors, reference="m"))
    assert text.count("fault:") == 10
    assert "and 2 more faults; --json lists them all" in text
    assert text.count("warning:") == 2
    assert "no fault found" not in text
    assert max(map(len, text.splitlines())) <= 80


def test_names_from_a_stranger_do_not_act_on_the_terminal() -> None:
    text = printed(document(producer="\x1b[31mred", faults=["\x1b]0;title\x07[bold]x"]))
    assert "\x1b" not in text
    assert "[bold]x" in text
