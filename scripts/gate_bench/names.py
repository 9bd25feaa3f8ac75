"""Names of people, machines and times for made records; people's names come from installed packages' metadata."""

from __future__ import annotations

import datetime
import random
import re
from functools import cache

from gate_bench.draw import half_of
from gate_bench.installed import package_files
from gate_bench.vocabulary import english_dictionary

_PERSON = re.compile(r"(?m)^(?:Author|Maintainer)(?:-email)?: (.+)$")
_NAME = re.compile(r"[^\W\d_]+(?: [^\W\d_.]+\.?){1,2}")
_START = datetime.datetime(2015, 1, 1, tzinfo=datetime.UTC)


@cache
def _first_and_last(half: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    texts = [file.text() for file in package_files("*.dist-info", "METADATA", 1)]
    names = sorted({name for text in texts for line in _PERSON.findall(text) for name in _NAME.findall(line)})
    split = [name.split() for name in names]
    first = {parts[0] for parts in split if half_of(f"name:{parts[0]}") == half}
    last = {parts[-1] for parts in split if half_of(f"name:{parts[-1]}") == half}
    return tuple(sorted(first)), tuple(sorted(last))


def people(draw: random.Random, half: int) -> tuple[str, str]:
    """A person's name and mail address."""
    first, last = (draw.choice(part) for part in _first_and_last(half))
    place = draw.choice(["example.org", "example.com", f"{draw.choice(english_dictionary(half))}.example.net"])
    return f"{first} {last}", f"{first}.{last}".lower() + f"@{place}"


@cache
def places(half: int, language: str = "en") -> tuple[str, ...]:
    """Names of places in a language, from the telephone prefixes of ``phonenumbers``."""
    pattern = re.compile(rf"'{language}': ?'([^'\\]{{3,40}})'")
    files = package_files("phonenumbers/geodata", "data*.py", 9)
    found = {name for file in files for name in pattern.findall(file.text())}
    return tuple(sorted(name.replace(",", "") for name in found if half_of(f"place:{name}") == half))


@cache
def hosts(half: int) -> tuple[str, ...]:
    """Names of machines."""
    return tuple(f"{word}{number}" for number, word in enumerate(english_dictionary(half)[::400], start=1))


def stamp(draw: random.Random, form: str = "%Y-%m-%dT%H:%M:%SZ") -> str:
    """A time of the years 2015 to 2025."""
    return (_START + datetime.timedelta(seconds=draw.randrange(11 * 365 * 86400))).strftime(form)


def days(draw: random.Random) -> str:
    """A time as git writes it."""
    return stamp(draw, "%a %b %d %H:%M:%S %Y ") + draw.choice(["+0000", "+0100", "-0700", "+0900", "+0530"])
