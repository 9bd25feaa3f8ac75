"""A baseline that is there already: what is asked for, or what must not be lost for it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curator._errors import InputError
from curator.measure.baseline import Baseline
from curator.measure.comparable import different_facts
from curator.measure.manifest import MANIFEST

_WORDS = {
    "format": "another version",
    "tokenizer": "another tokenizer",
    "prompts_sha256": "other prompts",
    "settings": "other settings",
    "batch_sizes": "other batch sizes",
}


def finished(out: Path, asked: Mapping[str, Any], facts: Mapping[str, str]) -> Baseline | None:
    """The finished baseline in a folder, when it is what is asked for; ``None`` where there is none that is whole.

    Args:
        out: the folder.
        asked: see `known_before`.
        facts: some of what the server will tell of itself.

    Raises:
        InputError: it is of something else: nothing replaces it.
    """
    if not (out / MANIFEST).is_file():
        return None
    try:
        baseline = Baseline(out)
    except InputError:
        return None
    stored: Any = baseline.manifest.get("asked")
    known = stored if isinstance(stored, dict) else {}
    other = [words for name, words in _WORDS.items() if known.get(name) != asked[name]]
    theirs = baseline.manifest["server"]
    other += [f"another {name}" for name in different_facts(facts, theirs) if name in facts]
    if other:
        sizes = ", ".join(map(str, baseline.sizes))
        tokens = baseline.manifest["settings"].get("tokens")
        raise InputError(
            f"{out}: holds a finished baseline of {', '.join(other)} ({len(baseline.prompts)} prompts, "
            f"tokens {tokens}, batch {sizes}); name another --out, or delete it"
        )
    return baseline
