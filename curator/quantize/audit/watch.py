"""Hooks that see what a quantiser feeds to a model: not what it was asked to feed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from torch import Tensor, nn

from curator._errors import RefusedError
from curator.quantize.audit.experts import ExpertLayer, configured_experts, expert_layers
from curator.quantize.rows import row_digest

OnUnseen = Callable[[list[nn.Linear]], None]


class Audit:
    """Counts of what reached a model, each token once however often a pipeline passes the rows.

    Args:
        model: a transformers model. Hooks sit on its experts: a library that replaces those must have done so.
        rows: the token ids that are fed. Their number of tokens ends the first pass; without rows all count.
        stop_on_unseen: refuse as soon as the first pass has left an expert of a layer without a token.
        on_unseen: called then with the linear layers of such experts, before a quantiser has rounded them.
        can_show_all: whether the quantiser has a way to show all tokens to all experts, to be offered.
    """

    def __init__(
        self,
        model: Any,
        rows: Sequence[Sequence[int]] | None,
        *,
        stop_on_unseen: bool = False,
        on_unseen: OnUnseen | None = None,
        can_show_all: bool = True,
    ) -> None:
        self._total = None if rows is None else sum(map(len, rows))
        self._expected = None if rows is None else {row_digest(list(row)) for row in rows}
        self._stop = stop_on_unseen
        self._can_show_all = can_show_all
        self._on_unseen = on_unseen
        self._model = model
        self._layers = expert_layers(model)
        self._digests: list[str] = []
        self._others: dict[str, None] = {}
        self._lengths: Counter[int] = Counter()
        self._tokens = 0
        self._handles: list[Any] = []

    def attach(self) -> None:
        """Start to count."""
        self._handles = [_embedding(self._model).register_forward_pre_hook(self._rows_came, with_kwargs=True)]
        for layer in self._layers:
            self._handles += layer.attach(self._total, self._layer_done)

    def detach(self) -> None:
        """Take the hooks off; the counts stay."""
        for handle in self._handles:
            handle.remove()
        self._handles = []

    def counts(self) -> dict[str, Any]:
        """What was counted.

        Returns:
            ``sequences``, ``tokens``, ``lengths`` (rows by length), ``digests`` of the rows in their order,
            ``others`` (digests that came later and are of no row), ``layers``: one of ``{"name", "tokens": [tokens
            of each expert], "fused", "by_calls"}`` a layer of experts, and ``uncounted``: names of layers, or what
            the config says, of which nothing could be counted.
        """
        seen = {layer: layer.tokens() for layer in self._layers}
        uncounted = [layer.name for layer, tokens in seen.items() if not any(tokens)]
        configured = configured_experts(getattr(self._model, "config", None))
        if configured > 1 and not seen:
            uncounted.append(f"the {configured} experts of {type(self._model).__name__}")
        return {
            "sequences": len(self._digests),
            "tokens": self._tokens,
            "lengths": {str(length): self._lengths[length] for length in sorted(self._lengths)},
            "digests": list(self._digests),
            "others": list(self._others),
            "layers": [
                {"name": layer.name, "tokens": tokens, "fused": layer.fused, "by_calls": layer.by_calls}
                for layer, tokens in seen.items()
                if any(tokens)
            ],
            "uncounted": uncounted if self._tokens else [],
        }

    def _rows_came(self, _module: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        ids = next((value for value in (*arguments, *named.values()) if isinstance(value, Tensor)), None)
        if ids is None:
            return
        first_pass = self._total is None or self._tokens < self._total
        for row in ids.reshape(-1, ids.shape[-1]).tolist():
            digest = row_digest(row)
            if first_pass:
                self._digests.append(digest)
                self._lengths[len(row)] += 1
                self._tokens += len(row)
            elif self._expected is not None and digest not in self._expected:
                self._others[digest] = None

    def _layer_done(self, layer: ExpertLayer) -> None:
        unseen = [index for index, tokens in enumerate(layer.tokens()) if not tokens]
        # Of a layer without any count nothing is known; `counts` names it.
        if not unseen or len(unseen) == layer.experts:
            return
        if self._stop:
            way = (
                "all` calibrates every expert with all tokens" if self._can_show_all else "report` goes on without"
            )
            raise RefusedError(
                f"{layer.name}: no token of the set reaches {expert_words(unseen)} of {layer.experts}, so nothing "
                f"is known of their activations; `curate inspect SET --coverage` lists all layers, `experts: {way}"
            )
        if self._on_unseen:
            self._on_unseen([linear for index in unseen for linear in layer.linears(index)])


@contextmanager
def watch(
    model: Any,
    rows: Sequence[Sequence[int]] | None,
    *,
    stop_on_unseen: bool = False,
    on_unseen: OnUnseen | None = None,
    can_show_all: bool = True,
) -> Iterator[Audit]:
    """Count what reaches ``model`` inside the block; see `Audit`.

    Raises:
        RefusedError: out of the model's forward pass, when ``stop_on_unseen`` and an expert saw no token. A
            library in between may wrap it: see `refusal_in`.
    """
    audit = Audit(model, rows, stop_on_unseen=stop_on_unseen, on_unseen=on_unseen, can_show_all=can_show_all)
    audit.attach()
    try:
        yield audit
    finally:
        audit.detach()


def refusal_in(error: BaseException) -> RefusedError | None:
    """The refusal that an error is, or that it was raised for."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        if isinstance(current, RefusedError):
            return current
        seen.add(id(current))
        current = current.__cause__ or current.__context__
    return None


def expert_words(numbers: Sequence[int]) -> str:
    """``expert 3`` or ``experts 3, 5, 9 and 4 more``."""
    shown = ", ".join(map(str, numbers[:8])) + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
    return f"expert{'s' if len(numbers) > 1 else ''} {shown}"


def _embedding(model: Any) -> nn.Module:
    """The module that the token ids go into."""
    try:
        found = model.get_input_embeddings()
    except (AttributeError, NotImplementedError):
        # Custom code may not say: the largest table is the vocabulary's.
        tables = [module for module in model.modules() if isinstance(module, nn.Embedding)]
        found = max(tables, key=lambda table: table.num_embeddings, default=None)
    if not isinstance(found, nn.Module):
        raise RefusedError(f"{type(model).__name__}: no embedding is found, so what reaches the model is not seen")
    return found
