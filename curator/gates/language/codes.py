"""One code a language: what detectors and people write, as BCP 47 has it, and which codes cover which."""

from __future__ import annotations

import functools

UNDETERMINED = "und"
NO_LINGUISTIC_CONTENT = "zxx"
# Deprecated codes, ISO 639-3 codes of languages that have two letters, and detectors' own ways of writing one.
_CURRENT = {
    "arb": "ar", "cmn": "zh", "fas": "fa", "heb": "he", "in": "id", "ind": "id", "iw": "he", "ji": "yi",
    "kik": "ki", "mo": "ro", "msa": "ms", "nno": "nn", "nob": "nb", "nor": "no", "pes": "fa", "sdh": "ku",
    "srl": "sr", "tgl": "tl", "uzn": "uz", "uzs": "uz", "zh-cn": "zh", "zh-tw": "zh", "zho": "zh",
}  # fmt: skip
# ISO 639-3 macrolanguages (and Filipino, which is the standard form of Tagalog): a found member is in an
# allowed whole, and detectors that know only the whole cannot tell the member.
_WHOLE = {
    "arz": "ar", "ary": "ar", "ckb": "ku", "fil": "tl", "gom": "kok", "id": "ms", "kmr": "ku", "nb": "no",
    "nn": "no", "prs": "fa", "wuu": "zh", "yue": "zh", "zsm": "ms",
}  # fmt: skip
_SOUTH_SLAVIC_LATIN = frozenset({"bs", "cnr", "hr"})
_SOUTH_SLAVIC = _SOUTH_SLAVIC_LATIN | {"sh", "sr"}


@functools.lru_cache(maxsize=4096)
def canonical(code: str) -> str:
    """A language tag with its current, shortest primary subtag; other subtags as they are.

    ``iw`` gives ``he``, ``nob`` gives ``nb``, ``cmn-Hant`` gives ``zh-Hant``.
    """
    if code in _CURRENT:
        return _CURRENT[code]
    primary, dash, rest = code.replace("_", "-").partition("-")
    primary = primary.lower()
    return _CURRENT.get(primary, primary) + dash + rest


# A run meets a few dozen codes, each with every text.
@functools.lru_cache(maxsize=4096)
def is_covered(found: str, allowed: str) -> bool:
    """Whether a text found to be in ``found`` may be in ``allowed``.

    One must contain the other: ``no`` allows ``nb``, ``zh`` allows ``zh-Hant``. ``nb`` allows ``no`` and
    ``pt-BR`` allows ``pt`` too, because a detector that says no more than that has not contradicted it.
    Detectors cannot tell Bosnian, Croatian and Serbian in Latin letters apart either.
    """
    one, other = _subtags(found), _subtags(allowed)
    if one[0] in _SOUTH_SLAVIC_LATIN and other[0] in _SOUTH_SLAVIC:
        return True
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def _subtags(code: str) -> list[str]:
    subtags = canonical(code).lower().split("-")
    whole = _WHOLE.get(subtags[0])
    return [whole, *subtags] if whole else subtags
