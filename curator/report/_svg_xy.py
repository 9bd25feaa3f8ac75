"""Plots with two axes, a panel each, in parts that a page lays beside each other.

As in `_svg`, positions are per cent and colours come from the page by class. Lines and areas are drawn in a view
that stretches with the panel, under strokes that do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from markupsafe import Markup

from curator.report._svg import Scale, axis, element, strip

Point = tuple[float, float]
Shape = Literal["circle", "diamond"]
_SIZE = 3.4  # half the width of a mark, in pixels


@dataclass(frozen=True)
class Panel:
    """The parts of one plot: the labels at its left, the plot, the labels below it."""

    left: Markup
    area: Markup
    below: Markup


@dataclass(frozen=True)
class Frame:
    """Two scales and what is drawn on them."""

    x: Scale
    y: Scale

    def line(self, points: Sequence[Point], kind: str) -> Markup:
        """A line through points."""
        return element("polyline", points=self._coordinates(points), class_=kind)

    def between(self, low: Sequence[Point], high: Sequence[Point], kind: str) -> Markup:
        """The area between two lines over the same places."""
        return element("polygon", points=self._coordinates([*low, *reversed(high)]), class_=kind)

    def marks(self, points: Sequence[Point], kind: str, shape: Shape = "circle") -> Markup:
        """A mark at each point; two kinds are told apart by their shape too."""
        return Markup("").join(self._mark(point, kind, shape) for point in points)

    def panel(
        self, key: str, title: str, words: str, stretched: Sequence[Markup], marks: Sequence[Markup]
    ) -> Panel:
        """The plot with its axes.

        Args:
            key: unique in the page.
            title: what it shows, for those who do not see it.
            words: what is to be seen on it, in words.
            stretched: lines and areas.
            marks: what keeps its shape.
        """
        grid = [
            element("line", x1="0", x2="100%", y1=self._down(value), y2=self._down(value), class_="grid")
            for value, _ in self._ticks()
        ]
        view = element("svg", *stretched, viewBox="0 0 100 100", preserveAspectRatio="none", class_="open")
        area = element(
            "svg",
            element("title", title, id=f"{key}-title"),
            element("desc", words, id=f"{key}-words"),
            *grid,
            view,
            *marks,
            class_="area",
            role="img",
            aria_labelledby=f"{key}-title {key}-words",
        )
        return Panel(self._left(), area, axis(self.x))

    def _left(self) -> Markup:
        labels = [
            element("text", label, x="100%", dx="-5", y=self._down(value), dy=".33em", text_anchor="end")
            for value, label in self._ticks()
        ]
        return strip(*labels, kind="left")

    def _ticks(self) -> list[tuple[float, str]]:
        """Few, as a panel is low, and two at least, as one tells no scale."""
        few = self.y.ticks(about=3)
        return few if len(few) > 1 else self.y.ticks(about=6)

    def _mark(self, point: Point, kind: str, shape: Shape) -> Markup:
        x, y = self.x.at(point[0]), self._down(point[1])
        if shape == "circle":
            return element("circle", cx=x, cy=y, r=_SIZE - 0.6, class_=kind)
        size = _SIZE + 0.6
        path = element("path", d=f"M0 {-size}L{size} 0L0 {size}L{-size} 0Z", class_=kind)
        return element("svg", path, x=x, y=y, class_="open")

    def _down(self, value: float) -> str:
        return f"{100 - self.y.share(value):.2f}%"

    def _coordinates(self, points: Sequence[Point]) -> str:
        return " ".join(f"{self.x.share(x):.2f},{100 - self.y.share(y):.2f}" for x, y in points)
