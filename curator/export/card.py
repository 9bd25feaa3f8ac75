"""The dataset card of a set, and the file that lists its licences."""

from __future__ import annotations

from typing import Any

from curator.export.hub_metadata import LICENCE_FILE, metadata


def dataset_card(manifest: dict[str, Any]) -> str:
    """README.md for a set folder: what it is, licences, sources, how to make it again, limits."""
    from huggingface_hub import DatasetCardData

    # Its writer quotes what a YAML 1.1 reader would misread, such as the language code `no`.
    head = DatasetCardData(**metadata(manifest)).to_yaml(line_break="\n")
    shares = ", ".join(
        f"{_text(task)} {share:.1%} (asked {manifest['asked'][task]:.1%})"
        for task, share in manifest["shares"].items()
    )
    title = _text(manifest["title"]) or "A calibration set"
    return f"""---
{head}
---

# {_text(manifest["name"])}

{title}: {manifest["samples"]:,} sequences, {manifest["tokens"]:,} tokens.

Set hash (of the token ids): `{manifest["set_hash"]}`.

Shares of the tokens that reach the model: {shares}.

## Licences
{_licences(manifest)}
Each row of `samples.jsonl` names the documents in it, each with its licence. `{LICENCE_FILE}` has the same table.

## Sources
{_sources(manifest)}
## How it was made
{_made(manifest)}
## Limits
{_limits(manifest)}"""


def licence_file(manifest: dict[str, Any]) -> str:
    """LICENSE.md for a set folder: the licences of its documents, and whom the texts are from."""
    return f"""# Licences

The documents of this set keep the licences of their sources. The set adds no licence of its own.

{_licences(manifest)}
## Sources
{_sources(manifest)}"""


def _licences(manifest: dict[str, Any]) -> str:
    rows = [
        [_licence(entry["licence"]), f"{entry['documents']:,}", f"{entry['tokens']:,}"]
        for entry in manifest["licences"]
    ]
    return _table(["licence", "documents", "tokens"], rows)


def _licence(expression: str) -> str:
    """The expression; a plain id of the SPDX list links to its text."""
    plain = expression.replace("-", "").replace(".", "").isalnum() and not expression.startswith("LicenseRef")
    known = plain and expression.lower() not in ("unknown", "none", "other", "proprietary")
    return f"[{expression}](https://spdx.org/licenses/{expression}.html)" if known else _text(expression)


def _sources(manifest: dict[str, Any]) -> str:
    rows = [
        [
            _text(source["corpus"]),
            _text(_revision(source)),
            _text(source["task"]),
            _text(source["licence"]),
            f"{source['documents']:,}",
            f"{source['tokens_got']:,}",
        ]
        for source in manifest["sources"]
    ]
    return _table(["source", "revision", "task", "licence", "documents", "tokens"], rows)


def _revision(source: dict[str, Any]) -> str:
    """What fixes a source's content: its revision, or its files' hashes."""
    hashes = list(source["files"].values())
    if source["revision"] or not hashes:
        return source["revision"] or "not fixed"
    return f"sha256 {hashes[0][:16]}" if len(hashes) == 1 else f"{len(hashes)} files, hashes in manifest.json"


def _made(manifest: dict[str, Any]) -> str:
    name, draw = manifest["name"], manifest["draw"]
    versions = ", ".join(f"{package} {version}" for package, version in manifest["versions"].items())
    heldout = manifest["heldout_hash"]
    prompts = f", filtered against the held-out prompts {heldout[:16]} (`--heldout`)" if heldout else ""
    model, recipe = _text(manifest["model"]), manifest["recipe_hash"][:16]
    return f"""By {_text(manifest["tool"])} from `recipe.yaml` (hash `{recipe}`), draw {draw}, for the model
{model}{prompts}; with {_text(versions)}.

    curate build recipe.yaml --model {model} --draw {draw} --out {name}

makes the same set hash where the sources have the revisions above, the local files of the recipe lie beside it,
and tokenizer and held-out prompts are the same.

`curate export {name} --to modelopt` hands it to a quantiser (llm-compressor, modelopt, gptqmodel, auto-round,
imatrix) so that these token ids arrive.

Columns of `samples.jsonl`: `id`; `n_tokens`; `input_ids`, the data; `text`, the same for reading (it does not tell
a control token from text that looks like one: `curate inspect --tokens` does); `parts`, the documents in it, each
with task, language, source, revision, file, row, licence, and where its tokens `start` and `end`.
"""


def _limits(manifest: dict[str, Any]) -> str:
    fingerprint = manifest["tokenizer"]["fingerprint"][:16]
    lines = [
        "For calibrating quantisation; too small to train on, and nothing to evaluate with.",
        f"Token ids are those of one tokenizer (fingerprint `{fingerprint}`); for another model, build again.",
        "Several documents may share a sequence; attention crosses their borders. Nothing is padded.",
        *manifest["warnings"],
    ]
    return "".join(f"- {_text(line)}\n" for line in lines)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _text(value: str) -> str:
    """A value as one line that breaks no table, and is neither a link nor a tag: names may be a stranger's."""
    line = " ".join(str(value).split()).replace("\\", "\\\\")
    for mark in "|[]`":
        line = line.replace(mark, f"\\{mark}")
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
