"""Mail addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from curator.gates.personal_data.finding import NOT_AFTER_MASK, NOT_BEFORE_MASK, PersonalData

# ASCII and Latin letters with marks: an address among Chinese or Thai letters ends where those begin.
_CHAR = r"A-Za-z0-9\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_LOCAL_REVERSED = re.compile(rf"[{_CHAR}._%+'-]{{1,64}}")
_LABEL = rf"[{_CHAR}](?:[{_CHAR}-]{{0,61}}[{_CHAR}])?"
_DOMAIN = re.compile(
    rf"@((?:{_LABEL}\.){{1,8}}([A-Za-z]{{2,24}}|xn--[a-z0-9]{{2,59}}))(?![{_CHAR}_@-]){NOT_BEFORE_MASK}"
)
_LOCAL_FIRST = re.compile(rf"[^@]{NOT_AFTER_MASK}(?<!@.)")
# The user of a link (`ssh://git@host.com/`, `https://user:password@host.com`) is no mailbox.
_LINK_USER = re.compile(r"//(?:[^\s/@:]*:)?$")
_MAX_LOCAL = 64
# Countries have two letters. Of the hundreds of others the frequent ones: `a@b.weight` is a product of matrices.
_TOP_LEVEL = frozenset(
    """
    com org net edu gov mil int info biz name pro aero coop museum jobs mobi travel tel cat asia post app dev
    cloud email online shop store site tech xyz blog agency bank club company consulting digital group live media
    news page solutions studio systems team today top vip wiki work world zone berlin london paris tokyo wien
    hamburg koeln swiss nyc health care legal law university school academy foundation ngo eus gal scot
    """.split()  # noqa: SIM905
)
# RFC 2606: kept for examples.
_EXAMPLE = re.compile(r"(?:^|\.)(?:example(?:\.(?:com|org|net|edu))?|test|invalid|localhost)$", re.IGNORECASE)


# A copy's path (`git@host.com:name/repository`) or a call (`a@b.to(device)`).
_PATH_OR_CALL = re.compile(r"[(\[]|:[A-Za-z0-9_~/.]")


def find_emails(text: str) -> Iterator[PersonalData]:
    """Addresses with a domain that can exist; none of the domains kept for examples, no ``user@host:path``."""
    if "@" not in text:
        return
    for domain in _DOMAIN.finditer(text):
        start = _start(text, domain.start())
        if start is not None and _is_personal(domain) and not _PATH_OR_CALL.match(text, domain.end()):
            yield PersonalData(start, domain.end(), "email")


def _start(text: str, at: int) -> int | None:
    # Read backwards from the @, so that a long word without one costs nothing.
    local = _LOCAL_REVERSED.match(text[max(at - _MAX_LOCAL, 0) : at][::-1])
    start = at - len(local.group().rstrip(".'%+-")) if local else at
    if (
        start == at
        or not _LOCAL_FIRST.match(text, start)
        or _LINK_USER.search(text[max(start - _MAX_LOCAL, 0) : start])
    ):
        return None
    return start


def _is_personal(domain: re.Match[str]) -> bool:
    top = domain[2].lower()
    known = len(top) == 2 or top.startswith("xn--") or top in _TOP_LEVEL
    return known and _EXAMPLE.search(domain[1]) is None
