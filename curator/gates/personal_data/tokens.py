"""Keys and tokens by the shapes that their issuers publish."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.gates.personal_data.finding import NOT_AFTER_MASK, NOT_BEFORE_MASK, PersonalData

# The first character of a shape is put before what must not stand before it.
_EDGE = rf"(?<![A-Za-z0-9_-].){NOT_AFTER_MASK}"
_END = rf"(?![A-Za-z0-9_-]){NOT_BEFORE_MASK}"
# What every match begins with, and the shape. Each has 20 characters or more (see `clues`).
_SHAPES = {
    ("AKIA", "ASIA"): r"A(?:KI|SI)A[A-Z0-9]{16}",
    ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"): r"gh[pousr]_[A-Za-z0-9]{30,255}",
    ("github_pat_",): r"github_pat_[A-Za-z0-9_]{22,255}",
    ("glpat-",): r"glpat-[A-Za-z0-9_-]{20,255}",
    ("xox",): r"xox[abeoprs]-[A-Za-z0-9-]{15,255}",
    # OpenAI's and Anthropic's; digits, and capitals where there are hyphens, tell them from names.
    ("sk-",): r"sk-(?=[A-Za-z_-]*[0-9])(?:(?=[a-z0-9_-]*[A-Z])[A-Za-z0-9_-]{20,255}|[a-z0-9]{20,255})",
    ("_live_", "_test_"): r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}",
    ("hf_",): r"hf_[A-Za-z0-9]{24,64}",
    ("npm_",): r"npm_[A-Za-z0-9]{36}",
    ("pypi-",): r"pypi-AgE[A-Za-z0-9_-]{40,1024}",
    ("SG.",): r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}",
    ("AIza",): r"AIza[A-Za-z0-9_-]{30,40}",
    # Its two first parts begin with `{"` in base64.
    ("eyJ",): r"eyJ[A-Za-z0-9_-]{17,4096}\.eyJ[A-Za-z0-9_-]{8,65535}\.[A-Za-z0-9_-]{8,1024}",
}
TOKEN_STARTS = tuple(start for starts in _SHAPES for start in starts)
"""What every match begins with, at most three characters before a word of 20."""


def _bounded(shape: str) -> str:
    first = shape.index("]") + 1 if shape.startswith("[") else 1
    return shape[:first] + _EDGE + shape[first:] + _END


_COMPILED = [(starts, re.compile(_bounded(shape))) for starts, shape in _SHAPES.items()]
_BEGIN = "-----BEGIN "
_PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,16} ){0,3}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,64}-----")
# Headers ("Proc-Type: 4,ENCRYPTED") and base64; of a text that was cut, up to where it ends.
_PEM_BODY = re.compile(r"(?:[A-Za-z0-9+/=\s:,]|\\[nr]|-(?!-))*")


def find_tokens(text: str) -> Iterator[PersonalData]:
    """Tokens of Amazon, GitHub, GitLab, Google, Hugging Face, npm, OpenAI, PyPI, SendGrid, Slack, Stripe; JWTs."""
    for starts, shape in _COMPILED:
        if any(start in text for start in starts):
            for match in shape.finditer(text):
                yield PersonalData(match.start(), match.end(), "key")


def find_private_keys(text: str) -> Iterator[PersonalData]:
    """Private keys in PEM's form, from their first line to their last."""
    end = 0
    while _BEGIN in text and (begin := _PEM_BEGIN.search(text, end)) is not None:
        body = _PEM_BODY.match(text, begin.end())
        end = body.end() if body is not None else begin.end()
        closing = _PEM_END.match(text, end)
        end = closing.end() if closing is not None else end
        yield PersonalData(begin.start(), begin.start() + len(text[begin.start() : end].rstrip()), "key")
