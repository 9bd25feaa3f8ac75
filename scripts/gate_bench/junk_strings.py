"""Junk of characters drawn at random: identifiers, encodings of random bytes, letters, digits, codes."""

from __future__ import annotations

import base64
import random
import string
import uuid

from gate_bench.draw import clip

_ALPHABETS = {
    "latin": string.ascii_lowercase,
    "latin-mixed": string.ascii_letters,
    "latin-capitals": string.ascii_uppercase,
    "alphanumeric": string.ascii_letters + string.digits,
    "cyrillic": "абвгдеёжзийклмнопрстуфхцчшщъыьэюя",
    "cyrillic-mixed": "абвгдежзийклмнопрстуфхцчшщъыьэюяАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЭЮЯ",
    "greek": "αβγδεζηθικλμνξοπρστυφχψω",
    "hebrew": "אבגדהוזחטיכלמנסעפצקרשת",
    "arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    "latin-signs": string.ascii_letters + string.digits + "!#$%&*+-/=?@^_~",
}
_LABELS = ("id", "key", "token", "session", "ref", "request", "node", "trace")


def uuids(draw: random.Random, half: int, length: int) -> str:
    """UUIDs one after another, numbered, quoted, or as short ``key: value`` lines."""
    style = draw.choice(["lines", "spaces", "commas", "labelled", "numbered", "braces", "pairs", "plain"])
    upper = draw.random() < 0.2
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        one = str(uuid.UUID(int=draw.getrandbits(128), version=4))
        one = one.upper() if upper else one
        if style == "labelled":
            one = f"{draw.choice(_LABELS)}: {one}"
        elif style == "numbered":
            one = f"{len(parts) + 1}. {one}"
        elif style == "braces":
            one = "{" + one + "}"
        elif style == "plain":
            one = one.replace("-", "")
        elif style == "pairs":
            one = f"{one}={uuid.UUID(int=draw.getrandbits(128), version=4)}"
        parts.append(one)
    return clip({"spaces": " ", "commas": ", "}.get(style, "\n").join(parts), length)


def _broken(text: str, draw: random.Random, length: int) -> str:
    """One run, lines of a fixed width, or groups with spaces between."""
    style = draw.choice(["run", "lines", "lines", "groups"])
    if style == "run":
        return clip(text, length)
    width = draw.choice([32, 40, 60, 64, 70, 76]) if style == "lines" else draw.choice([16, 20, 24, 32])
    parts = [text[at : at + width] for at in range(0, len(text), width)]
    return clip(("\n" if style == "lines" else " ").join(parts), length)


def hexadecimal(draw: random.Random, half: int, length: int) -> str:
    """Random bytes in hexadecimal: runs, lines, digests, byte by byte."""
    raw = draw.randbytes(length).hex()
    style = draw.choice(["broken", "broken", "digests", "bytes", "prefixed"])
    if style == "digests":
        size = draw.choice([32, 40, 64, 128])
        raw = "\n".join(raw[at : at + size] for at in range(0, len(raw), size))
    elif style == "bytes":
        raw = draw.choice([" ", ":", ""]).join(raw[at : at + 2] for at in range(0, len(raw), 2))
    elif style == "prefixed":
        raw = draw.choice([" ", ", "]).join(f"0x{raw[at : at + 8]}" for at in range(0, len(raw), 8))
    raw = raw.upper() if draw.random() < 0.25 else raw
    return clip(raw, length) if style != "broken" else _broken(raw, draw, length)


def base_64(draw: random.Random, half: int, length: int) -> str:
    """Random bytes in base64, both alphabets."""
    raw = draw.randbytes(length)
    coded = base64.b64encode(raw) if draw.random() < 0.6 else base64.urlsafe_b64encode(raw)
    return _broken(coded.decode(), draw, length)


def base_32(draw: random.Random, half: int, length: int) -> str:
    """Random bytes in base32."""
    coded = base64.b32encode(draw.randbytes(length)).decode()
    return _broken(coded.lower() if draw.random() < 0.2 else coded, draw, length)


def base_85(draw: random.Random, half: int, length: int) -> str:
    """Random bytes in base85 or ASCII85."""
    coder = base64.b85encode if draw.random() < 0.5 else base64.a85encode
    return _broken(coder(draw.randbytes(length)).decode(), draw, length)


def letters(draw: random.Random, half: int, length: int) -> str:
    """Letters of an alphabet drawn uniformly, in made words of a range of lengths."""
    alphabet = _ALPHABETS[draw.choice(list(_ALPHABETS))]
    low, high = draw.choice([(3, 9), (2, 12), (5, 5), (6, 6), (8, 16), (1, 7)])
    joint = draw.choice([" ", " ", " ", "\n", ", "])
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts.append("".join(draw.choices(alphabet, k=draw.randint(low, high))))
    return clip(joint.join(parts), length)


def digits(draw: random.Random, half: int, length: int) -> str:
    """Digits drawn uniformly: groups, lines, decimals without heads; no table has such rows."""
    style = draw.choice(["groups", "groups", "lines", "run", "mixed"])
    low, high = draw.choice([(1, 9), (4, 4), (6, 6), (10, 10), (5, 12)])
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        size = low if style == "lines" else draw.randint(low, high)
        one = "".join(draw.choices(string.digits, k=size))
        parts.append(one[:2] + "." + one[2:] if style == "mixed" and draw.random() < 0.4 and len(one) > 3 else one)
    return clip({"lines": "\n", "run": ""}.get(style, " ").join(parts), length)


def short_codes(draw: random.Random, half: int, length: int) -> str:
    """Short codes of letters and digits, such as ``k3f9q`` and ``AB-1234``."""
    forms = draw.choice(
        [
            ["aadda", "daada"],
            ["AA-dddd"],
            ["xxxxx", "xxxxxx"],
            ["xxxxxxxxx"],
            ["Addd", "AAdd"],
            ["aaaddd"],
            ["xxxx-xxxx"],
        ]
    )
    # Each half has a shape of its own besides the shared ones.
    forms = [*forms, "xxdx" if half else "dxxx"]
    table = {"a": string.ascii_lowercase, "A": string.ascii_uppercase, "d": string.digits}
    table["x"] = string.ascii_lowercase + string.digits
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        parts.append("".join(draw.choice(table.get(sign, sign)) for sign in draw.choice(forms)))
    return clip(draw.choice([" ", " ", "\n", ", ", "; "]).join(parts), length)
