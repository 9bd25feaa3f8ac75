"""Run our quantising worker by an interpreter that has not Curate installed: ``python -P start.py TASK.json``.

Only the package ``curator`` is made importable. Putting its parent folder on the path would let what lies beside
an installed Curate, such as another transformers, hide the interpreter's own.
"""

import importlib.util
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]


def main() -> None:
    """Import ``curator`` from where this file is, then do the task."""
    spec = importlib.util.spec_from_file_location(
        _PACKAGE.name, _PACKAGE / "__init__.py", submodule_search_locations=[str(_PACKAGE)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{_PACKAGE} is no package")
    package = importlib.util.module_from_spec(spec)
    sys.modules[_PACKAGE.name] = package
    spec.loader.exec_module(package)

    from curator.quantize.worker import main as work

    work()


if __name__ == "__main__":
    main()
