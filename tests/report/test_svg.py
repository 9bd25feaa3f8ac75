from __future__ import annotations

import math

import pytest
from markupsafe import Markup

from curator.report import _svg as svg


def test_elements_escape_their_attributes_and_texts() -> None:
    made = svg.element("text", "<b>", x='"><script>', text_anchor="middle", class_="a")
    assert made == '<text x="&#34;&gt;&lt;script&gt;" text-anchor="middle" class="a">&lt;b&gt;</text>'
    assert svg.element("g", Markup("<i/>")) == "<g><i/></g>"


def test_a_scale_keeps_order_and_stays_on_the_plot() -> None:
    scale = svg.Scale(0.0, 2.0)
    assert [scale.share(value) for value in (0.0, 1.0, 2.0)] == [3.0, 50.0, 97.0]
    assert scale.share(-5.0) == 3.0
    assert scale.share(9.0) == 97.0


def test_a_logarithmic_scale_puts_equal_ratios_at_equal_distances() -> None:
    scale = svg.Scale(0.01, 1.0, log=True)
    assert scale.share(0.1) == pytest.approx(50.0)
    assert [label for _, label in scale.ticks()] == ["0.01", "0.03", "0.1", "0.3", "1"]


def test_scales_pass_over_what_is_no_number() -> None:
    assert svg.scale_for([None, math.nan, math.inf]) is None
    scale = svg.scale_for([0.2, None, 0.3])
    assert scale is not None
    assert scale.low < 0.2 < 0.3 < scale.high


def test_scales_are_linear_when_zero_is_among_the_values() -> None:
    scale = svg.scale_for([0.0, 0.001, 1.0], log_from=20)
    assert scale is not None
    assert not scale.log


@pytest.mark.parametrize("value", [0.0, 0.3, -2.0])
def test_a_single_value_has_a_scale_with_ticks(value: float) -> None:
    scale = svg.scale_for([value])
    assert scale is not None
    assert scale.ticks()
    assert 3.0 <= scale.share(value) <= 97.0


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.19, 0.31, ["0.20", "0.25", "0.30"]),
        (-0.11, 0.02, ["−0.10", "−0.05", "0.00"]),
        (0, 44, ["0", "10", "20", "30", "40"]),
    ],
)
def test_ticks_are_round_numbers(low: float, high: float, labels: list[str]) -> None:
    assert [label for _, label in svg.Scale(low, high).ticks()] == labels


def test_a_histogram_counts_every_value_once() -> None:
    bars, top = svg.histogram(svg.Scale(0.0, 1.0), [0.0, 0.1, 0.1, 0.99, 1.0], 10, "kept")
    assert top == 2
    assert bars.count("<rect") == 3


def test_a_missing_interval_leaves_the_dot_alone() -> None:
    scale = svg.Scale(0.0, 1.0)
    assert svg.estimate(scale, 0.5, None, "user").count("<line") == 0
    assert svg.estimate(scale, 0.5, [0.4, 0.6], "user").count("<line") == 3
    assert svg.estimate(scale, None, None, "user") == ""


def test_a_null_far_away_is_an_arrow_and_presses_nothing_together() -> None:
    user, near, far = [0.2, 0.25, 0.35], [0.4], [3.0]
    # The user's axis is 0.162 long with its air; up to 0.4 it is 0.216, up to 3.0 more than 3.
    assert svg.scale_for_first(user, near) == svg.scale_for([*user, *near])
    cut = svg.scale_for_first(user, far)
    assert cut == svg.scale_for(user) and cut is not None
    assert svg.scale_for_first([], far) == svg.scale_for(far)
    arrow = svg.estimate(cut, 3.0, [2.8, 3.2], "null")
    assert arrow.count("<path") == 1 and "<circle" not in arrow and "<line" not in arrow
    assert f'x="{cut.at(cut.high)}"' in arrow and "M-8" in arrow
    assert "M8" in svg.estimate(cut, -3.0, None, "null")
    assert "<circle" in svg.estimate(cut, 0.35, None, "user")
