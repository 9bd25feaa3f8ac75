"""The template environment of the HTML reports: everything escaped, nothing undefined passes in silence."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from curator.report.format import DASH, clean


def _finalize(value: Any) -> Any:
    """What every expression of a template passes through on its way out."""
    if value is None:
        return DASH
    return value if isinstance(value, Markup) else clean(value)


def minus(text: Any) -> Any:
    """Typographic minus signs and dashes in a cell of numbers."""
    if isinstance(text, Markup):
        return text
    return "–" if text == DASH else str(text).replace("-", "−")


@cache
def environment() -> Environment:
    """The environment that loads ``curator/report/templates``."""
    made = Environment(
        loader=PackageLoader("curator.report"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalize,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["minus"] = minus
    return made


def render(template: str, **context: Any) -> str:
    """A template of this package as text."""
    return environment().get_template(template).render(**context)
