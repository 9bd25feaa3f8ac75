"""Good text in shapes that prose rules refuse: tables, poems, messages, steps, recipes, names of substances."""

from __future__ import annotations

import random

from gate_bench.draw import clip, half_of
from gate_bench.hosts import sentences
from gate_bench.names import people, places, stamp
from gate_bench.vocabulary import LANGUAGES, english_dictionary, half_text, identifiers

_EMOJI = "😀😂🥲😍🤔🙏👍🎉🔥🚀💡🐈🌧☕📚🏃🎶❤✨"
_HYDROCARBONS = ["meth", "eth", "prop", "but", "pent", "hex", "hept", "oct", "non", "dec", "undec", "dodec"]
_GROUPS = [
    "methyl",
    "ethyl",
    "propyl",
    "butyl",
    "phenyl",
    "benzyl",
    "chloro",
    "bromo",
    "fluoro",
    "iodo",
    "nitro",
    "amino",
    "hydroxy",
    "methoxy",
    "oxo",
    "cyano",
]
_TIMES = ("", "di", "tri", "tetra")
_RINGS = [
    "pyridine",
    "pyrimidine",
    "quinoline",
    "indole",
    "furan",
    "thiophene",
    "imidazole",
    "piperazine",
    "morpholine",
    "benzene",
    "naphthalene",
]
_ACIDS = [
    "glycine",
    "alanine",
    "valine",
    "leucine",
    "serine",
    "lysine",
    "proline",
    "tyrosine",
    "histidine",
    "arginine",
]
_FOODS = [
    "barley", "oatmeal", "porridge", "bread", "loaf", "muffin", "biscuit", "pancake", "waffle", "noodle",
    "dumpling", "lentil", "chickpea", "bean", "pea", "carrot", "turnip", "parsnip", "radish", "beetroot",
    "potato", "onion", "garlic", "leek", "celery", "spinach", "lettuce", "cabbage", "broccoli", "cucumber",
    "pumpkin", "pepper", "tomato", "olive", "caper", "mushroom", "truffle", "apple", "pear", "quince", "plum",
    "cherry", "apricot", "peach", "melon", "mango", "papaya", "banana", "lemon", "orange", "grape", "raisin",
    "fig", "date", "walnut", "almond", "hazelnut", "peanut", "chestnut", "honey", "syrup", "treacle", "sugar",
    "salt", "vinegar", "mustard", "cinnamon", "nutmeg", "ginger", "saffron", "basil", "thyme", "parsley",
    "rosemary", "cheese", "yoghurt", "butter", "cream", "custard", "pudding", "pastry", "dough", "flour",
    "yeast", "broth", "stew", "soup", "salad", "sandwich", "omelette", "cocoa",
]  # fmt: skip
_AMOUNTS = (
    "1 tsp",
    "2 tbsp",
    "1 cup",
    "250 g",
    "500 ml",
    "3",
    "a pinch of",
    "1/2 cup",
    "100 g",
    "two handfuls of",
)


def table(draw: random.Random, half: int, length: int) -> str:
    """A Markdown, CSV, tab or drawn table with heads and columns of words, numbers and dates."""
    style, wide = draw.choice(["markdown", "csv", "tsv", "drawn", "plain"]), draw.randint(3, 7)
    heads = draw.sample(identifiers(half), wide)
    kinds = [draw.choice(["place", "number", "date", "person", "money", "phrase"]) for _ in heads]
    rows: list[list[str]] = []
    while sum(len(cell) + 3 for row in rows for cell in row) < length:
        rows.append([_cell(draw, half, kind) for kind in kinds])
    if style in ("csv", "tsv"):
        joint = "," if style == "csv" else "\t"
        return clip("\n".join(joint.join(row) for row in [heads, *rows]), length)
    widths = [max(len(row[at]) for row in [heads, *rows]) for at in range(wide)]
    lines = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in [heads, *rows]]
    if style == "plain":
        return clip("\n".join("  ".join(line).rstrip() for line in lines), length)
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    drawn = [f"| {' | '.join(line)} |" for line in lines]
    if style == "drawn":
        rule = rule.replace("|", "+")
        return clip("\n".join([rule, drawn[0], rule, *drawn[1:], rule]), length)
    return clip("\n".join([drawn[0], rule, *drawn[1:]]), length)


def _cell(draw: random.Random, half: int, kind: str) -> str:
    if kind == "place":
        return draw.choice(places(half))
    if kind == "number":
        return str(draw.randint(0, 10 ** draw.randint(1, 5)))
    if kind == "date":
        return stamp(draw, "%Y-%m-%d")
    if kind == "person":
        return people(draw, half)[0]
    if kind == "money":
        return f"{draw.uniform(0, 999):.2f}"
    return " ".join(draw.choice(sentences(half)).split(" ")[: draw.randint(2, 5)]).replace(",", "").rstrip(".")


def poem(draw: random.Random, half: int, length: int) -> str:
    """Prose set in short lines and stanzas, indented here and there, some with a refrain."""
    text = half_text(draw.choice(["eng", "eng", *LANGUAGES]), half)
    start = text.find("\n", draw.randrange(max(1, len(text) - 2 * length - 200))) + 1
    words = text[start : start + length].split()
    lines: list[str] = []
    per, refrain = draw.randint(3, 6), draw.random() < 0.2
    while words:
        size = draw.randint(3, 8)
        lines.append(" " * draw.choice([0, 0, 0, 2, 4]) + " ".join(words[:size]).strip(".,;"))
        words = words[size:]
        if len(lines) % (per + 1) == per:
            lines.append(lines[0] + "\n" if refrain else "")
    return clip("\n".join(lines), length)


