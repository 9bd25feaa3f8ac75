from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console
from samples import LONG, TASKS, build_summary, minimal_ranking, ranking, score

from curator.report._terminal_pairs import LINES
from curator.report.score_terminal import print_gate, print_score
from curator.report.terminal import print_build, print_ranking


def shown(
    printer: Callable[[Any, Console], None], document: dict[str, Any], width: int = 80, **kwargs: Any
) -> str:
    stream = io.StringIO()
    printer(document, Console(file=stream, width=width, **kwargs))
    return stream.getvalue()


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("width", [80, 120, 200])
def test_every_number_of_the_ranking_is_there_at_any_width(width: int) -> None:
    document = ranking()
    text = shown(print_ranking, document, width)
    assert max(map(len, text.splitlines())) <= width
    for arm in document["arms"]:
        low, high = arm["kl_ci"]
        assert f"{arm['kl_mean']:.4f} [{low:.4f}, {high:.4f}]" in text
        assert f"{arm['other_scheme']['kl_mean']:.4f}" in text
        assert f"{100 * arm['top1']:.1f}" in text
        assert f"{arm['cosine']:.3f}" in text
        for task in TASKS:
            assert f"{arm['by_task'][task]['kl_mean']:.4f}" in text
    assert "…" not in text


def test_tasks_stand_below_when_narrow_and_beside_when_wide() -> None:
    assert "KL by task (exploratory)" in shown(print_ranking, ranking(), 80)
    assert "KL by task" not in shown(print_ranking, ranking(), 120)


def test_many_tasks_are_split_over_tables_not_cut() -> None:
    document = ranking()
    for arm in document["arms"]:
        arm["by_task"] = {f"task-number-{index}": {"kl_mean": 0.1 + index} for index in range(9)}
    text = shown(print_ranking, document, 80)
    assert all(f"task-number-{index}" in text for index in range(9))


def test_many_arms_are_ten_lines_and_the_null_arms_stay() -> None:
    document = ranking()
    arm, nulls = document["arms"][0], [one for one in document["arms"] if one["kind"] == "null"]
    document["arms"] = [arm | {"name": f"arm{n:02d}", "kl_mean": 0.1 + n / 100} for n in range(30)] + nulls
    text = shown(print_ranking, document | {"pairs": []}, 120)
    lines = [line for line in text.splitlines() if "[0." in line]
    assert len(lines) == 10 and "no data" in lines[-1] and "arm07" in lines[7]
    assert "22 more arms, of higher KL, are in the HTML report." in text


def test_a_dropped_arm_stays_in_the_table_and_a_tie_says_what_would_settle_it() -> None:
    document = ranking() | {"looks": {"planned": [3, 5], "shares": [0.375, 0.625], "made": 2}}
    next(arm for arm in document["arms"] if arm["name"] == "x").update(dropped={"look": 1}, draws=3)
    pair = next(pair for pair in document["pairs"] if (pair["a"], pair["b"]) == ("balanced", "prose-heavy"))
    pair["settle"] = {"draws": 40, "prompts": None, "both": None}
    text = shown(print_ranking, document, 200)
    (line,) = [line for line in text.splitlines() if re.match("4 +x ", line)]
    assert line.split()[-2:] == ["3", "dropped"]
    assert re.search("balanced and prose-heavy are tied: difference .*; about 40 draws would settle it", text)
    assert "2 made; they share one error rate. Dropped, since another arm is better: x (look 1)" in flat(text)


def test_what_serves_each_task_is_told_as_exploratory() -> None:
    text = flat(shown(print_ranking, ranking()))
    assert "Lowest on each task, or not told from it (exploratory)" in text
    assert re.search("qa (balanced and prose-heavy|prose-heavy and balanced) niah", text)


def test_the_primary_number_is_stated_first_and_warnings_last() -> None:
    document = ranking()
    text = flat(shown(print_ranking, document))
    assert text.startswith(document["primary"]["statement"])
    for warning in document["warnings"]:
        assert f"warning: {warning}" in text
    assert text.endswith(document["warnings"][-1])


def test_a_tied_pair_is_never_printed_as_better() -> None:
    text = flat(shown(print_ranking, ranking(), 200))
    assert "balanced and prose-heavy are tied" in text
    assert "balanced is better than prose-heavy" not in text
    assert "prose-heavy is better than balanced" not in text
    assert f"balanced is better than {LONG}" in text


