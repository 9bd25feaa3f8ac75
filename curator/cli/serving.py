"""Choosing the backend that a verb measures with."""

from __future__ import annotations

from pathlib import Path

from curator._errors import InputError
from curator.quantize.methods import Scheme
from curator.serve.in_process import InProcess
from curator.serve.interface import Dtype, Server


def open_server(
    folder: Path | None, scheme: Scheme | None, url: str | None, vocabulary: int, dtype: Dtype
) -> Server:
    """The SGLang server at ``url``, else a model in this process."""
    if url is not None:
        from curator.serve.sglang import SGLang

        return SGLang(url, vocabulary=vocabulary)
    if folder is None:
        raise InputError("give a model folder or --url")
    return InProcess(folder, scheme, dtype)
