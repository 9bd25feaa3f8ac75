"""Counting the tokens that each expert of a mixture of experts sees, whatever the model's class."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import Tensor, nn

# Where configs keep the number of experts; the language model's own may be one level down.
_CONFIG_KEYS = ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts")
_PER_TOKEN_KEYS = ("num_experts_per_tok", "top_k_experts", "moe_topk")
_LISTS = ("experts", "local_experts", "routed_experts")
_INTEGERS = (torch.int64, torch.int32)


class ExpertLayer:
    """The experts of one layer and the tokens each of them saw in the first pass over the rows.

    Args:
        name: module name of the experts.
        module: the container of the experts.
        owner: the block that holds the container; it is called once a batch.
        per_token: experts that a token goes to.

    Attributes:
        fused: the experts are slices of one parameter, not linear layers of their own: a quantiser of linear
            layers leaves them alone.
        by_calls: each expert is called on its own tokens, so that what a quantiser sees of it is what is counted.
    """

    def __init__(self, name: str, module: nn.Module, owner: nn.Module | None, per_token: int) -> None:
        self.name = name
        self._per_token = per_token
        self.fused = bool(_fused_counts(module))
        self.experts = min(_fused_counts(module)) if self.fused else len(list(listed_experts(module)))
        self.by_calls = not self.fused and not _is_called(module)
        self._module, self._owner = module, owner
        self._counts: Tensor | None = None
        self._tokens = 0
        self._open = True

    def attach(self, total: int | None, done: Callable[[ExpertLayer], None]) -> list[Any]:
        """Count until ``total`` tokens went through the layer, and call ``done`` then; returns the hooks' handles.

        ``total`` is what tells the first pass from the later ones, in which quantised weights may route otherwise.
        """
        owner = self._owner if self.by_calls else self._module

        def begin(_module: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
            self._open = total is None or self._tokens < total
            given = [value for value in (*arguments, *named.values()) if isinstance(value, Tensor)]
            if self._open and given and not self.by_calls:
                self._tokens += self._count([*arguments, *named.values()], given[0])
            elif self._open and given:
                self._tokens += _rows(given[0])

        def end(*_: Any) -> None:
            if self._open and total is not None and self._tokens >= total:
                self._open = False
                done(self)

        if owner is None:
            return []
        handles: list[Any] = [
            owner.register_forward_pre_hook(begin, with_kwargs=True),
            owner.register_forward_hook(end),
        ]
        if self.by_calls:
            handles += [
                expert.register_forward_pre_hook(self._called(index), with_kwargs=True)
                for index, expert in enumerate(listed_experts(self._module))
            ]
        return handles

    def tokens(self) -> list[int]:
        """Tokens of each expert; all 0 when none was counted."""
        return [0] * self.experts if self._counts is None else [int(value) for value in self._counts.tolist()]

    def linears(self, expert: int) -> list[nn.Linear]:
        """The linear layers of one expert; none where the experts are fused."""
        parts = [] if self.fused else list(listed_experts(self._module))[expert].modules()
        return [part for part in parts if isinstance(part, nn.Linear)]

    def _called(self, index: int) -> Callable[..., None]:
        def count(_module: nn.Module, arguments: tuple[Any, ...], named: Mapping[str, Any]) -> None:
            given = next((value for value in (*arguments, *named.values()) if isinstance(value, Tensor)), None)
            if self._open and given is not None:
                self._add(torch.tensor([index], device=given.device), torch.tensor([_rows(given)]))

        return count

    def _count(self, given: list[Any], hidden: Tensor) -> int:
        """Count one call of the container; returns the tokens that it was for.

        Args:
            given: all arguments. One of them says where the tokens go: an integer tensor [tokens, k] of expert
                numbers, or a list or integer tensor [experts] of counts. With one tensor alone every expert has
                its own part of it, [experts x tokens, width], and rows of zeros are not its tokens.
            hidden: the first tensor.
        """
        for value in given:
            if isinstance(value, Tensor) and value.dtype in _INTEGERS and value.ndim >= 2:
                self._add(value.flatten())
                return value.numel() // value.shape[-1]
            if _is_sizes(value, self.experts):
                sizes = torch.as_tensor(value)
                self._add(torch.arange(self.experts, device=sizes.device), sizes)
                # The rows are copies, one for each expert that a token goes to.
                return _rows(hidden) // self._per_token
        alone = sum(isinstance(value, Tensor) for value in given) == 1
        if alone and _rows(hidden) % self.experts == 0:
            parts = hidden.reshape(self.experts, -1, hidden.shape[-1])
            self._add(torch.arange(self.experts, device=hidden.device), (parts != 0).any(-1).sum(-1))
            return _rows(hidden) // self.experts
        return _rows(hidden)

    def _add(self, index: Tensor, amount: Tensor | None = None) -> None:
        # "None" is a number below the first expert or beyond the last: it is counted behind the last, and cut off.
        index = index.long()
        index = torch.where((index < 0) | (index > self.experts), self.experts, index)
        if self._counts is None:
            self._counts = torch.zeros(self.experts, dtype=torch.int64, device=index.device)
        index = index.to(self._counts.device)
        if amount is None:
            self._counts += torch.bincount(index, minlength=self.experts + 1)[: self.experts]
        else:
            self._counts.index_add_(0, index, amount.to(self._counts))


def expert_layers(model: nn.Module) -> list[ExpertLayer]:
    """The containers of experts in a model, in the order of its modules.

    Fused experts are parameters [experts, ...] of a module of a class named for them; others are a list (or
    dictionary) of modules called ``experts``.
    """
    modules = dict(model.named_modules())
    per_token = max(_configured(getattr(model, "config", None), _PER_TOKEN_KEYS), 1)
    found = []
    for name, module in modules.items():
        parent, _, leaf = name.rpartition(".")
        words = f"{type(module).__name__} {leaf}".lower()
        # Shared experts see every token.
        fused = "expert" in words and "shared" not in words and bool(_fused_counts(module))
        listed = isinstance(module, nn.ModuleList | nn.ModuleDict) and leaf in _LISTS
        if fused or (listed and len(list(listed_experts(module))) > 1):
            found.append(ExpertLayer(name, module, modules.get(parent), per_token))
    return found


def configured_experts(config: Any) -> int:
    """Experts a layer that the config speaks of; 0 for a dense model."""
    return _configured(config, _CONFIG_KEYS)


def _configured(config: Any, keys: tuple[str, ...]) -> int:
    config = getattr(config, "text_config", None) or config
    numbers = [getattr(config, key, None) for key in keys]
    return max((number for number in numbers if isinstance(number, int)), default=0)


def _fused_counts(module: nn.Module) -> list[int]:
    """Leading sizes of a module's own parameters of three dimensions."""
    return [value.shape[0] for value in module.parameters(recurse=False) if value.ndim == 3]


def listed_experts(module: nn.Module) -> Iterator[nn.Module]:
    """The experts of a list: it may also hold an activation function, which has no weights."""
    return (child for child in module.children() if next(child.parameters(), None) is not None)


def _is_called(module: nn.Module) -> bool:
    """Whether the list is called as a whole, and not its experts by the block that holds it."""
    return type(module).forward is not nn.Module.forward


def _is_sizes(value: Any, experts: int) -> bool:
    if isinstance(value, Tensor):
        return value.shape == (experts,) and value.dtype in _INTEGERS
    return isinstance(value, list) and len(value) == experts and all(isinstance(item, int) for item in value)


def _rows(value: Tensor) -> int:
    return value.numel() // value.shape[-1] if value.ndim > 1 else value.shape[0]