@pytest.mark.parametrize(
    ("scope", "word"), [("sets", "These sets:"), ("provisional", "Provisional:"), ("recipes", "Recipes:")]
)
def test_verdicts_stand_under_their_scope(scope: str, word: str) -> None:
    document = ranking()
    for pair in document["pairs"]:
        pair["scope"] = scope
    text = shown(print_ranking, document)
    assert [name for name in ("These sets:", "Provisional:", "Recipes:") if name in text] == [word]


def test_null_arms_come_after_the_others_whatever_their_kl() -> None:
    document = ranking()
    document["arms"].insert(0, document["arms"].pop(-1) | {"kl_mean": 0.0501})
    lines = shown(print_ranking, document, 120).splitlines()
    header = next(index for index, line in enumerate(lines) if line.strip() == "null arms:")
    assert any(line.split()[:2] == ["4", "x"] for line in lines[:header])
    assert any("no data" in line and "0.05010" in line for line in lines[header:])


def test_many_pairs_are_grouped_into_few_lines() -> None:
    document = ranking()
    names = [f"arm{index:02d}" for index in range(20)]
    arm = document["arms"][0]
    document["arms"] = [arm | {"name": name, "kl_mean": 0.1 + 0.01 * i} for i, name in enumerate(names)]
    document["pairs"] = [
        {
            "a": b,
            "b": a,
            "verdict": "worse",
            "scope": "sets",
            "family": "user",
            "diff": 0.01,
            "ci": [0.005, 0.015],
        }
        for i, a in enumerate(names)
        for b in names[i + 1 :]
    ]
    text = shown(print_ranking, document, 300)
    lines = [line for line in text.splitlines() if re.match(r"\s+arm\d\d: ", line)]
    assert len(lines) == LINES - 1
    assert "arm00: better than 19 arms" in text
    assert "arm10: better than 9 arms" in text
    assert "8 more lines are in the HTML report." in text


def test_limits_are_stated() -> None:
    text = flat(shown(print_ranking, ranking()))
    assert "Smallest detectable difference: 0.0062 nats" in text
    assert "requantise 0.0012 the same set quantised three times" in text
    assert "May be the best: balanced and prose-heavy (2 of 4 arms)." in text


def test_what_is_missing_is_left_out_not_printed_as_none() -> None:
    text = shown(print_ranking, minimal_ranking())
    assert not re.search(r"none|nan|null|inf\b", text, re.IGNORECASE)
    assert "Smallest" not in text
    assert "floors" not in text
    assert "by task" not in text
    assert "0.2651" in text


def test_a_run_without_arms_says_so() -> None:
    text = shown(print_ranking, minimal_ranking() | {"arms": [], "warnings": ["all arms failed"]})
    assert "No arm has been measured." in text
    assert "warning: all arms failed" in text


def test_markup_and_control_characters_in_names_do_nothing() -> None:
    document = ranking()
    hostile = json.dumps("[red]p[/red]:smile:\x1b[2J")[1:-1]
    document = json.loads(json.dumps(document).replace("prose-heavy", hostile))
    out = shown(print_ranking, document, 200)
    assert "[red]p[/red]:smile:␛[2J" in out
    assert "\x1b" not in out
    assert re.search(r"^1-2 +\[red\]p", out, re.MULTILINE)


def test_colour_adds_nothing_that_the_words_do_not_say() -> None:
    plain = shown(print_ranking, ranking(), 100)
    colour = shown(print_ranking, ranking(), 100, force_terminal=True, color_system="truecolor")
    assert re.sub(r"\x1b\[[0-9;]*m", "", colour) == plain
    assert colour != plain


def test_build_summary() -> None:
    text = flat(shown(print_build, build_summary()))
    assert "Calibration set balanced" in text
    assert (
        "samples 512 tokens 1,048,576 cut 2,718 tokens of 14 pieces did not fit "
        "set hash 9f2c4b7a61d04e3f8a7b5c6d7e8f9012" in text
    )
    assert "prose 40.0 40.2 +0.2 code" in text
    assert "niah 10.0 4.8 -5.2 more than 2 points off" in text
    assert "language 1,204 near_duplicate 31 random_text 4" in text
    assert "warning: niah: 50,331 of 104,858 tokens" in text
    assert "written to sets/balanced" in text


def test_a_hash_is_never_broken_in_two() -> None:
    document = {**build_summary(), "set_hash": "7f" * 32}
    for width in (40, 80, 120):
        text = shown(print_build, document, width)
        assert any(line.endswith("7f" * 32) for line in text.splitlines()), text


def test_a_task_that_was_asked_and_not_got_is_off_target() -> None:
    text = flat(shown(print_build, {"asked": {"niah": 0.1}, "shares": {}}))
    assert "niah 10.0 - - more than 2 points off" in text


