"""Judging what reached a model against the set, and the experts against the policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from curator._errors import RefusedError
from curator.quantize.audit.watch import expert_words
from curator.quantize.rows import row_digest

Experts = Literal["refuse", "report", "all"]


def check_reached(
    counts: Mapping[str, Any], rows: Sequence[Sequence[int]], experts: Experts, *, can_show_all: bool = True
) -> list[str]:
    """Refuse unless the rows that reached the embedding are the set's, each as often as the set has it.

    Args:
        counts: what `Audit.counts` gives.
        rows: what was to be fed, in any order.
        experts: what to do when an expert of a mixture of experts saw no token.
        can_show_all: whether ``all`` is to be offered for it.

    Returns:
        What is doubtful though allowed, one line each.

    Raises:
        RefusedError: other rows reached the model; or, as ``experts`` says, an expert saw no token, or it cannot
            be known whether one did.
    """
    expected = Counter(row_digest(list(row)) for row in rows)
    reached = Counter(counts["digests"])
    missing = sum((expected - reached).values())
    others = sum((reached - expected).values()) + len(counts.get("others", ()))
    if missing or others:
        raise RefusedError(
            f"the quantiser changed the calibration set: {missing} of {len(rows)} rows never reached the model as "
            f"they are, {others} other rows did"
        )
    return _check_counted(counts, experts) + _check_unseen(counts, experts, can_show_all)


def _check_counted(counts: Mapping[str, Any], experts: Experts) -> list[str]:
    notes = []
    uncounted = counts.get("uncounted", ())
    if uncounted:
        words = f"{uncounted[0]} ({len(uncounted)} such): the tokens of each expert cannot be counted"
        if experts != "report":
            raise RefusedError(f"{words}; `experts: report` goes on without knowing")
        notes.append(words)
    fused = [layer["name"] for layer in counts.get("layers", ()) if layer["fused"]]
    if fused:
        notes.append(
            f"{fused[0]} ({len(fused)} such): the experts are one fused parameter, which the quantiser does not "
            "take apart; they stay in BF16"
        )
    return notes


def _check_unseen(counts: Mapping[str, Any], experts: Experts, can_show_all: bool) -> list[str]:
    unseen = {
        layer["name"]: numbers
        for layer in counts.get("layers", ())
        if not layer["fused"] and (numbers := [index for index, seen in enumerate(layer["tokens"]) if not seen])
    }
    # A library cannot call all experts with all tokens when the model's own code calls each on its part.
    called = {layer["name"] for layer in counts.get("layers", ()) if layer["by_calls"]}
    refused = unseen if experts == "refuse" else {} if experts == "report" else unseen.keys() & called
    if refused:
        name = min(refused, key=list(unseen).index)
        hint = (
            "its code calls each expert on its own tokens, which `experts: all` cannot change; add text that "
            "reaches it, or take `experts: report`"
            if name in called
            else "add text that reaches it (`curate inspect SET --coverage`), or take "
            + ("`experts: all` or `report`" if can_show_all else "`experts: report`")
        )
        raise RefusedError(
            f"{name}: no token of the set reached {expert_words(unseen[name])} ({len(refused)} such layers); "
            f"{hint}"
        )
    done = "all tokens of the set were shown to it" if experts == "all" else "it is rounded without data"
    return [
        f"{name}: no token of the set is routed to {expert_words(numbers)}; {done}"
        for name, numbers in unseen.items()
    ]
