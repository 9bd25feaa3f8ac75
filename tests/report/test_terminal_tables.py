"""Tables on a terminal of any width: no number is cut to another, and none is lost."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
import test_sensitivity_report
import test_sift_terminal
import test_verify_terminal
from inspect_samples import CONTROL
from inspect_samples import manifest as set_manifest
from inspect_samples import samples as set_samples
from profile_samples import contest, with_outputs
from rich.console import Console
from rich.text import Text
from samples import LONG, build_summary, ranking, score

from curator.report.coverage_terminal import print_coverage
from curator.report.heldout_terminal import print_heldout
from curator.report.inspect_summary import inspection
from curator.report.inspect_terminal import print_inspection
from curator.report.leaderboard_terminal import print_leaderboard
from curator.report.profile_terminal import print_profile
from curator.report.score_terminal import print_score
from curator.report.sensitivity_terminal import print_mix, print_sensitivity
from curator.report.sift_terminal import print_sift
from curator.report.tasks_terminal import print_jitter, print_tasks
from curator.report.terminal import print_build, print_ranking
from curator.report.terminal_tables import add_numbers, add_words, bars_table, new_table, print_facts, print_table
from curator.report.verify_terminal import print_verification

# A figure that stands alone: not one within a name, a hash or a version.
NUMBER = re.compile(r"(?<![\w./+-])[-+]?\d[\d,]*(?:\.\d+)?(?![\w./-]|,\d)")


def printed(show: Callable[[Console], None], width: int) -> str:
    out = io.StringIO()
    show(Console(file=out, width=width, highlight=False))
    return out.getvalue()


def table(console: Console) -> None:
    made = new_table()
    made.add_column("rank", no_wrap=True)
    add_words(made, "arm")
    add_numbers(made, "KL [95 %]", "draws")
    made.add_row("1-2", Text("coherent-mix"), "0.2202 [0.191, 0.249]", "1,024")
    made.add_row("", Text("null arms:"))
    made.add_row("", Text("a name that is long"), "0.3501", "-", style="dim")
    print_table(console, made)


def test_a_table_that_has_room_stands_in_columns_and_its_names_fold() -> None:
    # 4 of the rank, 12 of the name, 21 and 5 of the numbers, and three gaps of 2: 48 columns.
    assert [line.rstrip() for line in printed(table, 48).splitlines()] == [
        "rank  arm                       KL [95 %]  draws",
        "1-2   coherent-mix  0.2202 [0.191, 0.249]  1,024",
        "      null arms:",
        "      a name that                  0.3501      -",
        "      is long",
    ]


def test_without_room_each_row_is_a_block_and_what_it_lacks_is_left_out() -> None:
    assert [line.rstrip() for line in printed(table, 47).splitlines()] == [
        "arm: coherent-mix",
        "  rank       1-2",
        "  KL [95 %]  0.2202 [0.191, 0.249]",
        "  draws      1,024",
        "null arms:",
        "arm: a name that is long",
        "  KL [95 %]  0.3501",
    ]


def test_values_that_names_leave_no_room_for_stand_behind_them_whole() -> None:
    facts = [("a name that takes nearly all of the line", "0.00123456 and 0.5"), ("b", "12,345,678")]
    lines = printed(lambda console: print_facts(console, facts), 44).splitlines()
    # 44 less 40 of the longer name, 2 before it and 2 behind leave no room for either value.
    assert [line.rstrip() for line in lines] == [
        "  a name that takes nearly all of the line",
        "0.00123456 and 0.5",
        "  b  12,345,678",
    ]


def test_bars_shrink_with_the_terminal_and_keep_their_proportions() -> None:
    def show(console: Console) -> None:
        print_table(console, bars_table(console, "tokens a sample", "samples", [("1 to 8", 2), ("9", 4)]))

    # 15 and 7 of heads with two gaps leave 14 of 40, and 24 is the longest bar.
    assert [printed(show, width).count("█") for width in (40, 80)] == [7 + 14, 12 + 24]


def nameless(document: Any) -> Any:
    """The same without figures in names, which fold."""
    text = json.dumps(document).replace(LONG, "a-name-that-is-so-long-that-it-has-to-fold-on-any-terminal")
    return json.loads(re.sub(r"layers\.\d+\.|layer \d+", "decoder.", text))


def mix() -> dict[str, Any]:
    arm = {"mixes": 1, "bits": 4.91, "kl_added": 0.2345, "kl_mean": 0.2112, "kl_ci": [0.1001, 0.3112]}
    return {
        "bits": 4.91, "size_gb": 0.133, "formats": {"nvfp4": {"parts": 20, "weights": 7}}, "pairs": [],
        "arms": [{"name": "mix", **arm}, {"name": "random mix", **arm, "mixes": 3}],
        "conditions": "joint KL", "warnings": [],
    }  # fmt: skip


def board() -> dict[str, Any]:
    conditions = {"model": "m", "scheme": "W4A4", "phase": "decode", "batch_size": 8, "prompts": 48,
                  "tokens_per_prompt": 64, "estimator": "full vocabulary", "dtype": "float32"}  # fmt: skip
    arm = {"kind": "user", "method": "gptq", "again_in": [], "draws": 1234, "may_be_best": True}
    arms = [
        {**arm, "name": "first-run/coherent-mix", "rank": [1, 2], "kl_mean": 0.2202, "kl_ci": [0.1913, 0.2491]},
        {**arm, "name": "other-run/code-only", "rank": [1, 2], "kl_mean": 0.2346, "kl_ci": [0.2081, 0.2612]},
    ]
    group = {"conditions": conditions, "runs": ["first-run", "other-run"], "arms": arms, "warnings": [],
             "smallest_detectable": 0.041}  # fmt: skip
    return {"groups": [group], "apart": [], "skipped": []}


def tasks() -> dict[str, Any]:
    side = {"score": {"mean": 0.8125}, "cut": {"mean": 0.0123}, "loops": {"mean": 0.0456}}
    row = {"items": 1234, "reference": side, "candidate": side, "length_ratio": {"mean": 1.07},
           "flips": {"right_to_wrong": 12, "wrong_to_right": 34, "p": 0.47},
           "difference": {"mean": 0.0123, "ci": [-0.0456, 0.0789]}}  # fmt: skip
    return {"reference": "BF16", "max_new": 512, "by_task": {"qa": row, "code": row}, "all": row, "chance": None}


JITTER = {"runs": 3, "how": "restart", "phase": "decode", "batch_size": 128, "kl_sd": 0.00123, "top1_sd": 0.00456,
          "flips": 0.0078, "moved": 0.9123}  # fmt: skip
LAYER = {"name": "decoder.mlp", "experts": 128, "min": 1234, "median": 56789, "max": 1234567, "share_few": 0.123,
         "unseen": [3, 14, 15]}  # fmt: skip
COVERAGE = {"model": "m", "layers": [LAYER], "uncounted": [], "tokens": 8192, "few": 4096}
CELL = {"task": "long-context", "language": "zh", "low": 16384, "high": 32768, "shortened": True,
        "cell": "c", "median_tokens": 24576, "output_tokens": 1024, "wanted": 150, "got": 149,
        "missing": "no text"}  # fmt: skip
HELDOUT = {"cells": [CELL], "notes": [], "by_task": {"qa": 200}, "out": "h", "prompts": 200, "sha256": "f"}


def verification() -> dict[str, Any]:
    errors = [test_verify_terminal.error("decoder.mlp.down_proj.of.a.long.name", 0.1234, far=True)]
    return test_verify_terminal.document(errors=errors, reference="BF16")


PRINTERS: dict[str, Callable[[Console], None]] = {
    "ranking": lambda console: print_ranking(nameless(ranking()), console),
    "build": lambda console: print_build(nameless(build_summary()), console),
    "score": lambda console: print_score(nameless(score()), console),
    "tasks": lambda console: print_tasks(tasks(), console),
    "jitter": lambda console: print_jitter([JITTER], console),
    "inspect": lambda console: print_inspection(
        inspection(set_manifest(), set_samples(), CONTROL, {"end": 1, "start": 0}), console
    ),
    "profile": lambda console: print_profile(contest(), console),
    "profile of outputs": lambda console: print_profile(with_outputs(), console),
    "sift": lambda console: print_sift(test_sift_terminal.document(), console),
    "sift again": lambda console: print_sift(
        test_sift_terminal.document(before={"by_reason": {"random_text": 12}, "by_task": {"prose": {"kept": 12}}}),
        console,
    ),
    "sensitivity": lambda console: print_sensitivity(nameless(test_sensitivity_report.document()), console),
    "mix": lambda console: print_mix(mix(), console),
    "leaderboard": lambda console: print_leaderboard(board(), console),
    "coverage": lambda console: print_coverage(COVERAGE, console),
    "heldout": lambda console: print_heldout(HELDOUT, console),
    "verify": lambda console: print_verification(verification(), console),
}


@pytest.mark.parametrize("name", PRINTERS)
def test_no_number_is_cut_or_lost_on_a_narrow_terminal(name: str) -> None:
    whole = set(NUMBER.findall(printed(PRINTERS[name], 2000)))
    assert len(whole) > 4
    for width in range(40, 121, 4):
        text = printed(PRINTERS[name], width)
        assert set(NUMBER.findall(text)) == whole, (width, text)
        assert not re.search(r"\d…", text), (width, text)
