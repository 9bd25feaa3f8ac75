from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any, cast

import pytest

from curator._errors import InputError, RefusedError
from curator.measure.baseline import Baseline
from curator.measure.comparable import check_comparable, check_known, check_names
from tests.measure.fake_server import Fake

SHAPE = "LlamaForCausalLM, 30 layers of 576, vocabulary 49152"


def baseline(**facts: str) -> Baseline:
    server = Fake()
    server.other_facts = facts
    return cast(Baseline, SimpleNamespace(manifest={"server": server.facts()}))


def candidate(**facts: str) -> Fake:
    server = Fake()
    server.other_facts = facts
    return server


def test_other_facts_are_refused_by_name_and_allowed_by_name() -> None:
    known = {"architecture": SHAPE, "tokenizer": "a"}
    base = baseline(**known)
    assert check_comparable(base, candidate(**known)) == []
    assert check_comparable(base, candidate(**known, quantization="modelopt_fp4", model_path="/other")) == []
    other = candidate(**known, dtype="bfloat16", chunked_prefill_size="4096")
    with pytest.raises(
        RefusedError, match=r"dtype: baseline 'float32', candidate 'bfloat16'; chunked_prefill_size"
    ):
        check_comparable(base, other)
    with pytest.raises(RefusedError, match="chunked_prefill_size") as error:
        check_comparable(base, other, allow=("dtype",))
    assert "'bfloat16'" not in str(error.value)
    warnings = check_comparable(base, other, allow=("dtype", "chunked_prefill_size"))
    assert warnings == ["not comparable: dtype, chunked_prefill_size differ (--allow)"]


def test_the_likely_cause_is_told_and_not_all_that_follows_from_it() -> None:
    served = baseline(backend="sglang", version="0.5.23", page_size="1", architecture=SHAPE, tokenizer="a")
    here = {"architecture": SHAPE, "tokenizer": "a"}
    with pytest.raises(RefusedError, match="taken by sglang, the candidate is run by fake: add --serve") as error:
        check_comparable(served, candidate(**here))
    assert str(error.value).endswith("with --allow backend")
    # All that comes with it is allowed with it, the model is not.
    assert check_comparable(served, candidate(**here), allow=("backend",))[0].startswith(
        "not comparable: backend, "
    )
    with pytest.raises(RefusedError, match=r"of another model .*take one of this model$") as error:
        check_comparable(served, candidate(backend="sglang", architecture=SHAPE, tokenizer="b", version="2"))
    assert "version" not in str(error.value)
    # What cuts the same text with a start token and without is no other model.
    with pytest.raises(RefusedError, match="taken by sglang, the candidate is run by fake"):
        check_comparable(served, candidate(architecture=SHAPE, tokenizer="b"))


def test_what_is_known_before_a_server_is_opened_is_compared_alone() -> None:
    served = baseline(backend="sglang", version="0.5.23", architecture=SHAPE, tokenizer="a")
    check_known(served, {"backend": "sglang", "architecture": SHAPE})
    with pytest.raises(RefusedError, match="taken by sglang, the candidate is run by transformers"):
        check_known(served, {"backend": "transformers"})
    check_known(served, {"backend": "transformers"}, allow=("backend",))
    with pytest.raises(RefusedError, match="of another model"):
        check_known(served, {"backend": "sglang", "architecture": SHAPE.replace("30", "32")}, allow=("backend",))


def test_a_fact_that_there_is_not_cannot_be_allowed() -> None:
    check_names(("dtype", "gpu"))
    with pytest.raises(InputError, match=r"--allow dtpye: no such fact; did you mean dtype"):
        check_names(("dtpye",))
    with pytest.raises(InputError, match=r"--allow nonsense: no such fact; backend, version, .*gpu"):
        check_names(("nonsense",))


@pytest.mark.parametrize("name", ["architecture", "tokenizer", "gpu"])
def test_what_only_some_servers_tell_is_compared_where_both_do(name: str) -> None:
    known = {"architecture": SHAPE, "tokenizer": "a", "gpu": "x"}
    others = {key: value for key, value in known.items() if key != name}
    with pytest.raises(RefusedError, match=f"{name}: baseline '.*', candidate 'another'"):
        check_comparable(baseline(**known), candidate(**others, **{name: "another"}))
    warnings = check_comparable(baseline(**known), candidate(**others))
    assert warnings == ([] if name == "gpu" else [f"not compared: the {name}, which one side does not tell"])


def test_an_architecture_is_compared_as_far_as_both_tell_it() -> None:
    told = {"tokenizer": "a"}
    assert not check_comparable(baseline(architecture=SHAPE, **told), candidate(architecture=SHAPE[:16], **told))
    wider = SHAPE.replace("576", "960")
    with pytest.raises(RefusedError, match="30 layers of 960"):
        check_comparable(baseline(architecture=SHAPE, **told), candidate(architecture=wider, **told))


@pytest.mark.parametrize("name", ["temperature", "top_p", "top_k"])
def test_other_sampling_is_refused(name: str) -> None:
    """Case 034: the same logits at another temperature are other logprobs."""

    def words(settings: dict[str, Any]) -> str:
        return json.dumps(settings, sort_keys=True)

    one = {"temperature": 1.0, "top_p": 1.0, "top_k": -1}
    with pytest.raises(RefusedError, match=f"sampling: .*{name}"):
        check_comparable(baseline(sampling=words(one)), candidate(sampling=words({**one, name: 0.5})))
