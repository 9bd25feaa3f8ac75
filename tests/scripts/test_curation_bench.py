"""The bench of curation beside other tools: its texts, what it plants, and how it judges."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "scripts"))

from curation_bench.debian_packages import Unpacked
from curation_bench.judged import judge, precision, read_truth
from curation_bench.junk import KINDS, make_junk
from curation_bench.likeness import index_of, nearest, word_runs
from curation_bench.metered import metered
from curation_bench.million import link_ten_times, write_million
from curation_bench.plain import dictionary_entries, html_blocks, roff_blocks
from curation_bench.planted import BANDS, Line, write_corpus
from curation_bench.real_documents import MOST, Real, documents_of
from curation_bench.table import slope

WORDS = ["".join(letters) for letters in itertools.product("bdfgt", "aeiou", "klmnr", "aeiou")]


def text(seed: int, words: int = 120) -> str:
    return " ".join(random.Random(seed).sample(WORDS, words))


def by_hand(one: str, other: str) -> float:
    """The Jaccard index of runs of five words, by sets of tuples."""
    runs = [set(zip(*(part.lower().split()[at:] for at in range(5)), strict=False)) for part in (one, other)]
    return len(runs[0] & runs[1]) / len(runs[0] | runs[1])


def test_the_index_is_that_of_sets_of_runs() -> None:
    codes: dict[str, int] = {}
    words = text(1).split()
    for place in (0, 3, 60, 119):
        changed = [*words[:place], "another", *words[place + 1 :]]
        one, other = " ".join(words), " ".join(changed).upper()
        found = index_of(word_runs(one, codes), word_runs(other, codes))
        assert found == pytest.approx(by_hand(one, other))
    # The last word is in one of 116 runs: 115 are in both, and one more in each.
    assert found == pytest.approx(115 / 117)
    assert index_of(word_runs("too short", codes), word_runs(text(1), codes)) == 0.0


def test_the_nearest_of_all_is_found() -> None:
    codes: dict[str, int] = {}
    texts = [text(seed) for seed in range(30)]
    texts[20] = " ".join([*texts[3].split()[:100], "other", *texts[3].split()[101:]])
    runs = [word_runs(one, codes) for one in texts]
    asked = [3, 7, 20]
    expected = [
        max(by_hand(texts[at], other) for number, other in enumerate(texts) if number != at) for at in asked
    ]
    assert nearest(asked, runs) == pytest.approx(expected)
    assert expected[0] == expected[2] > 0.9 and expected[1] == 0.0


def test_a_page_a_manual_and_a_dictionary_are_read(tmp_path: Path) -> None:
    page = "<head><title>T</title></head><h1>Head</h1><p>One <b>bold</b>\n word &amp; more</p><script>x</script>"
    assert html_blocks(page) == ["Head", "One bold word & more"]
    manual = '.TH X 1\n.SH NAME\nopen \\- open a \\fBfile\\fP\n.PP\nSee\n.BR read (2).\n.\\" remark\n'
    assert roff_blocks(manual) == ["NAME", "open - open a file", "See read (2)."]
    entries = ["first entry", "second, longer entry"]
    data = "".join(entries).encode()
    (tmp_path / "d.dict.dz").write_bytes(gzip.compress(data))
    # Places and lengths in dictd's digits: 0 is A, 11 is L, 20 is U.
    (tmp_path / "d.index").write_text("00-database-info\tA\tB\nlonger\tL\tU\nfirst\tA\tL\nfirst again\tA\tL\n")
    assert list(dictionary_entries(tmp_path)) == entries


def test_blocks_become_documents_of_drawn_lengths() -> None:
    blocks = [text(seed, 30) for seed in range(200)]
    found = list(documents_of(blocks, "name"))
    assert "\n\n".join(found).startswith(blocks[0]) and found == list(documents_of(blocks, "name"))
    lengths = [len(one) for one in found[:-1]]
    assert min(lengths) >= 200 and max(lengths) <= 2 * MOST and max(lengths) > 3 * min(lengths)


def test_junk_is_of_its_kind() -> None:
    good, foreign = text(1, 200), "Grüße aus Köln, wo die Bäume blühen. " * 20
    made = {kind: make_junk(kind, good, foreign, WORDS, random.Random(kind)) for kind in KINDS}
    assert sorted(made["words shuffled"].split()) == sorted(good.split()) and made["words shuffled"] != good
    assert sorted(made["characters shuffled"]) == sorted(good)
    assert "Ã¼" in made["wrong encoding"]
    assert len(base64.b64decode(made["base64"].splitlines()[0])) == 57
    assert len(set(made["one line again"].splitlines())) == 1
    assert all(len(one) >= 400 for one in made.values())


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    english = [Real("a", "en", text(seed, 150)) for seed in range(500)]
    other = [Real("b", "de", f"Grüße {text(seed, 50)}") for seed in range(1000, 1040)]
    assert write_corpus(folder, english, other, 400, 7) == 400 + 12 + 12 + 20 + 4 + 12
    return folder


def lines_of(folder: Path) -> dict[str, str]:
    rows = map(json.loads, (folder / "corpus.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["id"]: row["text"] for row in rows}


def test_what_is_planted_is_as_like_as_the_truth_says(corpus: Path) -> None:
    texts = lines_of(corpus)
    truth = read_truth(corpus)
    assert [line.id for line in truth] == list(texts)
    near = [line for line in truth if line.kind == "near"]
    for line in near:
        assert line.jaccard == pytest.approx(by_hand(texts[line.id], texts[line.of]), abs=1e-4)
    for low, high in BANDS:
        assert sum(low <= line.jaccard < high for line in near) == 5
    assert all(texts[line.id] == texts[line.of] for line in truth if line.kind == "exact")
    assert all(0.3 <= line.jaccard < 0.6 for line in truth if line.kind == "unlike")
    origins = [line.of for line in truth if line.of]
    assert len(set(origins)) == len(origins)


def test_the_parts_are_the_corpus(corpus: Path) -> None:
    parts = sorted((corpus / "parts").iterdir())
    assert len(parts) == 8
    assert b"".join(part.read_bytes() for part in parts) == (corpus / "corpus.jsonl").read_bytes()


def test_shares_are_of_the_pairs_that_other_steps_left() -> None:
    truth = [
        Line("r0", "real"),
        Line("r1", "real"),
        Line("r2", "real"),
        Line("f0", "foreign"),
        Line("n0", "near", "r0", 0.82),
        Line("n1", "near", "r1", 0.97),
        Line("n2", "near", "r2", 0.91),
        Line("e0", "exact", "r0", 1.0),
        Line("u0", "unlike", "r1", 0.4),
        Line("j0", "junk: uuids"),
        Line("j1", "junk: letters"),
    ]
    # r2 is refused by a filter, n0 and e0 taken as duplicates; of n1 and r1 both are left, and one junk line.
    kept = {"r0", "r1", "n1", "n2", "u0", "j1"}
    found = judge(truth, kept, {"n0", "e0"})
    assert found["junk"] == {"of": 2, "share": 0.5}
    assert found["junk_kinds"]["junk: uuids"] == {"of": 1, "share": 1.0}
    assert found["foreign"] == {"of": 1, "share": 1.0}
    assert found["real"] == {"of": 3, "share": round(1 / 3, 5)}
    assert found["near"] == {"of": 2, "share": 0.5} and found["exact"] == {"of": 1, "share": 1.0}
    assert found["near_bands"]["0.8-0.85"] == {"of": 1, "share": 1.0}
    assert found["near_bands"]["0.9-0.95"] == {"of": 0, "share": None}
    assert found["unlike"] == {"of": 1, "share": 0.0}


def test_precision_is_counted_not_planted(corpus: Path) -> None:
    truth = read_truth(corpus)
    by_kind = {
        kind: [line.id for line in truth if line.kind == kind] for kind in ("real", "near", "unlike", "exact")
    }
    alone = set(by_kind["real"]) - {line.of for line in truth}
    wrong = set(sorted(alone)[:3])
    found = precision(corpus, {"good": {*by_kind["near"], *by_kind["exact"]}, "bad": {*by_kind["exact"], *wrong}})
    assert found["good"] == {"of": 32, "share": 1.0}
    assert found["bad"] == {"of": 15, "share": 0.8}


def test_the_slope_is_one_where_cost_is_linear() -> None:
    rows = [{"documents": 1000 * times, "cpu_s": 7.0 * times} for times in (1, 3, 10)]
    assert slope(rows) == 1.0
    assert slope([{**row, "cpu_s": row["documents"] ** 2} for row in rows]) == 2.0
    assert slope(rows[:1]) is None


def test_many_documents_are_cut_of_the_same_text_at_other_places(tmp_path: Path) -> None:
    pages = tmp_path / "package"
    pages.mkdir()
    for number in range(6):
        (pages / f"{number}.txt").write_text("\n\n".join(text(10 * number + at, 30) for at in range(9)))
    packages = [Unpacked("a", "1", pages, "en"), Unpacked("b", "1", pages, "de")]
    chars = write_million(tmp_path / "out", packages, 50)
    (file,) = (tmp_path / "out").iterdir()
    rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert [row["id"] for row in rows] == [f"d{number}" for number in range(50)]
    assert sum(len(row["text"]) for row in rows) == chars and len({row["text"] for row in rows}) > 45
    assert all(500 <= len(row["text"]) <= 16_000 for row in rows)
    link_ten_times(tmp_path / "out", tmp_path / "ten")
    assert [path.read_bytes() for path in (tmp_path / "ten").iterdir()] == [file.read_bytes()] * 10


BURNS = "import time\nwhile time.process_time() < 0.4: pass"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs prctl")
def test_what_a_command_leaves_behind_is_counted(tmp_path: Path) -> None:
    # Like a fork server: the command ends first, and waits for nothing.
    starts = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {BURNS!r}], start_new_session=True)"
    cost = metered([sys.executable, "-c", starts], tmp_path / "log.txt", {})
    assert cost.cpu >= 0.4


def test_a_command_that_fails_names_its_log(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"ended with 3; see .*log\.txt"):
        metered([sys.executable, "-c", "raise SystemExit(3)"], tmp_path / "log.txt", {})
