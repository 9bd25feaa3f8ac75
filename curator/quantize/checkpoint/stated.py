"""What a checkpoint's configuration says of its layers, in either layout."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from curator._errors import InputError
from curator._files import read_json
from curator.models.regular_files import refuse_irregular
from curator.quantize.checkpoint.patterns import Layout, Patterns
from curator.quantize.checkpoint.stated_groups import Group, compressed_tensors_groups, modelopt_groups

MODELOPT_FILE = "hf_quant_config.json"
KVCache = Literal["none", "fp8", "other"]


@dataclass(frozen=True, slots=True)
class Stated:
    """A configuration, read.

    Attributes:
        layout: whose rules it follows.
        groups: what it says of the layers, first match wins.
        ignore: layers that it leaves alone.
        kv_cache: how keys and values are stored; ``other`` is none that we know.
        config: the whole ``config.json``.
        producer: program and version that wrote it, as far as it says.
        notes: what in it is odd, though usable.
    """

    layout: Layout
    groups: tuple[Group, ...]
    ignore: Patterns
    kv_cache: KVCache
    config: dict[str, Any]
    producer: str = ""
    notes: list[str] = field(default_factory=list)

    def group_of(self, module: str) -> Group | None:
        """What the configuration says of a linear; ``None`` when it is to stay as it is."""
        if self.ignore.match(module):
            return None
        return self.targeting(module)

    def targeting(self, module: str) -> Group | None:
        """The group whose targets name a linear, ignored or not."""
        return next((group for group in self.groups if group.targets.match(module)), None)

    @property
    def tied(self) -> bool | None:
        """Whether head and embedding share their weight; ``None`` when the configuration does not say."""
        text = self.config.get("text_config")
        for place in (self.config, text if isinstance(text, dict) else {}):
            if isinstance(place.get("tie_word_embeddings"), bool):
                return bool(place["tie_word_embeddings"])
        return None


def read_stated(folder: Path) -> Stated:
    """Read ``config.json`` and, of a ModelOpt checkpoint, ``hf_quant_config.json``.

    Raises:
        InputError: no quantised checkpoint, or one of another kind; a value of another type than it must have.
    """
    file = folder / "config.json"
    refuse_irregular(folder)
    if not file.is_file():
        raise InputError(f"{folder}: no checkpoint folder, it has no config.json; `curate quantize` makes one")
    config = read_json(file)
    own = config.get("quantization_config") if isinstance(config, dict) else None
    apart = read_json(folder / MODELOPT_FILE) if (folder / MODELOPT_FILE).is_file() else None
    if not isinstance(own, dict) or not own:
        if not isinstance(apart, dict) or not isinstance(config, dict):
            raise InputError(
                f"{folder}: config.json has no quantization_config; this is not a quantised checkpoint"
            )
        return _modelopt(config, _section(apart, folder), {}, apart, folder / MODELOPT_FILE)
    method = str(own.get("quant_method", "compressed-tensors" if "format" in own else "")).lower()
    if method.startswith("modelopt") or (not method and "quant_algo" in own):
        return _modelopt(config, own, _section(apart, folder), own, file)
    if method != "compressed-tensors":
        raise InputError(f"{folder}: quant_method {method!r} is neither compressed-tensors nor modelopt")
    return _compressed_tensors(config, own, file, bool(apart))


def _compressed_tensors(config: dict[str, Any], own: dict[str, Any], file: Path, apart: bool) -> Stated:
    known = ("nvfp4-pack-quantized", "mixed-precision")
    if own.get("format") not in known:
        raise InputError(f"{file.parent}: format {own.get('format')!r} is not {known[0]!r}, nor {known[1]!r}")
    scheme = own.get("kv_cache_scheme")
    note = f"{MODELOPT_FILE} lies beside a config.json that says compressed-tensors; servers read the latter"
    return Stated(
        layout="compressed-tensors",
        groups=compressed_tensors_groups(own, file),
        ignore=Patterns(_names(own, "ignore", file), "compressed-tensors", f"{file}: ignore"),
        kv_cache=_kv_cache(scheme),
        config=config,
        producer=f"compressed-tensors {own['version']}" if own.get("version") else "",
        notes=[note] if apart else [],
    )


def _modelopt(
    config: dict[str, Any], section: dict[str, Any], other: dict[str, Any], source: dict[str, Any], file: Path
) -> Stated:
    """Of either file; ``other`` is what the second file says, where there is one."""
    listed = "ignore" if "ignore" in section else "exclude_modules"
    excluded = _names(section, listed, file)
    producer = source.get("producer")
    words = f"{producer.get('name', '')} {producer.get('version', '')}" if isinstance(producer, dict) else ""
    notes = []
    if other:
        twice = other.get("quant_algo"), sorted(_names(other, "exclude_modules", file.parent / MODELOPT_FILE))
        if twice != (section.get("quant_algo"), sorted(excluded)):
            notes.append(f"config.json and {MODELOPT_FILE} differ in quant_algo or in the layers left out")
    groups = modelopt_groups(section, file)
    if str(section.get("quant_algo")).upper() == "NVFP4" and groups[0].activations == "none":
        notes.append(
            "weight-only, but quant_algo is NVFP4: a server may take it for W4A4; W4A16_NVFP4 is its name"
        )
    scheme = section.get("kv_cache_scheme") or section.get("kv_cache_quant_algo")
    return Stated(
        layout="modelopt",
        groups=groups,
        ignore=Patterns(excluded, "modelopt", f"{file}: {listed}"),
        kv_cache=_kv_cache(scheme),
        config=config,
        producer=words.strip(),
        notes=notes,
    )


def _section(apart: object, folder: Path) -> dict[str, Any]:
    if apart is None:
        return {}
    section = apart.get("quantization") if isinstance(apart, dict) else None
    if not isinstance(section, dict):
        raise InputError(f"{folder / MODELOPT_FILE}: has no quantization object")
    return section


def _kv_cache(scheme: object) -> KVCache:
    if not scheme:
        return "none"
    if isinstance(scheme, dict):
        return "fp8" if (scheme.get("type"), scheme.get("num_bits")) == ("float", 8) else "other"
    return "fp8" if str(scheme).upper() in ("FP8", "FLOAT8") else "other"


def _names(section: dict[str, Any], key: str, file: Path) -> list[str]:
    names = section.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise InputError(f"{file}: {key} must be a list of names")
    return names
