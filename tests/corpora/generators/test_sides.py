"""Calibration and held-out samples share no run of words that a leakage check would find."""

import pytest

from curator.corpora.generators import generate
from curator.corpora.generators.qa.passages import more_passages, passages
from curator.corpora.generators.runs import LENGTH, runs


def test_runs_by_hand():
    words = [f"w{number}" for number in range(LENGTH + 1)]
    assert runs(" ".join(words).upper(), "en") == [" ".join(words[:-1]), " ".join(words[1:])]
    assert runs("一二三四五，六七八九十百千万。", "zh") == ["一二三四五六七八九十百千万"]
    assert runs("too short", "en") == []


def test_sentences_that_sources_share_are_on_one_side_only():
    for language in ("en", "zh"):
        sides = [
            {
                run
                for find in (passages, more_passages)
                for one in find(language, heldout=side)
                for run in runs(one.text, language)
            }
            for side in (False, True)
        ]
        assert sides[0]
        assert not sides[0] & sides[1]


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mcq", {"kind": "code", "fill": "examples"}),
        ("mcq", {"kind": "ordering", "fill": "examples"}),
        ("qa", {"kind": "two-hop"}),
        ("niah", {"ask": 3, "values": 3}),
        ("vt", {}),
    ],
)
def test_the_sides_share_no_run(name, options):
    found = [
        {
            run
            for index in range(12)
            for run in runs(
                generate(name, seed=1, index=index, tokens=2500, options=options, heldout=heldout).text, "en"
            )
        }
        for heldout in (False, True)
    ]
    assert found[0]
    assert not found[0] & found[1]
