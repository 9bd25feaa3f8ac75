"""Our step as `curate quantize` and `curate rank` call it, checks and receipt and all: MODEL ROWS METHOD OUT."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from curator.quantize.run import Job, quantize_model
from curator.recipe.quantize_settings import QuantizeSettings


def main() -> None:
    """Quantise and save."""
    model, rows_path, method, out = sys.argv[1:]
    rows = json.loads(Path(rows_path).read_text(encoding="utf-8"))
    quantize_model(Path(model), Job(QuantizeSettings.model_validate({"method": method}), rows, "", Path(out)))


if __name__ == "__main__":
    main()
