from __future__ import annotations

from itertools import pairwise

from inspect_samples import CONTROL, manifest, samples

from curator.report.inspect_summary import histogram, inspection


def test_everything_is_counted_on_the_ids_and_parts() -> None:
    found = inspection(manifest(), samples(), CONTROL, {"end": 1, "start": 0})
    assert (found["samples"], found["tokens"]) == (2, 16)
    # 14 tokens of documents: 7 of code, 7 of prose; chat was asked for and is missing.
    assert found["tasks"] == {
        "prose": {"tokens": 7, "share": 0.5, "documents": 2, "asked": 0.5},
        "code": {"tokens": 7, "share": 0.5, "documents": 1, "asked": 0.3},
        "chat": {"tokens": 0, "share": 0.0, "documents": 0, "asked": 0.2},
    }
    assert list(found["licences"]) == ["Apache-2.0", "MIT"]
    assert found["languages"]["en"] == {"tokens": 14, "share": 1.0, "documents": 3}
    assert found["sources"][0] == {
        "source": "code", "task": "code", "licence": "Apache-2.0", "tokens": 7, "share": 0.5, "documents": 1,
    }  # fmt: skip
    assert found["lengths"] == {
        "least": 6,
        "median": 6,
        "most": 10,
        "histogram": [{"least": 6, "most": 6, "count": 1}, {"least": 10, "most": 10, "count": 1}],
    }
    documents = found["documents"]
    assert (documents["count"], documents["in_several_samples"]) == (3, 1)
    assert documents["per_sample"] == {"least": 2, "median": 2, "most": 2}
    assert (documents["lengths"]["least"], documents["lengths"]["most"]) == (2, 7)
    assert found["cut"] == {"pieces": 1, "tokens": 7}


def test_control_tokens_are_those_really_in_the_ids() -> None:
    found = inspection(manifest(), samples(), CONTROL, {"end": 1, "start": 0})["control_tokens"]
    assert [(entry["text"], entry["kind"], entry["count"], entry["samples_begun"]) for entry in found] == [
        ("<s>", "start", 2, 2),
        ("</s>", "end", 2, 0),
        ("<think>", "control", 1, 0),
    ]
    assert inspection(manifest(), samples(), None, {})["control_tokens"] is None


def test_a_start_token_that_never_comes_is_shown_as_zero() -> None:
    found = inspection(manifest(), samples(), CONTROL, {"end": None, "start": 3})["control_tokens"]
    assert found[-1] == {"id": 3, "text": "<unused>", "kind": "start", "count": 0, "samples_begun": 0}


def test_the_manifest_s_own_sum_of_what_was_cut_counts() -> None:
    made = manifest(cut={"pieces": 3, "tokens": 99})
    assert inspection(made, samples(), None, {})["cut"] == {"pieces": 3, "tokens": 99}


def test_an_old_manifest_with_little_in_it_is_enough() -> None:
    found = inspection({"name": "old"}, samples(), None, {})
    assert found["tasks"]["code"]["asked"] is None
    assert (found["warnings"], found["policy"], found["cut"]) == ([], {}, {"pieces": 0, "tokens": 0})


def test_histogram_counts_every_value_once() -> None:
    values = [3, 3, 10, 11, 12, 13, 14, 15, 16, 18]
    bins = histogram(values)
    assert sum(entry["count"] for entry in bins) == len(values)
    assert (bins[0]["least"], bins[-1]["most"]) == (3, 18)
    assert all(after["least"] == before["most"] + 1 for before, after in pairwise(bins))
    for entry in bins:
        assert entry["count"] == sum(entry["least"] <= value <= entry["most"] for value in values)
