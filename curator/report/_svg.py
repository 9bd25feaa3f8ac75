"""Inline SVG without a drawing library.

A plot is a stack of strips. Each strip is an ``<svg>`` as wide as its column, with horizontal positions in
per cent of that width: it stretches with the page while dots stay round and text keeps its size, on paper and
on a phone. Colours come from the page's style sheet by class, so that they follow its light or dark scheme.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from curator.report.format import clean, is_interval, is_number, number

_MARGIN = 3.0  # per cent of the width left free at each end, so that marks and tick labels are not cut
# An axis this many times as long as that of what matters is cut.
_PRESSED = 8


def element(name: str, *children: str | Markup, **attributes: str | float) -> Markup:
    """An element with everything escaped; ``class_`` is ``class`` and other underscores are hyphens."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(clean(_text(value)))}"'
        for key, value in attributes.items()
    )
    inner = "".join(child if isinstance(child, Markup) else escape(clean(child)) for child in children)
    return Markup(f"<{name}{pairs}>{inner}</{name}>" if inner else f"<{name}{pairs}/>")  # noqa: S704


def _text(value: str | float) -> str:
    return value if isinstance(value, str) else f"{value:.4g}"


@dataclass(frozen=True)
class Scale:
    """A horizontal axis from ``low`` to ``high``, linear or logarithmic."""

    low: float
    high: float
    log: bool = False

    def share(self, value: float) -> float:
        """Position of a value in per cent of the width, kept on the axis."""
        low, high, value = (self._map(x) for x in (self.low, self.high, value))
        inside = min(1.0, max(0.0, (value - low) / (high - low)))
        return _MARGIN + (100 - 2 * _MARGIN) * inside

    def at(self, value: float) -> str:
        """Position of a value as an SVG length."""
        return f"{self.share(value):.2f}%"

    def width(self, start: float, end: float) -> str:
        """Distance between two values as an SVG length."""
        return f"{max(0.0, self.share(end) - self.share(start)):.2f}%"

    def ticks(self, about: int = 5) -> list[tuple[float, str]]:
        """Round values on the axis, with their labels."""
        return _log_ticks(self.low, self.high) if self.log else _linear_ticks(self.low, self.high, about)

    def _map(self, value: float) -> float:
        return math.log(max(value, self.low * 1e-3)) if self.log else value


def scale_for(values: Iterable[object], *, log_from: float = math.inf) -> Scale | None:
    """An axis that holds all finite values with some air; ``None`` when there are none.

    Args:
        values: what is to be drawn; anything that is not a finite number is passed over.
        log_from: ratio of largest to smallest from which the axis is logarithmic, if all are positive.
    """
    finite = [value for value in values if is_number(value)]
    if not finite:
        return None
    low, high = min(finite), max(finite)
    if low > 0 and high / low >= log_from:
        return Scale(low / 1.1, high * 1.1, log=True)
    air = 0.04 * (high - low) or 0.05 * abs(high) or 1.0
    return Scale(low - air if low < 0 or low - air > 0 else 0.0, high + air)


def scale_for_first(first: Iterable[object], others: Iterable[object]) -> Scale | None:
    """An axis for all values, or for the first alone where the others would press these together.

    `estimate` draws what is beyond the axis as an arrow at its end.
    """
    first = list(first)
    own, whole = scale_for(first), scale_for([*first, *others])
    if own is None or whole is None or whole.high - whole.low <= _PRESSED * (own.high - own.low):
        return whole
    return own


def _linear_ticks(low: float, high: float, about: int) -> list[tuple[float, str]]:
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= raw * 0.999)
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [(index * step, number(index * step, decimals).replace("-", "−")) for index in range(first, last + 1)]


def _log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        values = [factor * 10.0**decade for decade in decades for factor in factors]
        inside = [value for value in values if low <= value <= high]
        if len(inside) <= 6:
            break
    return [(value, f"{value:,.10g}") for value in inside]


