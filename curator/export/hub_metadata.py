"""The metadata block of a dataset card, by the rules that the Hugging Face Hub publishes.

Licence ids: huggingface.co/docs/hub/repositories-licenses. Fields: datasetcard.md of huggingface/hub-docs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

LICENCE_FILE = "LICENSE.md"

# Of the hub's list, those that are an SPDX id in lower case.
_SAME_AS_SPDX = frozenset(
    """
    afl-3.0 apache-2.0 artistic-2.0 bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0 cc-by-2.0 cc-by-2.5
    cc-by-3.0 cc-by-4.0 cc-by-nc-2.0 cc-by-nc-3.0 cc-by-nc-4.0 cc-by-nc-nd-3.0 cc-by-nc-nd-4.0 cc-by-nc-sa-2.0
    cc-by-nc-sa-3.0 cc-by-nc-sa-4.0 cc-by-nd-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 cdla-permissive-1.0
    cdla-permissive-2.0 cdla-sharing-1.0 ecl-2.0 epl-1.0 epl-2.0 etalab-2.0 eupl-1.1 isc lppl-1.3c mit mpl-2.0
    ms-pl ncsa ofl-1.1 osl-3.0 postgresql unlicense wtfpl zlib unknown
    """.split()  # noqa: SIM905  (a list of words is easier to compare with the hub's)
)
# And those that have another name there.
_OTHER_NAMES = {"odc-by-1.0": "odc-by", "odbl-1.0": "odbl", "pddl-1.0": "pddl", "c-uda-1.0": "c-uda"}
_GNU = re.compile(r"(?P<name>agpl-3\.0|l?gpl-3\.0|gpl-2\.0|lgpl-2\.1)(-only|-or-later|\+)?")
# ISO 639-2 codes that name no language: undetermined, several, none, uncoded.
_NO_LANGUAGE = {"und", "mul", "zxx", "mis"}
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def metadata(manifest: dict[str, Any]) -> dict[str, Any]:
    """The fields of a set's card, for ``huggingface_hub.DatasetCardData``."""
    fields: dict[str, Any] = {
        "pretty_name": f"{manifest['name']} (calibration set)",
        **licence_fields(document["licence"] for document in manifest["documents"]),
        "task_categories": ["text-generation"],
        "size_categories": [size_category(manifest["samples"])],
        "tags": ["calibration", "quantization", "nvfp4"],
        "configs": [
            {"config_name": "default", "data_files": [{"split": "train", "path": "samples.jsonl"}]},
        ],
    }
    languages = language_codes(document["language"] for document in manifest["documents"])
    return {"language": languages, **fields} if languages else fields


def licence_fields(licences: Iterable[str]) -> dict[str, str]:
    """``license``; for one that the hub does not know, or several, also a name and where they are written out."""
    found = sorted(set(licences)) or ["unknown"]
    if len(found) > 1:
        return {"license": "other", "license_name": "mixed", "license_link": LICENCE_FILE}
    known = hub_licence(found[0])
    if known:
        return {"license": known}
    name = re.sub(r"[^a-z0-9.]+", "-", found[0].lower()).strip("-") or "unnamed"
    return {"license": "other", "license_name": name, "license_link": LICENCE_FILE}


def hub_licence(spdx: str) -> str | None:
    """The hub's id of an SPDX licence, or ``None`` when it has none (expressions never have)."""
    name = spdx.strip().lower()
    if name in _SAME_AS_SPDX:
        return name
    if name in _OTHER_NAMES:
        return _OTHER_NAMES[name]
    if gnu := _GNU.fullmatch(name):
        return gnu["name"]
    return "gfdl" if re.fullmatch(r"gfdl-1\.[123](-(no-)?invariants)?(-only|-or-later)?", name) else None


def language_codes(tags: Iterable[str]) -> list[str]:
    """ISO 639 codes (two or three letters) of BCP 47 tags, sorted; tags that name no language are left out."""
    codes = {re.split("[-_]", tag)[0].lower() for tag in tags}
    return sorted(code for code in codes if re.fullmatch("[a-z]{2,3}", code) and code not in _NO_LANGUAGE)


def size_category(rows: int) -> str:
    """The hub's class for a number of rows."""
    return next((name for limit, name in _SIZES if rows < limit), "1M<n<10M")
