"""Code, formulas, tables and ids are in no language; prose that only looks a little like them is."""

from __future__ import annotations

import pytest

from curator.gates.language import NO_LINGUISTIC_CONTENT, detect_language
from curator.gates.language.sample import MAX_CHARS, sample

NO_LANGUAGE = {
    "python": "while queue:\n    node = queue.pop(0)\n    seen.add(node)\n    queue.extend(graph[node] - seen)",
    "short python": "total = total + price",
    "imports": "import os\nimport sys\nfrom pathlib import Path",
    "c": "#include <stdio.h>\nint main(void) {\n  for (int i = 0; i < 9; i++) puts(names[i]);\n  return 0;\n}",
    "rust": "fn area(r: &Rect) -> u32 {\n    let w = r.width;\n    w * r.height\n}",
    "haskell": "area :: Shape -> Double\narea (Circle r) = pi * r ^ 2\narea (Square s) = s * s",
    "shell": 'for f in *.log; do\n  gzip "$f" && mv "$f.gz" /srv/old/\ndone',
    "sql": "SELECT pier, count(*) FROM ferries WHERE year >= 1987 GROUP BY pier;",
    "short sql": "SELECT name FROM ferries",
    "json": '{"pier": 4, "ferries": [{"name": "Nora", "year": 1987}, {"name": "Ida", "year": 2003}]}',
    "html": '<ul class="piers"><li>north</li><li>south</li></ul>\n<img src="pier.png" alt="pier"/>',
    "tex": "\\begin{align} \\int_0^2 y^3 \\, dy &= 4 \\\\ \\sum_{j=1}^m j &= \\frac{m(m+1)}{2} \\end{align}",
    "sum": "17 + 25 = 42",
    "table": "| pier | ferries | fare |\n|------|---------|------|\n| 3 | 21 | 4.50 |\n| 4 | 17 | 8.25 |",
    "csv": "pier,ferries,fare\n3,21,4.50\n4,17,8.25",
    "uuid": "0b9d1a3c-5e7f-4a2b-8c6d-9e0f1a2b3c4d",
    "hashes": "9f86d081884c7d65\n2c26b46b68ffc68f\nfcde2b2edba56bf4",
}
PROSE = {
    "quoted code": (
        "en",
        "Call open() with a path and it gives you a file; close it when you are done, or use a with "
        "block, which does that for you even where the code in between fails.",
    ),
    "markdown": (
        "en",
        "# The harbour\n\n- **First ferry**: leaves the pier at seven\n- *Second ferry*: leaves "
        "twenty minutes after it\n\nSee [the timetable](https://example.org/times) for the others.",
    ),
    "rst": (
        "en",
        "The harbour\n===========\n\n.. note::\n\n   The office is closed on the first Monday of the "
        "month. Ask the people on the pier, who know when the next ferry leaves.",
    ),
    "links": (
        "en",
        "The timetable is at https://example.org/times?pier=4&day=mon and the fares are at "
        "www.example.org/fares; both of them are for the summer only.",
    ),
    "chat": (
        "en",
        "anna: when does the ferry leave?? :)\nben: at seven i think... why do you ask\nanna: i have to be "
        "on the island before the shop is open lol",
    ),
    "mail": (
        "en",
        "From: Anna <anna@example.org>\nTo: Ben <ben@example.org>\nSubject: the ferry\n\nDear Ben, the "
        "ferry leaves at seven from the second pier. See you there, Anna",
    ),
    "poem": (
        "en",
        "The tide goes out,\n   the tide comes in,\nand by the pier\n   the boats begin\nto lift and lean\n"
        "   as boats have been.",
    ),
    "tags": (
        "en",
        "What a morning on the ferry! I will be back in the summer #ferry #island #morning @pier_four 🙂🙂",
    ),
    "numbers in prose": (
        "en",
        "In 1987 the pier had 4 ferries and 210 people a day; in 2003 it had 17 ferries and "
        "9,400 people, which is more than the island has houses.",
    ),
    "german": (
        "de",
        "Die Fähre (gebaut 1987) fährt um 7:00 Uhr ab; wer zu spät kommt, wartet auf die nächste – sie fährt "
        "aber erst um 9:30 Uhr und nur im Sommer.",
    ),
    "chinese with names": ("zh", "1987年，Harbour公司提出的Nordferry方案改变了渡轮业。Nordferry船"),
    "chinese in brackets": (
        "zh",
        "渡轮（1987年建造）早上七点出发，票价4.50元；夏天有21班，冬天有3班(周末停航)。",
    ),
}


@pytest.mark.parametrize("kind", NO_LANGUAGE)
def test_code_formulas_tables_and_ids_have_no_language(kind: str) -> None:
    assert detect_language(NO_LANGUAGE[kind]) == NO_LINGUISTIC_CONTENT


@pytest.mark.parametrize("kind", PROSE)
def test_prose_with_code_markup_or_numbers_keeps_its_language(kind: str) -> None:
    code, text = PROSE[kind]
    assert detect_language(text) == code


def test_code_under_a_licence_is_code() -> None:
    header = "# Anybody may use this file for anything, as long as this line stays at its top.\n" * 2
    assert detect_language(header + NO_LANGUAGE["python"] * 12) == NO_LINGUISTIC_CONTENT


def test_a_sample_is_whole_words_from_head_middle_and_tail() -> None:
    words = [f"word{number}" for number in range(1000)]
    seen = sample(" ".join(words))
    assert len(seen) <= MAX_CHARS
    assert set(seen.split()) <= set(words)
    assert {"word0", "word500", "word999"} <= set(seen.split())


def test_a_text_of_one_word_is_sampled_at_three_places_too() -> None:
    seen = sample("甲" * 3000 + "乙" * 3000 + "丙" * 3000)
    assert len(seen) <= MAX_CHARS
    assert set(seen) == {"甲", "乙", "丙", "\n"}
