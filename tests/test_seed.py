from __future__ import annotations

import os
import subprocess
import sys

from curator._seed import rng, stable_hash


def test_the_hash_is_fixed_for_all_time() -> None:
    # BLAKE2b, 8 bytes, over the length-prefixed "str:order", "int:17", "str:d1"; worked out with b2sum.
    assert f"{stable_hash('order', 17, 'd1'):016x}" == "57192f87ed5ea87f"


def test_labels_are_told_apart_by_type_and_by_their_borders() -> None:
    hashes = [
        stable_hash(*labels) for labels in [(1,), ("1",), ("a", "bc"), ("ab", "c"), ("abc",), ("a", "bc", "")]
    ]
    assert len(set(hashes)) == 6


def test_half_a_surrogate_pair_has_a_hash() -> None:
    assert stable_hash("\ud83d") != stable_hash("\ud83e")


def test_another_hash_seed_of_python_changes_nothing() -> None:
    code = "from curator._seed import rng; print(rng('x', 3).random(), rng('x', 4).randrange(10**9))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    }
    assert found == {f"{rng('x', 3).random()} {rng('x', 4).randrange(10**9)}\n"}
