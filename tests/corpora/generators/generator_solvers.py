"""Finds the answer of a generated question in its prompt alone, in another way than the generators made it."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeVar

from curator.corpora.generators.wordings import (
    common_words,
    frequent_words,
    key_value,
    niah,
    passkey,
    variable_tracking,
)
from curator.corpora.generators.wordings.asking import Asking
from curator.corpora.generators.wordings.list_wording import ListWording

TABLES: Mapping[str, Mapping[tuple[str, str], Sequence[object]]] = {
    "cwe": common_words.WORDINGS,
    "fwe": frequent_words.WORDINGS,
    "kv": key_value.WORDINGS,
    "niah": niah.WORDINGS,
    "passkey": passkey.WORDINGS,
    "vt": variable_tracking.WORDINGS,
}
NUMERALS = {
    word: number
    for words in (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty",
        "零 一 两 三 四 五 六 七 八 九 十 十一 十二 十三 十四 十五 十六 十七 十八 十九 二十",
    )
    for number, word in enumerate(words.split())
}
NAME = {"en": r"[\w-]+", "zh": r"[^“”]+"}
QUOTED = {"en": r'"([^"]+)"', "zh": r"“([^”]+)”"}
W = TypeVar("W")


def wording_of(table: Mapping[tuple[str, str], Sequence[W]], prompt: str) -> W:
    """The wording whose opening the prompt has."""
    (found,) = [one for side in table.values() for one in side if one.opening in prompt]  # type: ignore[attr-defined]
    return found


def pattern(template: str, **groups: str) -> re.Pattern[str]:
    """A template as a regular expression with a group for each place-holder."""
    parts = re.split(r"\{(\w+)\}", template)
    return re.compile("".join(f"({groups[part]})" if at % 2 else re.escape(part) for at, part in enumerate(parts)))


def solve(name: str, prompt: str) -> tuple[str, ...]:
    """What the prompt's question asks for."""
    return {"cwe": _cwe, "fwe": _fwe, "kv": _kv, "niah": _niah, "passkey": _passkey, "vt": _vt}[name](prompt)


def list_of(prompt: str, wording: ListWording) -> list[str]:
    """The listed words of a question about counts, after a check that their numbers have no gap."""
    listed = prompt.split("\n\n")[-2].split(wording.gap)
    if wording.item == "{word}":
        return listed
    found = [pattern(wording.item, number=r"\d+", word=r"\w+").fullmatch(item) for item in listed]
    first = 1 if wording.item.startswith("{number}") or "{number}" in wording.item.split("{word}")[0] else 2
    assert [int(item[first]) for item in found if item] == list(range(1, len(listed) + 1))
    return [item[3 - first] for item in found if item]


def asked_of(question: str, wording: ListWording) -> int:
    """How many words are asked for."""
    many = r"\w+? words" if wording.language == "en" else r"\w+?个词"
    (found,) = pattern(wording.question, many=many).findall(question)
    return NUMERALS[found.removesuffix(" words").removesuffix("个词")]


def _cwe(prompt: str) -> tuple[str, ...]:
    wording = wording_of(common_words.WORDINGS, prompt)
    listed, many = list_of(prompt, wording), asked_of(prompt.split("\n\n")[-1], wording)
    ranked = Counter(listed).most_common()
    assert ranked[many - 1][1] >= 2 * ranked[many][1]
    return tuple(sorted((word for word, _ in ranked[:many]), key=listed.index))


def _fwe(prompt: str) -> tuple[str, ...]:
    wording = wording_of(frequent_words.WORDINGS, prompt)
    listed, many = list_of(prompt, wording), asked_of(prompt.split("\n\n")[-1], wording)
    ranked = Counter(listed).most_common()
    assert len({count for _, count in ranked[: many + 1]}) == many + 1
    return tuple(word for word, _ in ranked[:many])


def _kv(prompt: str) -> tuple[str, ...]:
    wording: Asking = wording_of(key_value.WORDINGS, prompt)
    pairs = json.loads(prompt[prompt.index("{") : prompt.rindex("}") + 1], object_pairs_hook=list)
    assert len(dict(pairs)) == len(pairs)
    keys = re.findall(QUOTED[wording.language], prompt[prompt.rindex("}") :])
    return tuple(dict(pairs)[key] for key in keys)


def _niah(prompt: str) -> tuple[str, ...]:
    wording = wording_of(niah.WORDINGS, prompt)
    text, _, question = prompt.rpartition("\n\n")
    name = NAME[wording.language]
    quoted = QUOTED[wording.language].replace("(", "(?:")
    needle = pattern(wording.needle, key=quoted, value=name if wording.language == "en" else quoted)
    told = [(key[1:-1], value.strip("“”")) for key, value in needle.findall(text)]
    keys = re.findall(QUOTED[wording.language], question)
    assert len(set(keys)) == len(keys) > 0
    values = {key: [value for one, value in told if one == key] for key in keys}
    (each,) = {len(found) for found in values.values()}
    numbers = {
        NUMERALS.get(word) for word in re.findall(r"[a-z]+|[一两三四五六七八九十]+(?=[张处次个条])", question)
    }
    assert each == 1 or each in numbers
    return tuple(value for key in keys for value in values[key])


def _passkey(prompt: str) -> tuple[str, ...]:
    wording = wording_of(passkey.WORDINGS, prompt)
    quoted = QUOTED[wording.language].replace("(", "(?:")
    ((first, second),) = pattern(wording.needle, value=quoted).findall(prompt)
    assert first == second
    return (first[1:-1],)


def _vt(prompt: str) -> tuple[str, ...]:
    wording = wording_of(variable_tracking.WORDINGS, prompt)
    quoted = QUOTED[wording.language].replace("(", "(?:")
    holds: dict[str, str] = {}
    given = pattern(wording.given, name=quoted, value=r"\d+")
    copied = pattern(wording.copied, name=quoted, other=quoted)
    statements = [(found.start(), found[1], found[2]) for one in (given, copied) for found in one.finditer(prompt)]
    # Read from the front: a copy refers to what was said before it.
    for _, name, source in sorted(statements):
        assert name not in holds
        holds[name] = source if source.isdigit() else holds[source]
    (value,) = pattern(wording.question, value=r"\d+").findall(prompt.rpartition("\n\n")[2])
    return tuple(name[1:-1] for name, number in holds.items() if number == value)
