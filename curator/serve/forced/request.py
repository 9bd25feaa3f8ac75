"""What a request to force tokens carries."""

from __future__ import annotations

import functools
import json
import pickle
from collections.abc import Sequence
from importlib import resources
from typing import Any

from curator.serve.forced.shift import LEAST, MARGIN, SLOPE


class _Source:
    """Pickled as a call that makes the class from its source.

    SGLang takes a pickled class. One pickled by value (dill) holds byte code, which no other version of Python
    can run; source can, and needs no dill here.
    """

    def __init__(self, source: str, name: str) -> None:
        self._call = f"(lambda scope: exec({source!r}, scope) or scope[{name!r}])({{'__name__': 'curate_forced'}})"

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return eval, (self._call,)


@functools.cache
def processor() -> str:
    """on_server.py in the form that SGLang's ``custom_logit_processor`` takes."""
    source = (resources.files(__package__) / "on_server.py").read_text(encoding="utf-8")
    return json.dumps({"callable": pickle.dumps(_Source(source, "ForcedTokens"), protocol=4).hex()})


def forcing(tokens: Sequence[int]) -> dict[str, Any]:
    """What a prompt's sampling parameters carry to the processor."""
    return {"custom_params": {"tokens": list(tokens), "margin": MARGIN, "slope": SLOPE, "least": LEAST}}
