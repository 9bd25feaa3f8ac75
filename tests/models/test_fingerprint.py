from pathlib import Path

from curator.models.fingerprint import model_fingerprint


def test_it_follows_both_ends_of_the_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    weights = tmp_path / "model.safetensors"
    seen = set()
    for content in (b"a" * 3_000_000, b"b" + b"a" * 2_999_999, b"a" * 2_999_999 + b"b", b"a" * 3_000_001):
        weights.write_bytes(content)
        seen.add(model_fingerprint(tmp_path))
    assert len(seen) == 4