def test_an_empty_summary_prints_no_sections() -> None:
    assert shown(print_build, {"samples": 3}).split() == ["samples", "3"]


def test_a_score_is_one_screen() -> None:
    document = score() | {"reference": "FP32", "dtypes": {"reference": "float32", "candidate": "float32"}}
    printed = shown(print_score, document, 80)
    lines = printed.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 80
    text = flat(printed)
    low, high = document["kl_ci"]
    mean = f"{document['kl_mean']:.4f} [{low:.3f}, {high:.3f}]"
    assert "KL(FP32 || candidate), nats a token, W4A4, top-256 union, float32" in text
    assert "at least: what the lists prove of the mean KL; ran: prompts that ran together" in text
    assert "in lists %: probability of FP32 that its stored lists hold" in text
    for phase in ("prefill", "decode"):
        assert f"{phase} 8 - {mean} {document['kl_lower_bound']:.4f}" in text
        assert f"{phase} 32 16 {mean}" in text
    assert "BF16 prefill at batch 8 against batch 1 0.00040 top-1 99.1 %" in text
    assert "SD of the mean KL over batch sizes, prefill 0.00031" in text
    assert all(task in text for task in TASKS)
    assert "98.77" in text
    # Decoded too, at the primary batch size; where it was not, a dash.
    assert "prompt tokens prompts mean KL decode KL top-1 % up to 2k 40 0.2100 0.2280 81.0" in text
    assert "16k to 48k 8 0.4300 - 72.0" in text
    assert "source-0 9 0.2000" in text
    assert "source-6" not in text
    assert "and 2 more sources" in text
    assert f"warning: {document['warnings'][0]}" in text


def test_a_gate_tells_what_was_judged() -> None:
    limits = {"max_kl": 0.5, "kl_margin_se": 2.51, "min_top1": 0.75, "pass_score": 0.7, "min_chance": 0.5}
    gate = {"judged": "W4A16, dequantised twin", **limits, "passed": True, "broken": []}
    assert flat(shown(print_gate, gate)) == (
        "passed: mean KL at most 0.5 (by 2.5 SE), top-1 at least 75.0 %, chance of 70.0 % or more at least 50.0 % "
        "(W4A16, dequantised twin)"
    )
    # What is broken is told by the error that the verb ends with.
    assert shown(print_gate, {**gate, "passed": False, "broken": ["mean KL is over"]}) == ""
    assert shown(print_gate, None) == ""


def test_a_candidate_that_wrote_by_itself() -> None:
    own = {"tokens": 45.25, "tokens_ci": [30.0, 60.5], "cap": 128, "hazard": 0.0123, "hazard_ci": [0.01, 0.015]}
    run = {"candidate": own, "reference": {"1": {"tokens": 120.0, "tokens_ci": None}}, "kl_while_following": 0.05}
    text = flat(shown(print_score, score() | {"reference": "BF16", "free_running": {"8": run}}))
    assert "tokens until it departs 45.2 [30.0, 60.5] of 128" in text
    assert "departures a token at risk 0.012 [0.0100, 0.0150]" in text
    assert "BF16 itself at batch 1 120.0 mean KL until then (easy tokens, no ranking) 0.0500" in text


def test_prompts_of_one_length_have_no_table_of_lengths() -> None:
    one = {"up to 2k": {"kl_mean": 0.2, "top1": 0.8, "prompts": 48}}
    assert "prompt tokens" not in shown(print_score, score() | {"by_length": one})


def test_a_score_without_intervals_shows_no_empty_brackets() -> None:
    text = shown(
        print_score, {"kl_mean": 0.25, "kl_ci": None, "cosine": float("nan"), "by_task": {}, "floors": {}}
    )
    assert "0.2500" in text
    assert "[" not in text
    assert not re.search(r"none|nan|cosine", text, re.IGNORECASE)


def test_no_number_of_a_score_is_cut_on_a_narrow_screen() -> None:
    lines = [
        {
            "phase": phase,
            "batch_size": 8,
            "kl_mean": 0.1176,
            "kl_ci": (0.0571, 0.1781),
            "top1": 0.823,
            "kl_p99": 1.25,
        }
        for phase in ("prefill", "decode")
    ]
    printed = shown(print_score, score() | {"measured": lines}, 40)
    assert "\u2026" not in printed
    for phase in ("prefill", "decode"):
        assert f"phase: {phase}\n" in printed
    assert len(re.findall(r"0\.1176 \[0\.057, 0\.178\]", printed)) == 2
