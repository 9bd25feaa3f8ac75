"""The dataset card of a set, with the metadata block that dataset hubs read."""

from __future__ import annotations

from io import StringIO
from typing import Any

from ruamel.yaml import YAML


def dataset_card(manifest: dict[str, Any]) -> str:
    """README.md for a set folder: licences, languages, how it was made, limits."""
    licences = sorted({document["licence"] for document in manifest["documents"]})
    languages = sorted({document["language"] for document in manifest["documents"]})
    head = StringIO()
    yaml = YAML()
    yaml.default_flow_style = False
    yaml.dump(
        {
            "pretty_name": f"{manifest['name']} (calibration set)",
            "license": "other",
            "license_name": "see-the-table-of-sources",
            "language": languages,
            "task_categories": ["text-generation"],
            "tags": ["calibration", "quantization", "nvfp4"],
            "configs": [{"config_name": "default", "data_files": "samples.jsonl"}],
        },
        head,
    )
    columns = ("corpus", "task", "licence", "pieces", "tokens_got")
    rows = "\n".join(
        "| " + " | ".join(str(source[column]) for column in columns) + " |" for source in manifest["sources"]
    )
    shares = ", ".join(
        f"{task} {share:.1%} (asked {manifest['asked'][task]:.1%})" for task, share in manifest["shares"].items()
    )
    warnings = "".join(f"- {warning}\n" for warning in manifest["warnings"])
    return f"""---
{head.getvalue()}---

# {manifest["name"]}

{manifest["title"] or "A calibration set"}: {manifest["samples"]} sequences, {manifest["tokens"]} tokens,
made by {manifest["tool"]} from the recipe in `manifest.json` (draw {manifest["draw"]}).
Set hash (of the token ids): `{manifest["set_hash"]}`.

Shares of the tokens that reach the model: {shares}.

| source | task | licence | pieces | tokens |
|---|---|---|---|---|
{rows}

Licences of the documents: {", ".join(licences)}. Each row of `samples.jsonl` names its documents.

## Limits
- For calibrating quantisation; too small to train or to evaluate on.
- Token ids are those of one tokenizer (fingerprint `{manifest["tokenizer"]["fingerprint"][:16]}`); for another
  model, build again from the recipe.
- Documents are cut at the sequence length and laid end to end; attention crosses document borders.
{warnings}"""
