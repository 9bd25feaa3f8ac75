from __future__ import annotations

import pytest
import torch
from precision_models import WINDOWS, random_model

from curator._errors import InputError
from curator.measure.full import kl_rows
from curator.precision.activation_amax import activation_amax, spread_rows
from curator.precision.candidates import Candidates
from curator.precision.evaluate import Evaluator
from curator.precision.formats import Format
from curator.precision.parts import layout_of
from curator.precision.replay import Replay
from curator.quantize.fake_quant import GLOBAL, InputQuantizer, fp8_by_row, nvfp4
from curator.serve.padded import pad

ROWS = [[(5 * i + j * j) % 290 for j in range(20)] for i in range(3)]
DOWN = "model.layers.2.mlp.down_proj"
ATTENTION = (
    "model.layers.1.self_attn.q_proj",
    "model.layers.1.self_attn.k_proj",
    "model.layers.1.self_attn.v_proj",
)


def ignore(_count: int) -> None:
    pass


@torch.no_grad()
def test_amax_is_the_largest_input_over_the_rows_and_one_for_what_is_merged() -> None:
    model = random_model("llama")
    layout = layout_of(model)
    seen: list[float] = []
    down = model.get_submodule(DOWN)
    handle = down.register_forward_pre_hook(
        lambda _module, arguments: seen.append(float(arguments[0].abs().max()))
    )
    for row in ROWS:
        model(input_ids=torch.tensor([row]))
    handle.remove()
    amax = activation_amax(model, layout, ROWS, ignore)
    assert amax[DOWN] == pytest.approx(max(seen))
    assert len({amax[name] for name in ATTENTION}) == 1
    assert len(amax) == 21
    with pytest.raises(InputError, match="token id 300"):
        activation_amax(model, layout, [[300]], ignore)


def test_rows_are_spread_over_the_set() -> None:
    assert spread_rows([[i] for i in range(10)], 3) == [[1], [5], [8]]
    assert spread_rows([[1], [2]], 9) == [[1], [2]]


@pytest.mark.parametrize("scheme", ["W4A4", "W4A16"])
@torch.no_grad()
def test_a_changed_layer_computes_by_hand_and_comes_back(scheme: str) -> None:
    model = random_model("llama")
    layout = layout_of(model)
    amax = activation_amax(model, layout, ROWS, ignore)
    down, query = (model.get_submodule(name) for name in (DOWN, ATTENTION[0]))
    x, narrow = torch.randn(5, 64) * 4, torch.randn(5, 32) * 4
    before = [down(x), query(narrow)]
    candidates = Candidates(layout, amax, scheme)  # type: ignore[arg-type]
    largest = max(float(model.get_submodule(name).weight.abs().max()) for name in ATTENTION)
    weight = nvfp4(query.weight, torch.tensor([GLOBAL / largest]))
    given = nvfp4(narrow, torch.tensor([GLOBAL / amax[ATTENTION[0]]])) if scheme == "W4A4" else narrow
    fp8 = fp8_by_row(x) if scheme == "W4A4" else x
    expected = [fp8 @ fp8_by_row(down.weight).T, given @ weight.T]
    formats: dict[str, Format] = {
        DOWN: "fp8",
        ATTENTION[0]: "nvfp4",
        ATTENTION[1]: "bf16",
    }
    with candidates.applied(formats):
        torch.testing.assert_close([down(x), query(narrow)], expected)
    assert all(torch.equal(now, then) for now, then in zip([down(x), query(narrow)], before, strict=True))
    with pytest.raises(KeyboardInterrupt), candidates.applied(formats):
        raise KeyboardInterrupt
    assert torch.equal(down(x), before[0])


@torch.no_grad()
def test_kl_of_a_part_equals_two_whole_models_compared() -> None:
    model, other = random_model("llama"), random_model("llama")
    layout = layout_of(model)
    amax = activation_amax(model, layout, ROWS, ignore)
    for name in ATTENTION:
        changed = other.get_submodule(name)
        largest = max(float(other.get_submodule(one).weight.abs().max()) for one in ATTENTION)
        if name == ATTENTION[0]:
            scale = torch.tensor([GLOBAL / largest])
        changed.weight.data = nvfp4(changed.weight, scale)
        InputQuantizer("nvfp4", torch.tensor([GLOBAL / amax[name]])).attach(changed)
    batch = pad(WINDOWS, "cpu")
    logits = [one(input_ids=batch.ids, logits_to_keep=batch.keep).logits for one in (model, other)]
    expected = [
        float(kl_rows(logits[0][row, kept], logits[1][row, kept]).mean()) for row, kept in enumerate(batch.rows)
    ]
    formats: dict[str, Format] = dict.fromkeys(ATTENTION, "nvfp4")
    with Replay(model, layout.layers) as replay:
        evaluator = Evaluator(replay, Candidates(layout, amax, "W4A4"), WINDOWS, 4)
        hidden = evaluator.after(0, evaluator.start())
        assert evaluator.kl(formats, 1, hidden).tolist() == evaluator.kl(formats).tolist()
        assert evaluator.kl(formats).tolist() == pytest.approx(expected, rel=1e-9)
        assert min(expected) > 1e-5
        # Nothing changed is nothing lost, to the last bit.
        assert evaluator.kl({}).tolist() == [0.0] * 4
