"""A backend in one file of somebody's own package: measured with as with ours, and what goes wrong with one."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from throwaway_package import install
from typer.testing import CliRunner

from curator._errors import CurateError, DependencyError, InputError, RefusedError
from curator.cli import baseline, score
from curator.cli.rank_options import serving_of
from curator.cli.server_options import serve_options
from curator.recipe import installed
from tests.quantize.llm_compressor.runs import run

pytestmark = pytest.mark.filterwarnings("ignore")
TEXTS = ("The boat waits for the tide.", "Is the lighthouse lit?", "A bell rings on the bridge.", "Noon.")

# All that its author writes: transformers, one sequence at a time; of a checkpoint its dequantised twin.
BACKEND = """
import sys
import tempfile
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM

from curator._errors import InputError
from curator.models.fingerprint import model_fingerprint
from curator.quantize.checkpoint import write_twin
from curator.serve.added import AddedBackend
from curator.serve.interface import Continuation, Scores


class OneByOne:
    def __init__(self, asked):
        self.notes, self.achieved, self.trusted = [], {}, 0
        self._folder, self._words = asked.folder, asked.arguments
        with tempfile.TemporaryDirectory() as scratch:
            twin = Path(scratch) / "twin"
            if asked.scheme is not None:
                self.notes += write_twin(asked.folder, twin)
            folder = asked.folder if asked.scheme is None else twin
            self._model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    def facts(self):
        return {"backend": "sglang", "version": "5", "dtype": "float32", "words": " ".join(self._words)}

    def weights_probe(self):
        return model_fingerprint(self._folder)

    def longest(self):
        return None

    def batch_limit(self, lengths, new_tokens):
        return sys.maxsize

    @torch.inference_mode()
    def generate(self, prompts, sampling, batch_size, *, limits=None, top_k=0, keep=0):
        if sampling.temperature:
            raise InputError("one-by-one decodes greedily")
        end = self._model.config.eos_token_id
        for prompt, most in zip(prompts, limits or [sampling.new_tokens] * len(prompts)):
            ids, rows = list(prompt), []
            for _ in range(most):
                rows.append(self._model(torch.tensor([ids])).logits[0, -1])
                ids.append(int(rows[-1].argmax()))
                if ids[-1] == end:
                    break
            new = ids[len(prompt) :]
            scores = _lists(torch.stack(rows[-keep:]), new[-keep:], top_k) if top_k else None
            yield Continuation(tuple(new), new[-1] == end, scores)

    @torch.inference_mode()
    def score(self, windows, top_k, batch_size):
        for window in windows:
            logits = self._model(torch.tensor([window.ids])).logits[0, window.start - 1 : -1]
            yield _lists(logits, window.ids[window.start :], top_k)

    def can_force(self):
        return None

    def force(self, windows, top_k, batch_size):
        return self.score(windows, top_k, batch_size)

    def close(self):
        self._model = None


def _lists(logits, tokens, top_k):
    logprobs = logits.float().log_softmax(-1)
    top = logprobs.topk(min(top_k, logprobs.shape[-1]))
    chosen = logprobs.gather(1, torch.tensor(tokens)[:, None])[:, 0]
    return Scores(top.indices.int().numpy(), top.values.numpy(), chosen.numpy())


BACKEND = AddedBackend(OneByOne, schemes=("W4A16",))
"""
ENTRY = "one-by-one = backend_of_mine:BACKEND"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Installs it for this process."""
    monkeypatch.setenv("CURATE_CACHE", str(tmp_path / "cache"))

    def put(text: str = BACKEND, entry: str = ENTRY, version: str = "1.0") -> None:
        folder = tmp_path / "site"
        install(folder, "backends", entry, text, name="backend_of_mine", version=version)
        monkeypatch.syspath_prepend(str(folder))
        forget()

    def forget() -> None:
        monkeypatch.delitem(sys.modules, "backend_of_mine", raising=False)
        installed._entries.cache_clear()
        installed.added.cache_clear()

    yield put
    monkeypatch.undo()
    forget()


def typed(*arguments: Any) -> Any:
    """What a verb prints as JSON."""
    app = typer.Typer()
    baseline.register(app)
    score.register(app)
    result = CliRunner().invoke(app, [*map(str, arguments), "--json"])
    if isinstance(result.exception, CurateError):
        raise result.exception
    assert result.exit_code == 0, (result.output, result.exception)
    return json.loads(result.stdout)


