"""Documents as the ranking and the build write them, made from seeded numbers; nothing here was measured."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
from ranking_parts import parts

LONG = "code+math_long-context_low-continuity-0.2_answers-only_v3"
TASKS = ("prose", "code", "qa", "niah")
PER_TASK = 12
# name, kind, method, draws, factor on KL
ARMS = (
    ("balanced", "user", "gptq", 5, 1.00),
    ("prose-heavy", "user", "gptq", 5, 1.015),
    (LONG, "user", "gptq", 5, 1.09),
    ("x", "user", "gptq", 5, 1.32),
    ("balanced, second draw", "null", "gptq", 1, 1.004),
    ("no data", "null", "round to nearest", 1, 1.55),
)


def _kl_by_prompt() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(5)
    level = np.repeat([0.22, 0.31, 0.18, 0.12], PER_TASK) * rng.lognormal(0.0, 0.45, len(TASKS) * PER_TASK)
    return {name: factor * level * rng.lognormal(0.0, 0.07, len(level)) for name, _, _, _, factor in ARMS}


def _interval(values: np.ndarray) -> list[float]:
    half = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5
    return [float(values.mean()) - half, float(values.mean()) + half]


def _arm(name: str, kind: str, method: str, draws: int, factor: float, kl: np.ndarray) -> dict[str, Any]:
    rng = np.random.default_rng(len(name))
    mean = float(kl.mean())
    half = 0.02 * mean
    by_task = {}
    for index, task in enumerate(TASKS):
        part = kl[index * PER_TASK : (index + 1) * PER_TASK]
        by_task[task] = {
            "kl_mean": float(part.mean()),
            "kl_ci": _interval(part),
            "top1": 0.80 - 0.25 * float(part.mean()),
            "cosine": 0.97 - 0.2 * float(part.mean()),
        }
    asked = {"prose": 0.4, "code": 0.3, "qa": 0.2, "niah": 0.1}
    sets = [
        {
            "set_hash": f"{int(rng.integers(2**60)):015x}{int(rng.integers(2**60)):015x}",
            "samples": 16,
            "tokens": 8192,
            "shares": {"prose": 0.404, "code": 0.297, "qa": 0.171, "niah": 0.128},
            "asked": asked,
            "dropped": {"language": 12, "near_duplicate": 31, "random_text": 4},
            "overlap": 0.03 * draw,
        }
        for draw in range(draws)
    ]
    return {
        "name": name,
        "title": "equal shares a task" if name == "balanced" else None,
        "kind": kind,
        "method": method,
        "draws": draws,
        "kl_mean": mean,
        "kl_ci": [mean - half, mean + half * 1.1],
        "kl_median": float(np.median(kl)),
        "kl_p99": float(kl.max() * 3.1),
        "kl_max": float(kl.max() * 5.7),
        "js": mean * 0.21,
        "top1": 0.80 - 0.25 * mean,
        "cosine": 0.97 - 0.2 * mean,
        "by_task": by_task,
        "other_scheme": {
            "scheme": "W4A16",
            "kl_mean": mean * 0.41,
            "kl_ci": [mean * 0.38, mean * 0.44],
            "top1": 0.88 - 0.2 * mean,
        },
        "sparse": {"k": 256, "union": mean * 0.982, "lumped": mean * 0.951},
        "by_family": {
            "drawn": {"kl_mean": mean * 0.98, "prompts": 20},
            "other": {"kl_mean": mean * 1.013, "prompts": 28},
        },
        "draw_means": [mean * (1 + 0.01 * float(z)) for z in rng.normal(size=draws)],
        "may_be_best": name in ("balanced", "prose-heavy"),
        "sets": sets if name != "no data" else [],
    }


def _pair(a: str, b: str, kinds: dict[str, str], kl: dict[str, np.ndarray]) -> dict[str, Any]:
    difference = kl[a] - kl[b]
    diff = float(difference.mean())
    half = 2.4 * (float(difference.std(ddof=1)) / len(difference) ** 0.5 + 0.0004)
    verdict = "tied" if abs(diff) < half else "better" if diff < 0 else "worse"
    null = "null" in (kinds[a], kinds[b])
    p = float(np.exp(-4.2 * (abs(diff) / half) ** 1.4))
    ci = [diff - half, diff + half]
    word = "is tied with" if verdict == "tied" else f"is {verdict} than"
    return {
        "a": a,
        "b": b,
        "diff": diff,
        "ci": ci,
        "p": p / 3,
        "p_holm": min(1.0, p),
        "verdict": verdict,
        "equivalent": max(abs(ci[0]), abs(ci[1])) < 0.05 * float(kl[a].mean()),
        "scope": "sets" if null else "recipes",
        "family": "null" if null else "user",
        "words": f"{a} {word} {b}.",
        "settle": {"draws": 31, "prompts": None, "words": "31 draws"} if verdict == "tied" else None,
    }


def ranking() -> dict[str, Any]:
    """A run of four recipes with five draws each, and two null arms."""
    kl = _kl_by_prompt()
    kinds = {name: kind for name, kind, *_ in ARMS}
    arms = [_arm(*arm, kl=kl[arm[0]]) for arm in ARMS]
    arms.sort(key=lambda arm: arm["kl_mean"])
    names = [arm["name"] for arm in arms]
    document = {
        "tool": {"name": "curate", "version": "0.1.0"},
        "created": "2026-05-09T07:35:25Z",
        "primary": {
            "statement": "Primary number, fixed before the run: mean KL(BF16 ‖ candidate) in nats a token, "
            "W4A4, prefill, batch size 8, over the full vocabulary; mean over a prompt's 64 scored tokens, "
            "then over a task's prompts, then over 4 tasks with equal weight.",
            "metric": "kl_mean",
            "scheme": "W4A4",
            "phase": "prefill",
            "batch_size": 8,
            "tokens_per_prompt": 64,
            "prompts": 48,
            "estimator": "full vocabulary",
            "weights": dict.fromkeys(TASKS, 0.25),
            "dtype": "bfloat16",
            "model": "HuggingFaceTB/SmolLM2-135M-Instruct",
            "method": "gptq",
            "set": {"samples": 16, "tokens": 512},
        },
        "arms": arms,
        "pairs": [_pair(a, b, kinds, kl) for a, b in itertools.combinations(names, 2)],
        "floors": {
            "batch": {"sd": 0.00031, "words": "the same checkpoint scored at batch sizes 1, 8 and 32"},
            "requantise": {"sd": 0.0012, "words": "the same set quantised three times"},
            "used_sd": 0.0012,
        },
        "smallest_detectable": 0.0062,
        "warnings": [
            "The reference is itself dequantised from 4 bits: KL levels and gaps do not carry over to a true "
            "BF16 model.",
            "Recipe 'x': 171 of 200 niah units asked; the generator has no more wordings outside held-out.",
        ],
        "per_prompt": {
            "ids": [f"{task}/{index:02d}" for task in TASKS for index in range(PER_TASK)],
            "tasks": [task for task in TASKS for _ in range(PER_TASK)],
            "arms": {name: [float(value) for value in kl[name]] for name in names},
        },
        "environment": {
            "python": "3.11.7",
            "torch": "2.9.1+cpu",
            "transformers": "5.17.0",
            "llmcompressor": "0.14.0.1",
            "processor": "x86-64, 2 cores, AVX-512",
        },
    }
    return copy.deepcopy(document | parts(arms, TASKS))


def minimal_ranking() -> dict[str, Any]:
    """The least a ranking may hold: one arm, every optional field missing or null."""
    return {
        "tool": {"name": "curate", "version": "0.1.0"},
        "primary": {"statement": "Mean KL in nats a token.", "scheme": "W4A4"},
        "arms": [
            {
                "name": "only",
                "kind": "user",
                "method": "max",
                "draws": 1,
                "kl_mean": 0.2651,
                "kl_ci": None,
                "top1": None,
                "cosine": float("nan"),
                "by_task": {},
                "other_scheme": None,
                "sets": None,
            }
        ],
        "pairs": [],
        "floors": {},
        "smallest_detectable": None,
        "warnings": [],
        "environment": {},
    }


def build_summary() -> dict[str, Any]:
    """What a build prints at its end."""
    return {
        "name": "balanced",
        "set_hash": "9f2c4b7a61d04e3f8a7b5c6d7e8f9012",
        "samples": 512,
        "tokens": 1_048_576,
        "shares": {"prose": 0.402, "code": 0.299, "qa": 0.251, "niah": 0.048},
        "asked": {"prose": 0.4, "code": 0.3, "qa": 0.2, "niah": 0.1},
        "cut": {"pieces": 14, "tokens": 2_718},
        "unused_tokens": 0,
        "dropped": {"near_duplicate": 31, "language": 1204, "random_text": 4},
        "out": "sets/balanced",
        "warnings": ["niah: 50,331 of 104,858 tokens; the generator ran out of wordings outside held-out."],
    }


def score() -> dict[str, Any]:
    """One candidate against a baseline, in both phases at three batch sizes: the most that one screen holds."""
    arm = ranking()["arms"][0]
    line = {name: arm[name] for name in ("kl_mean", "kl_ci", "kl_p99", "cosine", "top1")}
    line |= {"kl_median": 0.0712, "kl_lower_bound": 0.9 * arm["kl_mean"]}
    return {
        **line,
        "by_task": {task: {**row, "prompts": 16} for task, row in arm["by_task"].items()},
        "by_length": {
            "up to 2k": {"kl_mean": 0.21, "top1": 0.81, "prompts": 40},
            "16k to 48k": {"kl_mean": 0.43, "top1": 0.72, "prompts": 8},
        },
        "by_family": {f"source-{n}": {"kl_mean": 0.2 + n / 100, "prompts": 9 - n} for n in range(7)},
        "phase": "prefill",
        "batch_size": 8,
        "measured": [
            {
                **line,
                "phase": phase,
                "batch_size": size,
                "batch_achieved": min(size, 16),
                "by_length": {"up to 2k": {"kl_mean": (0.22 if phase == "decode" else 0.21) + size / 1e3}},
            }
            for phase in ("prefill", "decode")
            for size in (8, 1, 32)
        ],
        "batch_sd": {"prefill": 0.00031},
        "floors": {
            "prefill_batch_1": {"kl": 0.0004, "top1": 0.991, "words": "BF16 prefill at batch 8 against batch 1"},
            "decode_prefill": {"kl": 0.0021, "top1": None, "words": "BF16 decoded against BF16 prefilled"},
        },
        "mass": {task: {"mean": 0.98765, "least": 0.5} for task in arm["by_task"]},
        "gate": {"max_kl": 0.5, "min_top1": 0.75, "passed": True, "broken": []},
        "warnings": ["The interval covers prompts only, not new draws of the set."],
        "scheme": "W4A4",
        "estimator": "top-256 union",
        "conditions": "48 prompts, 6,144 tokens, 4 kinds of prompts weighing the same",
    }


def manifest() -> dict[str, Any]:
    """A set's manifest with 240 documents."""
    rng = np.random.default_rng(11)
    documents = []
    for index in range(240):
        task = TASKS[int(rng.choice(4, p=[0.45, 0.3, 0.2, 0.05]))]
        documents.append(
            {
                "id": f"{task}-{index:04d}",
                "task": task,
                "language": "zxx" if task == "code" else str(rng.choice(["en", "en", "en", "de"])),
                "licence": "PSF-2.0" if task == "code" else "CC-BY-SA-4.0",
                "tokens": int(rng.lognormal(6.2, 0.9)) + 8,
                "scores": {} if task == "niah" else {"continuity": float(rng.beta(8, 4))},
            }
        )
    return {
        "name": "balanced",
        "set_hash": "9f2c4b7a61d04e3f8a7b5c6d7e8f9012",
        "recipe_hash": "51aa0c3de9",
        "samples": 256,
        "tokens": 131_072,
        "sequence_length": 512,
        "shares": {"prose": 0.404, "code": 0.297, "qa": 0.251, "niah": 0.048},
        "asked": {"prose": 0.4, "code": 0.3, "qa": 0.2, "niah": 0.1},
        "cut": {"pieces": 14, "tokens": 2_718},
        "unused_tokens": 0,
        "dropped": {"near_duplicate": 31, "language": 12, "continuity": 58},
        "sources": [
            {
                "corpus": "python-docs",
                "task": "code",
                "licence": "PSF-2.0",
                "documents": 71,
                "revision": "Python 3.11.7",
                "bad_rows": {"null": 3, "not JSON": 1},
                "tokens_got": 38_900,
                "tokens_asked": 39_322,
            },
            {
                "corpus": "generate:niah",
                "task": "niah",
                "licence": "CC0-1.0",
                "documents": 12,
                "tokens_got": 6_300,
                "tokens_asked": 13_107,
            },
        ],
        "tokenizer": {"fingerprint": "3bd08a1f77e2", "vocabulary": 49_152, "template": "model"},
        "tool": {"name": "curate", "version": "0.1.0"},
        "documents": documents,
        "warnings": ["niah: 6,300 of 13,107 tokens asked."],
    }


def examples() -> dict[str, Any]:
    """Kept and dropped examples, some hostile."""
    rng = np.random.default_rng(3)
    kept = [
        {
            "id": f"prose-{index:04d}",
            "task": "prose",
            "text": f"Paragraph {index}.  \n\tThe iterator protocol consists of two distinct methods. " * 9,
            "scores": {"continuity": float(rng.beta(8, 4))},
        }
        for index in range(10)
    ]
    dropped = {
        "near_duplicate": [
            {
                "id": f"qa-{index}",
                "text": "What is a list? A list is a sequence.",
                "detail": "Jaccard 0.93 to qa-7",
            }
            for index in range(12)
        ],
        "language": [
            {"id": "p-1", "text": "Der Iterator hat zwei Methoden.", "detail": "de, 0.99; allowed en, zh"}
        ],
        "continuity": [
            {
                "id": f"w-{index}",
                "text": "lamp river seven <b>quickly</b> the of",
                "detail": "0.21, least 0.35",
            }
            for index in range(9)
        ],
    }
    return {"kept": kept, "dropped": dropped}
