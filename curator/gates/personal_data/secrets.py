"""Values that are secret by the name before them: ``password=``, ``Authorization:``, the user's part of a link."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.gates.personal_data.finding import PersonalData

# A digit tells a token from words.
_BEARER = re.compile(r"[Bb](?:earer|EARER) {1,8}(?=[A-Za-z._~+/-]*[0-9])(?P<value>[A-Za-z0-9._~+/-]{16,4096}=*)")
_BASIC = re.compile(
    r"[Aa]uthorization[\"']?[ \t]{0,8}[:=][ \t]{0,8}[\"']?[Bb]asic[ \t]{1,8}(?P<value>[A-Za-z0-9+/]{8,4096}=*)"
)
_LINK = re.compile(r"://[^\s/:@?#\"'<>]{1,64}:(?P<value>[^\s/:@?#\"'<>$({]{3,128})@")
# A sign, then a value that is quoted, or stands alone behind it: not an expression. The name is looked for behind,
# before the few signs with such values. Nothing is consumed: a value may hold another.
_SIGN = re.compile(
    r"[:=](?==?[ \t]{0,4}(?P<quote>[\"'])(?P<quoted>[^\s\"'<>]{6,256})(?P=quote)|"
    r"(?<=[:=])[ \t]{0,4}(?P<bare>[^\s\"',;&()\[\]{}<>$`|:=]{6,256}={0,2})(?=[\s\"';&]|$))"
)
_NAME = re.compile(
    r"(?:passw(?:or)?d|passphrase|secret(?:[_-]?key)?|(?:access|auth|api|bot|refresh)[_-]?token|(?:access|api|private)[_-]?key)"
    r"[\"']?[ \t]{0,4}$",
    re.IGNORECASE | re.ASCII,
)
_MAX_NAME = 24
# Behind an equals sign and a space stands an expression more often than a secret, unless it is as long as one.
_MIN_SPACED = 16
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.\w+)+")


def find_header_values(text: str) -> Iterator[PersonalData]:
    """What follows ``Bearer`` and ``Authorization: Basic``, and passwords in links (``https://user:password@``)."""
    shapes = []
    if "earer " in text or "EARER " in text:
        shapes.append(_BEARER)
    if "uthorization" in text:
        shapes.append(_BASIC)
    if "@" in text and "://" in text:
        shapes.append(_LINK)
    for shape in shapes:
        for match in shape.finditer(text):
            # A link in a manual says `user:password@`.
            if shape is not _LINK or _is_secret(match["value"]):
                yield PersonalData(*match.span("value"), "key")


def find_named_values(text: str) -> Iterator[PersonalData]:
    """Values of ``password=``, ``"secret": "..."``, ``api_key:`` and the like, in settings and code."""
    for match in _SIGN.finditer(text):
        group = "quoted" if match["quoted"] else "bare"
        if group == "bare" and _is_short_expression(match):
            continue
        if _is_secret(match[group]) and _NAME.search(text[max(match.start() - _MAX_NAME, 0) : match.start()]):
            yield PersonalData(*match.span(group), "key")


def _is_short_expression(match: re.Match[str]) -> bool:
    spaced = match.string[match.start()] == "=" and match.start("bare") > match.start() + 1
    return spaced and len(match["bare"]) < _MIN_SPACED


def _is_secret(value: str) -> bool:
    """Letters and digits together: neither a word, a type, a number, nor the name of a variable's field."""
    mixed = any(map(str.isalpha, value)) and any(map(str.isdigit, value))
    return mixed and _ATTRIBUTE.fullmatch(value) is None
