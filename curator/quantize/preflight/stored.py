"""What the files of a model hold, by their headers alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curator._errors import InputError

# As safetensors names them. Weights of 8 bits are what another quantiser left.
_UNQUANTISED = ("BF16", "F16", "F32", "F64")


def check_stored(folder: Path, config: Mapping[str, Any]) -> None:
    """Refuse a folder that is not a plain model's, before anything is laid out from what config.json says.

    Args:
        folder: the model's.
        config: its ``config.json``.

    Raises:
        InputError: a damaged file, weights that are no floating-point numbers of 16 bits or more, or more layers
            in the config than tensors in the files.
    """
    from safetensors import SafetensorError, safe_open

    count = 0
    for file in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(file, framework="np") as tensors:
                kinds = {name: str(tensors.get_slice(name).get_dtype()) for name in tensors.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise InputError(f"{file}: damaged ({str(error)[:200]}); fetch the model again") from error
        count += len(kinds)
        for name, kind in kinds.items():
            if name.endswith(".weight") and kind not in _UNQUANTISED:
                raise InputError(
                    f"{file}: weight {name} is stored as {kind}: quantised already, or none of a language model; "
                    "give the BF16 model"
                )
    inner = config.get("text_config")
    layers = {**config, **(inner if isinstance(inner, dict) else {})}.get("num_hidden_layers")
    # Laying out a hundred thousand layers takes minutes, and each has weights of its own.
    if type(layers) is int and layers > count:
        raise InputError(
            f"{folder / 'config.json'}: num_hidden_layers is {layers}, the files hold {count} tensors in all; "
            "give the whole folder of one model"
        )
