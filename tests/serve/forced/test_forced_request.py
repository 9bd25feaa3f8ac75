from __future__ import annotations

import ast
import inspect
import json
import pickle

from curator.serve.forced import on_server
from curator.serve.forced.request import processor


def test_the_processor_travels_as_source_and_needs_nothing_of_ours() -> None:
    made = pickle.loads(bytes.fromhex(json.loads(processor())["callable"]))
    assert made is not on_server.ForcedTokens
    assert (made.__name__, made.__module__) == ("ForcedTokens", "curate_forced")
    assert callable(made())
    # No byte code: any Python from 3.9 on can read it.
    tree = ast.parse(inspect.getsource(on_server), feature_version=(3, 9))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names])
    }
    assert imported == {"__future__", "math", "typing", "torch"}
