"""Whether a candidate's numbers may be compared with a baseline's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from curator._errors import InputError, RefusedError, did_you_mean
from curator.measure.baseline import Baseline
from curator.serve.interface import Server

# Facts that must be equal for KL to be comparable. Weights, quantisation and FP4 backend may differ.
COMPARABLE = (
    "backend",
    "version",
    "torch",
    "dtype",
    "device",
    "attention",
    "chunked_prefill_size",
    "kv_cache_dtype",
    "page_size",
    "radix_cache_off",
    "deterministic",
    "tensor_parallel",
    "data_parallel",
    "sampling",
)
# Facts that not every backend can tell: they must be equal where both sides tell them.
TOLD = ("architecture", "tokenizer", "gpu")
# What makes a candidate's gate worthless: it has the baseline's own weights.
SAME = "weights"
_MODEL = ("architecture", "tokenizer")


def check_names(allow: Sequence[str]) -> None:
    """Refuse names that no fact has.

    Raises:
        InputError: the first of them.
    """
    known = (*COMPARABLE, *TOLD, SAME)
    for name in allow:
        if name not in known:
            raise InputError(f"--allow {name}: no such fact; {did_you_mean(name, known, ', '.join(known))}")


def check_known(baseline: Baseline, known: Mapping[str, str], allow: Sequence[str] = ()) -> None:
    """Compare what is known of a server before it is opened; `check_comparable` follows when it is.

    Args:
        baseline: see baseline.py.
        known: some of the facts that the server will tell.
        allow: facts that may differ.

    Raises:
        RefusedError: one of them differs.
    """
    theirs = baseline.manifest["server"]
    refused = _not_allowed([name for name in different_facts(known, theirs) if name in known], allow)
    if refused:
        raise RefusedError(_refusal(refused, known, theirs))


def different_facts(mine: Mapping[str, str], theirs: Mapping[str, str]) -> list[str]:
    """Names of the facts that must be equal and are not."""
    # A server cuts a text with its start token, this process without.
    alike = mine.get("backend") == theirs.get("backend")
    told = [name for name in TOLD if name in mine and name in theirs and (alike or name != "tokenizer")]
    return [
        *(name for name in COMPARABLE if mine.get(name) != theirs.get(name)),
        *(name for name in told if not _same(mine[name], theirs[name])),
    ]


def check_comparable(baseline: Baseline, server: Server, allow: Sequence[str] = ()) -> list[str]:
    """Compare the facts of both servers.

    Returns:
        A warning of the differences that ``allow`` names, and one for what could not be compared.

    Raises:
        RefusedError: any other difference, by name; what most likely is the cause comes first.
    """
    mine, theirs = server.facts(), baseline.manifest["server"]
    different = different_facts(mine, theirs)
    unknown = [name for name in TOLD if name not in mine or name not in theirs]
    refused = _not_allowed(different, allow)
    if refused:
        raise RefusedError(_refusal(refused, mine, theirs))
    verb = "differs" if len(different) == 1 else "differ"
    return [
        *([f"not comparable: {', '.join(different)} {verb} (--allow)"] if different else []),
        *(f"not compared: the {name}, which one side does not tell" for name in unknown if name != "gpu"),
    ]


def _not_allowed(different: Sequence[str], allow: Sequence[str]) -> list[str]:
    """With another backend all that is not the model's differs; allowing it allows that."""
    return [name for name in different if name not in allow and ("backend" not in allow or name in _MODEL)]


def _refusal(refused: Sequence[str], mine: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """What differs and what to do. That another model or kind of server has other facts need not be told."""
    model = [name for name in _MODEL if name in refused]
    if model:
        return f"the baseline is of another model ({_details(model, mine, theirs)}); take one of this model"
    allow = "--allow backend" if "backend" in refused else " ".join(f"--allow {name}" for name in refused)
    marked = f"or mark the result as not comparable with {allow}"
    if "backend" in refused:
        there, here = theirs.get("backend"), mine.get("backend")
        same = {"sglang": "add --serve sglang or --url", "transformers": "leave out --serve and --url"}.get(
            str(there), f"add --serve {there}"
        )
        return (
            f"the baseline was taken by {there}, the candidate is run by {here}: {same}, take a baseline by "
            f"{here}, {marked}"
        )
    return f"not comparable with the baseline ({_details(refused, mine, theirs)}); measure both alike, {marked}"


def _details(names: Sequence[str], mine: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    return "; ".join(f"{name}: baseline {theirs.get(name)!r}, candidate {mine.get(name)!r}" for name in names)


def _same(mine: str, theirs: str) -> bool:
    """Whether two facts agree as far as both go: a server may tell an architecture's class and not its shape."""
    return all(a == b for a, b in zip(mine.split(", "), theirs.split(", "), strict=False))