def test_a_checkpoint_is_scored_by_it_as_by_ours_and_by_it_alone(
    package: Callable[..., None], tiny_model: Path, tmp_path: Path
) -> None:
    package()
    (tmp_path / "prompts.jsonl").write_text("".join(f"{json.dumps({'text': text})}\n" for text in TEXTS))
    run(tiny_model, tmp_path / "rtn", [[2, 3, 4]], method="rtn", scheme="W4A16")
    mine = ("--serve", "one-by-one", "--server-args", "--fast yes")
    take = ("baseline", "--model", tiny_model, "--heldout", tmp_path / "prompts.jsonl", "--tokens", "6")
    # Lists of all ids: nothing is estimated.
    take += ("--top-k", "300")
    taken = typed(*take, "--max-new", "6", "--batch-size", "1", "--out", tmp_path / "mine", *mine)
    facts = taken["server"]
    assert (facts["backend"], facts["version"], facts["words"]) == (
        "one-by-one",
        "backend_of_mine 1.0, 5",
        "--fast yes",
    )
    typed(*take, "--batch-size", "1", "--out", tmp_path / "ours")

    found = typed("score", "--baseline", tmp_path / "mine", "--checkpoint", tmp_path / "rtn", *mine)
    ours = typed("score", "--baseline", tmp_path / "ours", "--checkpoint", tmp_path / "rtn")
    means = [[line["kl_mean"] for line in one["measured"]] for one in (found, ours)]
    # The same model and the same weights in float32: only sums in another order.
    assert len(means[0]) == 2 and means[0] == pytest.approx(means[1], rel=1e-3) and means[0][0] > 0.01

    with pytest.raises(RefusedError, match=r"taken by one-by-one, .* run by transformers: add --serve one-by-one"):
        typed("score", "--baseline", tmp_path / "mine", "--checkpoint", tmp_path / "rtn")
    with pytest.raises(RefusedError, match=r"taken by transformers, .* by one-by-one: leave out --serve"):
        typed("score", "--baseline", tmp_path / "ours", "--checkpoint", tmp_path / "rtn", *mine)
    with pytest.raises(RefusedError, match=r"one-by-one computes W4A16, not W4A4; take --scheme W4A16"):
        typed(
            "score", "--baseline", tmp_path / "mine", "--checkpoint", tmp_path / "rtn", "--scheme", "W4A4", *mine
        )
    package(version="1.1")
    with pytest.raises(RefusedError, match=r"version: baseline 'backend_of_mine 1\.0, 5', candidate '.* 1\.1, 5'"):
        typed("score", "--baseline", tmp_path / "mine", "--checkpoint", tmp_path / "rtn", *mine)


def test_a_ranking_is_fixed_to_it_and_measures_what_it_can(package: Callable[..., None]) -> None:
    package()
    options = serve_options(None, "one-by-one", server_args=['["--a", "b c"]'])
    assert serving_of(None, options, "W4A16") == (options, ("W4A16",))
    assert options.fixed() == ["one-by-one", "backend_of_mine 1.0", "--a", "b c"]
    assert options.starts and not options.here
    with pytest.raises(RefusedError, match="computes W4A16, not W4A4"):
        serving_of(None, options, "W4A4")
    with pytest.raises(
        InputError, match=r"--server-log is for --serve sglang; one-by-one takes --server-args alone"
    ):
        serve_options(None, "one-by-one", server_log=Path("log"))
    with pytest.raises(InputError, match=r"'one-bye-one': no such backend; did you mean one-by-one\?"):
        serve_options(None, "one-bye-one")


def test_without_a_package_the_names_are_told() -> None:
    with pytest.raises(
        InputError, match=r"--serve 'vllm': no such backend; choose from sglang, or install a package"
    ):
        serve_options(None, "vllm")


@pytest.mark.parametrize(
    ("text", "entry", "told"),
    [
        ("raise ValueError('broken')", ENTRY, r"cannot be loaded \(broken\)"),
        ("BACKEND = print", ENTRY, "is no AddedBackend"),
        (BACKEND, "sglang = backend_of_mine:BACKEND", "cannot be called that: the name is taken"),
        (BACKEND.replace("(self, asked)", "(self)"), ENTRY, r"cannot be loaded \(open must take 1 argument: "),
        (BACKEND.replace('("W4A16",)', '("W8A8",)'), ENTRY, r"cannot be loaded \(schemes must be of W4A4, W4A16"),
    ],
)
def test_a_package_that_is_wrong_is_named(package: Callable[..., None], text: str, entry: str, told: str) -> None:
    package(text, entry)
    with pytest.raises(DependencyError, match=rf"^backend [\w-]+ of the package backend_of_mine {told}") as caught:
        serve_options(None, "one-by-one")
    assert str(caught.value).endswith("mend the package or remove it (pip uninstall backend_of_mine)")


@pytest.mark.parametrize(
    ("of", "by", "told"),
    [
        (
            "self._model = AutoModel",
            "self._model = Nothing",
            r"cannot open .* \(name 'NothingForCausalLM' is not def",
        ),
        ("def can_force", "def could_force", "gives a server without can_force"),
        ("for window in windows:", "for window in windows[1:]:", r"failed \(zip\(\) argument 2 is shorter"),
        ("topk(min(top_k, logprobs.shape[-1]))", "topk(2)", r"gave top_ids of shape \[6, 2\], not \[6, 9\]"),
        ("logits.float().log_softmax(-1)", "logits.float()", "gave logprobs that are none"),
        (
            "top.values.numpy()",
            "top.values.flip(1).numpy()",
            "gave lists that do not begin with the likeliest token",
        ),
        ("top.indices.int()", "(top.indices.int() + 999)", "gave token ids beyond the vocabulary of "),
        ("yield _lists(logits", "yield (logits", "gave no Scores"),
    ],
)
def test_answers_that_cannot_be_are_told(
    package: Callable[..., None], tiny_model: Path, of: str, by: str, told: str
) -> None:
    from curator._progress import Silent
    from curator.serve.interface import Window
    from curator.serve.open import open_server
    from curator.tokens.tokenizer import Tokenizer

    assert of in BACKEND
    package(BACKEND.replace(of, by))
    options = serve_options(None, "one-by-one")
    windows = [Window(tuple(range(start, start + 12)), 6) for start in (2, 40)]
    with pytest.raises(DependencyError, match=rf"^backend one-by-one of the package backend_of_mine 1\.0 {told}"):
        list(
            open_server(options, tiny_model, None, Tokenizer(tiny_model).size, None, Silent()).score(windows, 9, 1)
        )