def strip(*parts: Markup, kind: str = "strip") -> Markup:
    """One row of a plot; numbers stand beside it, so that readers of the text lose nothing."""
    return element("svg", *parts, class_=kind, aria_hidden="true", focusable="false")


def grid(scale: Scale) -> Markup:
    """Faint lines at the ticks of an axis."""
    lines = (vertical(scale, value, "grid") for value, _ in scale.ticks())
    return Markup("").join(lines)


def vertical(scale: Scale, value: float, kind: str) -> Markup:
    """A line over the height of a strip."""
    return element("line", x1=scale.at(value), x2=scale.at(value), y1="0", y2="100%", class_=kind)


def axis(scale: Scale) -> Markup:
    """The ticks with their labels, as a strip of its own."""
    marks = [
        element("line", x1=scale.at(value), x2=scale.at(value), y1="0", y2="4", class_="tick")
        + element("text", label, x=scale.at(value), y="16", text_anchor="middle")
        for value, label in scale.ticks()
    ]
    base = element("line", x1="0", x2="100%", y1="0.5", y2="0.5", class_="tick")
    return strip(base, *marks, kind="axis")


def band(scale: Scale, start: float, end: float, kind: str) -> Markup:
    """A band over the height of a strip."""
    return element("rect", x=scale.at(start), y="0", width=scale.width(start, end), height="100%", class_=kind)


def estimate(scale: Scale, mean: object, ci: object, kind: str) -> Markup:
    """A mean as a dot, its interval as a line with end caps; a missing interval leaves the dot alone.

    A mean beyond the axis is an arrow at its end.
    """
    if is_number(mean) and not scale.low <= mean <= scale.high:
        head = "M-8 -5L0 0L-8 5Z" if mean > scale.high else "M8 -5L0 0L8 5Z"
        arrow = element("path", d=head, class_=f"{kind} dot")
        return element("svg", arrow, x=scale.at(mean), y="50%", class_="open")
    parts: list[Markup] = []
    if is_interval(ci):
        low, high = scale.at(ci[0]), scale.at(ci[1])
        middle = element("line", x1=low, x2=high, y1="50%", y2="50%")
        # end caps: nested views put pixels around a position in per cent
        caps = [
            element("svg", element("line", x1="0", x2="0", y1="-4", y2="4"), x=end, y="50%", class_="open")
            for end in (low, high)
        ]
        parts.append(element("g", middle, *caps, class_=f"{kind} ends"))
    if is_number(mean):
        parts.append(element("circle", cx=scale.at(mean), cy="50%", r="4.5", class_=f"{kind} dot"))
    return Markup("").join(parts)


def bar(scale: Scale, value: object, mark: object = None) -> Markup:
    """A bar from zero, with a line across it where the value was asked to be."""
    parts = []
    if is_number(value):
        parts.append(
            element("rect", x=scale.at(0), y="20%", width=scale.width(0, value), height="60%", class_="bar")
        )
    if is_number(mark):
        parts.append(element("line", x1=scale.at(mark), x2=scale.at(mark), y1="5%", y2="95%", class_="mark"))
    return Markup("").join(parts)


def histogram(scale: Scale, values: Sequence[float], bins: int, kind: str) -> tuple[Markup, int]:
    """Counts of values in equal bins of an axis, and the largest count."""
    edges_at = [_MARGIN + (100 - 2 * _MARGIN) * index / bins for index in range(bins + 1)]
    counts = [0] * bins
    for value in values:
        place = (scale.share(value) - _MARGIN) / (100 - 2 * _MARGIN)
        counts[min(bins - 1, int(place * bins))] += 1
    top = max(counts)
    bars = [
        element(
            "rect",
            x=f"{edges_at[index]:.3f}%",
            y=f"{100 - 96 * size / top:.2f}%",
            width=f"{edges_at[1] - edges_at[0] - 0.15:.3f}%",
            height=f"{96 * size / top:.2f}%",
            class_=f"bar {kind}",
        )
        for index, size in enumerate(counts)
        if size
    ]
    return Markup("").join(bars), top
