"""Language codes of recipes and cards: BCP 47 tags, told from words that only look like them."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

from curator._errors import did_you_mean

# ISO 639-1 codes in use, as BCP 47 has them.
_ISO_639_1 = """\
aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en
eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja
jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb
nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so
sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
"""
_TWO = frozenset(_ISO_639_1.split())
# What people write instead: names, country codes, and three letters where BCP 47 has two.
_MEANT = {
    "ara": "ar", "arabic": "ar", "bengali": "bn", "chi": "zh", "chinese": "zh", "cn": "zh",
    "cz": "cs", "czech": "cs", "danish": "da", "deu": "de", "dk": "da", "dut": "nl",
    "dutch": "nl", "eng": "en", "english": "en", "finnish": "fi", "fra": "fr", "fre": "fr",
    "french": "fr", "ger": "de", "german": "de", "gr": "el", "greek": "el", "hebrew": "he",
    "hin": "hi", "hindi": "hi", "in": "id", "ita": "it", "italian": "it", "iw": "he",
    "japanese": "ja", "jp": "ja", "jpn": "ja", "kor": "ko", "korean": "ko", "nld": "nl",
    "nor": "no", "norwegian": "no", "pol": "pl", "polish": "pl", "por": "pt", "portuguese": "pt",
    "rus": "ru", "russian": "ru", "spa": "es", "spanish": "es", "swe": "sv", "swedish": "sv",
    "tur": "tr", "turkish": "tr", "ukr": "uk", "ukrainian": "uk", "vie": "vi", "vietnamese": "vi",
    "zho": "zh",
}  # fmt: skip
_TAG = re.compile(
    r"([A-Za-z]{2,3})(?:-[A-Za-z]{4})?(?:-(?:[A-Za-z]{2}|[0-9]{3}))?"
    r"(?:-(?:[A-Za-z0-9]{5,8}|[0-9][A-Za-z0-9]{3}))*(?:-x(?:-[A-Za-z0-9]{1,8})+)?"
)
_KNOWN = "a code such as en, zh, pt-BR or zh-Hant (und: undetermined, mul: several, zxx: no language)"


def checked_language(code: str) -> str:
    """``code`` as it is, when it can be a BCP 47 language tag.

    Three-letter codes are taken by their form, save those of languages that have two letters in BCP 47.

    Raises:
        ValueError: it cannot; says what was probably meant.
    """
    dashed = code.replace("_", "-")
    match = _TAG.fullmatch(dashed)
    primary = match[1] if match else dashed.partition("-")[0]
    meant = _MEANT.get(primary.lower())
    if meant is None and match and (len(primary) == 3 or primary.lower() in _TWO):
        meant = primary.lower()
    if meant is None:
        names = sorted(_TWO) if len(primary) <= 3 else ()
        hint = did_you_mean(primary.lower(), names, f"give {_KNOWN}", cutoff=0.5)
        raise ValueError(f"{code!r} is no BCP 47 language; {hint}")
    right = meant + dashed[len(primary) :] if match else meant
    if right != code:
        raise ValueError(f"{code!r} is no BCP 47 language; write {right}")
    return code


Language = Annotated[
    str, AfterValidator(checked_language), WithJsonSchema({"type": "string", "pattern": f"^{_TAG.pattern}$"})
]


def primary_subtag(code: str) -> str:
    """The language itself, of a BCP 47 code: ``zh`` of ``zh-Hant``."""
    return code.partition("-")[0]
