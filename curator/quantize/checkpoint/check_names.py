"""Whether configuration and tensors speak of the same layers."""

from __future__ import annotations

from curator.quantize.checkpoint.findings import Findings
from curator.quantize.checkpoint.opened import Checkpoint
from curator.quantize.checkpoint.tensors import INDEX

_HEADS = ("lm_head", "embed_tokens", "wte", "output_embeddings")


def check_names(checkpoint: Checkpoint, found: Findings) -> None:
    """Check coverage, the ignore list, left-over scales, and head and embedding."""
    for note in checkpoint.stated.notes:
        found.doubt(note)
    _check_quantised(checkpoint, found)
    _check_plain(checkpoint, found)
    _check_ignored(checkpoint, found)
    for name in checkpoint.parts.strays:
        found.fault(f"{name} belongs to a weight that is not quantised")
    _check_unknown(checkpoint, found)
    unlisted = checkpoint.tensors.unlisted
    if unlisted:
        found.fault(f"{unlisted[0]} is not in {INDEX}, though its file is ({len(unlisted)} such)")


def _check_unknown(checkpoint: Checkpoint, found: Findings) -> None:
    """Tensors that we do not read; a fault where the configuration has them in a format that we do read."""
    for name in checkpoint.parts.unknown:
        module, _, leaf = name.rpartition(".")
        group, shape = checkpoint.stated.group_of(module), checkpoint.tensors.shape(name)
        if leaf in ("weight", "weight_packed") and len(shape) == 2 and group and group.format in ("nvfp4", "fp8"):
            dtype = checkpoint.tensors.dtype(name)
            found.fault(
                f"{name} has shape {shape} and type {dtype}, which is no {group.format} weight of its scales"
            )
        else:
            found.doubt("not understood, so not checked: several experts in one tensor, or another format", name)


def _check_quantised(checkpoint: Checkpoint, found: Findings) -> None:
    stated, other = checkpoint.stated, []
    for name, linear in checkpoint.linears.items():
        if linear.format == "nvfp4" and linear.layout != stated.layout:
            other.append(name)
        if _is_head(name):
            _check_head(checkpoint, name, found)
        elif stated.ignore.match(name):
            found.fault(f"{name} is quantised, but the configuration leaves it out")
        elif linear.group is None:
            found.fault(f"{name} is quantised, but no group of the configuration names it")
        elif linear.group.format != linear.format:
            found.fault(f"{name} is stored as {linear.format}, the configuration says {linear.group.format}")
    if other:
        found.fault(
            f"{other[0]} has tensors named as in the other layout, config.json says {stated.layout} "
            f"({len(other)} such)"
        )


def _check_head(checkpoint: Checkpoint, name: str, found: Findings) -> None:
    if name.endswith("lm_head") and checkpoint.stated.tied is False:
        found.doubt("is quantised; many servers expect the head in BF16", name)
        return
    why = "head and embedding are tied, " if checkpoint.stated.tied else ""
    why += "the configuration leaves it out, " if checkpoint.stated.ignore.match(name) else ""
    found.fault(f"{name} is quantised; {why}servers expect it in BF16")


def _is_head(name: str) -> bool:
    return name.rpartition(".")[2] in _HEADS


def _check_plain(checkpoint: Checkpoint, found: Findings) -> None:
    stated = checkpoint.stated
    for name in checkpoint.parts.plain:
        # A head that nobody lists is in BF16 all the same.
        if _is_head(name) or stated.ignore.match(name):
            continue
        group = stated.targeting(name)
        if group is None:
            found.doubt("is neither quantised nor listed as left out", name)
        elif group.format != "bf16":
            found.fault(f"{name} is not quantised, and the configuration does not leave it out")


def _check_ignored(checkpoint: Checkpoint, found: Findings) -> None:
    modules = {name.rpartition(".")[0] for name in checkpoint.tensors}
    ignore = checkpoint.stated.ignore
    patterns = set(ignore.patterns())
    for entry in ignore.matching_nothing(modules):
        # A tied head has no tensor of its own, and a pattern may be there for other models.
        if _is_head(entry):
            continue
        if entry in patterns:
            found.doubt(f"left out by the configuration, matches no tensor: {entry}")
        else:
            found.fault(f"left out by the configuration, {entry} matches no tensor{_nearest(entry, modules)}")


def _nearest(entry: str, modules: set[str]) -> str:
    """A module whose name the entry ends alike with: most mistakes are in the prefix."""
    near = sorted(module for module in modules if module.endswith(f".{entry}"))
    if not near and entry.count(".") > 1:
        tail = entry.partition(".")[2]
        near = sorted(module for module in modules if module.endswith(f".{tail}") or module == tail)
    return f"; did you mean {near[0]}?" if near else ""