def posts(draw: random.Random, half: int, length: int) -> str:
    """Short posts with hashtags, names, emoji and links, in English and other languages."""
    language = draw.choice(["eng", "eng", *LANGUAGES])
    fit = [line for line in sentences(half, language) if len(line) < 180]
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        one = draw.choice(fit)
        if draw.random() < 0.6:
            one += " " + " ".join(
                f"#{word.capitalize()}" for word in draw.sample(english_dictionary(half), draw.randint(1, 3))
            )
        if draw.random() < 0.4:
            one = "@" + people(draw, half)[0].lower().replace(" ", draw.choice(["", "_"])) + " " + one
        if draw.random() < 0.5:
            one += " " + "".join(draw.choices(_EMOJI, k=draw.randint(1, 3)))
        if draw.random() < 0.2:
            one += f" https://t.example/{''.join(draw.choices('abcdefghijkmnpqrstuvwxyzABCDEFGH23456789', k=8))}"
        parts.append(one)
    return clip("\n".join(parts), max(length, len(parts[0])))


def replies(draw: random.Random, half: int, length: int) -> str:
    """A chat of short lines: names and replies of a few words."""
    crowd = [people(draw, half)[0] for _ in range(draw.randint(2, 4))]
    lines: list[str] = []
    while sum(map(len, lines)) + len(lines) < length:
        phrase = draw.choice(sentences(half)).split(", ")[0].split(". ")[0]
        words = phrase.split(" ")[: draw.randint(2, 9)]
        lines.append(f"{draw.choice(crowd).split()[0]}: {' '.join(words).rstrip('.,;:')}{draw.choice('.?!')}")
        if draw.random() < 0.3:
            lines.append(
                f"{draw.choice(crowd)}: {draw.choice(['Thanks', 'OK', 'Yes', 'Not yet', 'Sure', 'See you'])}, "
                f"{draw.choice(crowd).split()[0]}."
            )
    return clip("\n".join(lines), max(length, 60))


def chemistry(draw: random.Random, half: int, length: int) -> str:
    """Systematic names of substances, alone in a list or with a property each."""
    style = draw.choice(["list", "table", "prose"])
    parts: list[str] = []
    while sum(map(len, parts)) < length:
        one = _substance(draw)
        if style == "table":
            one += f"\t{draw.uniform(30, 600):.2f} g/mol\t{draw.randint(-90, 300)} °C"
        elif style == "prose":
            act = draw.choice(["added to", "dissolved in", "distilled from"])
            one = f"{one[0].upper()}{one[1:]} was {act} {_substance(draw)}."
        parts.append(one)
    return clip(("\n" if style != "prose" else " ").join(parts), length)


def _substance(draw: random.Random) -> str:
    carbons = draw.randint(3, len(_HYDROCARBONS))
    ring = draw.choice(_RINGS) if draw.random() < 0.35 else ""
    spots = sorted(draw.sample(range(1, 7 if ring else carbons + 1), draw.randint(1, 3)))
    front = f"{','.join(map(str, spots))}-{_TIMES[len(spots) - 1]}{draw.choice(_GROUPS)}"
    if draw.random() < 0.5:
        front = f"{draw.randint(1, 4)}-{draw.choice(_GROUPS)}-{front}"
    if draw.random() < 0.25:
        front = f"({draw.choice(['R', 'S', 'E', 'Z', '2R,3S', '1S,4R'])})-{front}"
    if ring:
        return f"{front}{ring}" + draw.choice(["", "-2-carboxylic acid", "-3-carbaldehyde", " hydrochloride"])
    stem = draw.choice(["", "cyclo"]) + _HYDROCARBONS[carbons - 1]
    end = draw.choice(
        ["ane", "an-1-ol", "an-2-one", "anoic acid", "-2-ene", "anal", "yl acetate", "ane-1,2-diol", "anamide"]
    )
    return f"{front}{stem}{end}" if draw.random() < 0.85 else f"N-{draw.choice(_GROUPS)}-{draw.choice(_ACIDS)}"


def cooking(draw: random.Random, half: int, length: int) -> str:
    """A recipe: a heading, amounts, numbered steps."""
    things = draw.sample([food for food in _FOODS if half_of(f"word:{food}") == half], 12)
    acts = ["Stir", "Chop", "Warm", "Mix", "Fold", "Bake", "Rinse", "Slice", "Simmer", "Cover", "Drain", "Whisk"]
    lines = [f"{things[0].capitalize()} with {things[1]}", "", "Ingredients"]
    lines += [f"- {draw.choice(_AMOUNTS)} {thing}" for thing in things[: draw.randint(4, 9)]] + ["", "Method"]
    number = 1
    while sum(map(len, lines)) < length:
        one, two = draw.sample(things, 2)
        how, end = draw.choice(["with", "into", "over"]), draw.choice(["", ", then let it rest", " and season"])
        time = f"{draw.choice(['for', 'until done, about'])} {draw.randint(2, 45)} minutes"
        lines.append(f"{number}. {draw.choice(acts)} the {one} {how} the {two} {time}{end}.")
        number += 1
    return clip("\n".join(lines), max(length, 160))


def steps(draw: random.Random, half: int, length: int) -> str:
    """Numbered, lettered or dashed points, each a real sentence, under a heading."""
    text = list(sentences(half, draw.choice(["eng", "eng", "eng", *LANGUAGES])))
    at = draw.randrange(max(1, len(text) - 60))
    mark = draw.choice(["{0}. ", "{0}) ", "- ", "* ", "Step {0}: ", "[ ] "])
    number = 1
    lines: list[str] = []
    while sum(map(len, lines)) < length and at < len(text):
        lines.append(mark.format(number) + text[at])
        at, number = at + 1, number + 1
    return clip("\n".join(lines), max(length, 60))
