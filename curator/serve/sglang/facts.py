"""What a server says of itself, under our names."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from curator._errors import ServerError
from curator.serve.faults import Fault
from curator.serve.http import Connection
from curator.serve.identity import PROBE_TEXT, architecture_of, ids_digest
from curator.serve.sglang.request import NEUTRAL

# What we call a fact -> what SGLang calls it.
_SERVER_FACTS = {
    "version": "version",
    "dtype": "dtype",
    "device": "device",
    "attention": "attention_backend",
    "chunked_prefill_size": "chunked_prefill_size",
    "kv_cache_dtype": "kv_cache_dtype",
    "quantization": "quantization",
    "fp4_backend": "fp4_gemm_runner_backend",
    "tensor_parallel": "tp_size",
    "data_parallel": "dp_size",
    "page_size": "page_size",
    "radix_cache_off": "disable_radix_cache",
    "deterministic": "enable_deterministic_inference",
    "max_req_input_len": "max_req_input_len",
}
_MODEL_FACTS = ("model_path", "weight_version", "model_type")


def read_info(connection: Connection) -> dict[str, Any]:
    """``/server_info``, under its old name where it has no other."""
    return connection.get("/server_info", "/get_server_info")


def read_model(connection: Connection) -> dict[str, Any]:
    """``/model_info``, under its old name where it has no other."""
    return connection.get("/model_info", "/get_model_info")


def model_identity(model: Mapping[str, Any]) -> dict[str, str]:
    """What tells the model that a server serves from another."""
    return {name: str(model[name]) for name in _MODEL_FACTS if model.get(name) is not None}


def server_facts(info: Mapping[str, Any], model: Mapping[str, Any]) -> dict[str, str]:
    """Backend, version, dtype, cache and parallelism settings, model; a fact the server lacks is left out."""
    facts = {"backend": "sglang", "sampling": "temperature 0, logprobs at temperature 1"}
    facts |= {ours: str(info[theirs]) for ours, theirs in _SERVER_FACTS.items() if theirs in info}
    facts |= model_identity(model)
    architecture = _architecture(model)
    return {**facts, **({"architecture": architecture} if architecture else {})}


def tokenizer_fact(connection: Connection) -> dict[str, str]:
    """A short name of how the server's tokenizer cuts a fixed text; empty where it has none.

    Raises:
        ServerError: the request failed.
    """
    body = {
        "text": PROBE_TEXT,
        "sampling_params": {**NEUTRAL, "max_new_tokens": 0},
        "return_logprob": True,
        "logprob_start_len": 0,
    }
    try:
        answer = connection.attempt("/generate", body)
    except ServerError:
        # --skip-tokenizer-init: such a server refuses text.
        return {}
    entries = None
    if isinstance(answer, dict) and isinstance(answer.get("meta_info"), dict):
        entries = answer["meta_info"].get("input_token_logprobs")
    if isinstance(answer, Fault) or not isinstance(entries, list) or not entries:
        return {}
    ids = [entry[1] for entry in entries if isinstance(entry, list) and len(entry) > 1 and type(entry[1]) is int]
    return {"tokenizer": ids_digest(ids)} if len(ids) == len(entries) else {}


def _architecture(model: Mapping[str, Any]) -> str:
    """From the model's folder where it is on this machine: the server tells the class only."""
    path = model.get("model_path")
    config: Any = model
    if isinstance(path, str):
        try:
            config = json.loads((Path(path) / "config.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            config = model
    return architecture_of(config if isinstance(config, dict) else model)
