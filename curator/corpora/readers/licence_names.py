"""The licence of an installed package as an SPDX expression."""

from __future__ import annotations

import re
from collections.abc import Callable
from email.message import Message
from itertools import chain

UNKNOWN = "unknown"
# Says BSD, not which: the licence file tells, else this reference stays.
_SOME_BSD = "LicenseRef-BSD"
_NAMES = {
    "mit": "MIT",
    "mit license": "MIT",
    "expat": "MIT",
    "apache": "Apache-2.0",
    "apache 2": "Apache-2.0",
    "apache 2.0": "Apache-2.0",
    "apache-2.0": "Apache-2.0",
    "apache license 2.0": "Apache-2.0",
    "apache 2.0 license": "Apache-2.0",
    "apache license version 2.0": "Apache-2.0",
    "apache license": "Apache-2.0",
    "apache software license": "Apache-2.0",
    "apache software license 2.0": "Apache-2.0",
    "bsd": _SOME_BSD,
    "bsd license": _SOME_BSD,
    "new bsd": "BSD-3-Clause",
    "new bsd license": "BSD-3-Clause",
    "modified bsd": "BSD-3-Clause",
    "3-clause bsd license": "BSD-3-Clause",
    "bsd 3-clause": "BSD-3-Clause",
    "bsd 3-clause license": "BSD-3-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "bsd 2-clause license": "BSD-2-Clause",
    "bsd 2-clause": "BSD-2-Clause",
    "simplified bsd": "BSD-2-Clause",
    "bsd-2-clause": "BSD-2-Clause",
    "isc": "ISC",
    "isc license": "ISC",
    "isc license iscl": "ISC",
    "mpl-2.0": "MPL-2.0",
    "mpl 2.0": "MPL-2.0",
    "mozilla public license 2.0 mpl 2.0": "MPL-2.0",
    "psf": "PSF-2.0",
    "psf-2.0": "PSF-2.0",
    "python software foundation license": "PSF-2.0",
    "the unlicense unlicense": "Unlicense",
    "unlicense": "Unlicense",
    "hpnd": "HPND",
    "mit-cmu": "MIT-CMU",
    "zpl 2.1": "ZPL-2.1",
    "gnu general public license v3 gplv3": "GPL-3.0-only",
    "gnu general public license v3 or later gplv3+": "GPL-3.0-or-later",
    "gnu lesser general public license v3 lgplv3": "LGPL-3.0-only",
    "gnu lesser general public license v3 or later lgplv3+": "LGPL-3.0-or-later",
    "gnu affero general public license v3": "AGPL-3.0-only",
}
_EXPRESSION = re.compile(
    r"[A-Za-z0-9.+-]+-\d[\w.]*\+?(-\w+)*( (AND|OR|WITH) [A-Za-z0-9.+-]+)*"
    r"|[A-Za-z0-9.+-]+( (AND|OR) [A-Za-z0-9.+-]+)+"
)


def package_licence(metadata: Message, licence_text: Callable[[], str] = str) -> str:
    """Read the SPDX expression off a package's METADATA.

    ``License-Expression`` wins. Else the short ``License`` field and the licence classifiers are brought to
    SPDX names; where they name different licences the answer is ``unknown``: we do not choose for the author.
    A bare "BSD" is read off the licence text.

    Args:
        metadata: the parsed METADATA headers.
        licence_text: gives the text of the package's licence file; only called for a bare "BSD".
    """
    expression = str(metadata.get("License-Expression") or "").strip()
    if expression:
        return expression
    field = str(metadata.get("License") or "").strip()
    classifiers = [str(line) for line in metadata.get_all("Classifier") or []]
    named = [line.rpartition("::")[2] for line in classifiers if line.startswith("License ::")]
    found = {name for name in chain([_spdx(field)], (_spdx(name) for name in named)) if name}
    if any(name.startswith("BSD-") for name in found):
        found.discard(_SOME_BSD)
    if len(found) != 1:
        return UNKNOWN
    (name,) = found
    if name == _SOME_BSD:
        return _which_bsd(field) or _which_bsd(licence_text()) or _SOME_BSD
    return name


def _spdx(name: str) -> str:
    """Give the SPDX name of a short licence name, an expression as it is, else an empty string."""
    if len(name) > 100:
        return _which_bsd(name)
    key = re.sub(r"[\s,()]+", " ", name.strip().lower()).strip().removeprefix("the ")
    if key in _NAMES:
        return _NAMES[key]
    return name.strip() if _EXPRESSION.fullmatch(name.strip()) else ""


def _which_bsd(text: str) -> str:
    text = " ".join(text.split()).lower()
    if "redistribution and use in source and binary forms" not in text:
        return ""
    return "BSD-3-Clause" if "endorse or promote" in text else "BSD-2-Clause"
