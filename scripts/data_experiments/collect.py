"""From a scale's rankings to the results that are kept, and what they say of the expected pairs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from curator._errors import InputError
from curator._files import file_sha256, json_sha256, read_json
from curator.rank.multiplicity import holm
from data_experiments.layout import ExperimentFolder
from data_experiments.registered import FILE, Expected, Experiment

ALPHA = 0.05
ANSWERS = "answers.json"
"""What is known of answers that were made elsewhere; see answers.py."""
PLAIN_TURNS = FILE.with_name("plain_turns.jinja")
_ARM = ("name", "title", "kind", "draws", "kl_mean", "kl_ci", "top1", "draw_means", "by_task", "may_be_best")
_PAIR = ("a", "b", "diff", "ci", "se", "p", "p_holm", "verdict", "equivalent", "scope", "family", "words")


def collect(place: ExperimentFolder, experiments: Sequence[str]) -> dict[str, Any]:
    """All that is kept of a scale.

    Returns:
        ``registered`` (hash of the plan), ``deviations`` (from it, in words), ``texts`` and, by experiment,
        ``question``, ``conditions``, ``arms``,
        ``pairs`` (with ``p_holm_all``: by Holm over the pairs of all these experiments), ``expected`` (each with
        ``came``), ``warnings`` and ``smallest_detectable``; strict JSON.

    Raises:
        InputError: none of them is measured.
    """
    files = {name: place.ranking(name) / "ranking.json" for name in experiments}
    rankings = {name: read_json(file) for name, file in files.items() if file.is_file()}
    if not rankings:
        raise InputError(f"{place.folder}: nothing is measured; run `scripts/what_data_does measure` first")
    everywhere = _holm_over_all(rankings)
    return {
        "scale": place.scale_name,
        "registered": file_sha256(FILE),
        "as_registered": place.as_registered,
        "deviations": deviations(place, rankings),
        "not_measured": [name for name in experiments if name not in rankings],
        "texts": _texts(place),
        "experiments": {
            name: _experiment(place.registered.experiments[name], ranking, everywhere[name])
            for name, ranking in rankings.items()
        },
    }


def deviations(place: ExperimentFolder, rankings: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """What was not as registered and changes nothing that is asked: where it was measured."""
    found: dict[str, None] = {}
    for ranking in rankings.values():
        device = ranking["reproduce"]["plan"]["device"] or "cpu"
        if device != place.scale.device:
            scored = ranking["environment"].get("device", "cpu")
            found[f"checkpoints made on {device}, {place.scale.device} was registered; scored on {scored}"] = None
    for name, ranking in rankings.items():
        wanted = place.scale.samples * place.scale.tokens
        short = {
            f"{arm['name']} has {min(sizes):,} to {max(sizes):,} of {wanted:,} tokens a set": None
            for arm in ranking["arms"]
            if (sizes := [one["tokens"] for one in arm.get("sets", [])]) and min(sizes) < wanted
        }
        found |= {f"{name}: {words}": None for words in short}
    template = place.model_folder / "chat_template.jinja"
    if template.is_file() and template.read_bytes() == PLAIN_TURNS.read_bytes():
        found["the model has no chat template: turns are written as plain paragraphs"] = None
    answers = place.texts / ANSWERS
    if answers.is_file() and (facts := read_json(answers)) and facts["device"] != "cpu":
        found[f"answers of the model made on {facts['device']}, {facts['together']} prompts at once"] = None
    return list(found)


def came(expected: Expected, pair: Mapping[str, Any]) -> str:
    """What became of an expectation: ``as expected``, ``the other way`` or ``not separated``.

    A tie comes as expected only where the arms are equivalent: one that is not separated shows nothing.
    """
    if pair["verdict"] == "tied":
        return "as expected" if expected.tied and pair["equivalent"] else "not separated"
    if expected.tied:
        return "the other way"
    lower = pair["a"] if pair["verdict"] == "better" else pair["b"]
    return "as expected" if lower == expected.better else "the other way"


def _texts(place: ExperimentFolder) -> dict[str, Any]:
    answers = place.texts / ANSWERS
    made = {"answers": read_json(answers)} if answers.is_file() else {}
    return {**read_json(place.texts / "pools.json"), **made}


def _experiment(experiment: Experiment, ranking: Mapping[str, Any], p_all: Mapping[str, float]) -> dict[str, Any]:
    pairs = {frozenset((pair["a"], pair["b"])): pair for pair in ranking["pairs"]}
    return {
        "question": experiment.question,
        "prompts": experiment.prompts,
        "conditions": {**ranking["primary"], **ranking["environment"]},
        "arms": [_arm(arm) for arm in ranking["arms"]],
        "pairs": [
            {**{key: pair[key] for key in _PAIR}, "p_holm_all": p_all.get(_name(pair))}
            for pair in ranking["pairs"]
        ],
        "expected": [
            {**one.model_dump(exclude_none=True), "came": came(one, pairs[one.pair])}
            for one in experiment.expected
        ],
        "smallest_detectable": ranking["smallest_detectable"],
        "floors": ranking["floors"],
        "warnings": ranking["warnings"],
    }


def _arm(arm: Mapping[str, Any]) -> dict[str, Any]:
    sets = arm.get("sets", [])
    return {
        **{key: arm[key] for key in _ARM if key in arm},
        "other_scheme": arm.get("other_scheme"),
        "overlap": max((one.get("overlap", 0.0) for one in sets), default=0.0),
        "shares": [one["shares"] for one in sets if "shares" in one],
        "sets_sha256": json_sha256([one["set_hash"] for one in sets]),
    }


def _holm_over_all(rankings: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """By experiment and pair: p adjusted for the users' pairs of all experiments together."""
    pairs = [(name, pair) for name, ranking in rankings.items() for pair in _users(ranking)]
    steps = holm([pair["p"] for _, pair in pairs], ALPHA)
    found: dict[str, dict[str, float]] = {name: {} for name in rankings}
    for (name, pair), step in zip(pairs, steps, strict=True):
        found[name][_name(pair)] = step.adjusted_p
    return found


def _users(ranking: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [pair for pair in ranking["pairs"] if pair["family"] == "user"]


def _name(pair: Mapping[str, Any]) -> str:
    return f"{pair['a']} | {pair['b']}"
