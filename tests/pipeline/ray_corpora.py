"""Rows and recipes for the tests of Ray in this room: prose that meets itself again, code, junk and bad rows."""

from __future__ import annotations

import json
import random
from pathlib import Path

from curator.corpora.corpus import Corpus
from curator.corpora.files import open_files
from curator.corpora.reading import Columns, Reading

SUBJECTS = ("The harbour master", "A clerk of the ferry line", "The keeper of the light", "One of the pilots")
VERBS = ("wrote down", "asked about", "forgot", "repeated", "sold", "counted")
THINGS = ("the tides of the week", "every boat that was late", "the price of coal", "a rope of forty yards")
PLACES = ("before noon", "on the long pier", "while it rained", "near the old crane", "without a word")


def prose(draw: random.Random, sentences: int) -> list[str]:
    """Sentences of a small world."""
    return [" ".join(map(draw.choice, (SUBJECTS, VERBS, THINGS, PLACES))) + "." for _ in range(sentences)]


def rows_file(path: Path, count: int = 150, seed: int = 3) -> Path:
    """A file of rows of which many are the same as an earlier one, or nearly."""
    draw = random.Random(seed)
    made: list[list[str]] = []
    lines = []
    for number in range(count):
        kind = draw.random()
        if number < 5 or kind < 0.5:
            text = prose(draw, draw.choice([3, 8, 30]))
        elif kind < 0.7:
            text = list(draw.choice(made))
        else:
            text = list(draw.choice(made))
            text[draw.randrange(len(text))] = "Nobody knew why, and nobody asked."
        made.append(text)
        lines.append(json.dumps({"id": f"r{number}", "text": " ".join(text)}))
    lines[20:20] = ["{broken", '{"text": null}', json.dumps({"text": "9f2c4b7a61d04e3f8a7b5c6d7e8f9012 " * 4})]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def corpus(path: Path, parts: int) -> Corpus:
    """The file in so many parts."""
    reading = Reading(columns=Columns(text="text"))
    return open_files([str(path)], Path(), reading, task="text", parts=parts, hashed=False, split_above=100)


def recipe_file(folder: Path) -> Path:
    """A recipe of this file's prose and generated text, with an embedder; the file is beside it."""
    path = folder / "recipe.yaml"
    rows_file(folder / "rows.jsonl", 150)
    path.write_text(
        """\
name: rays
seed: 5
size: {samples: 6, tokens: 128}
target: {tasks: {prose: 0.7, random-words: 0.3}}
sources:
  - {files: rows.jsonl, columns: {text: text}, task: prose}
  - {generate: random-words, task: random-words}
gates: {length: {min_chars: 20}, random_text: false, repetition: false}
""",
        encoding="utf-8",
    )
    return path
