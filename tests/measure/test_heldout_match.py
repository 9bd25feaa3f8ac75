from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from profiles import profile_of, words

from curator._errors import InputError
from curator.corpora.document import Message
from curator.corpora.generators import GENERATORS, generate, least_tokens
from curator.corpora.generators.budget import rough_count
from curator.corpora.heldout_split import is_heldout
from curator.measure.heldout import Prompt, load_prompts, prompts_sha256, save_prompts
from curator.measure.heldout.match import Matched, Wish, make_matched, match_own
from curator.pipeline.steps.leakage import Watched, watched

ASKING = ("niah", "cwe", "fwe", "vt", "passkey", "kv", "qa", "mcq")


def ignore(_count: int) -> None:
    pass


@pytest.fixture(scope="module")
def matched() -> Matched:
    told = [(task, "en", 500, 20) for task in ASKING] + [("niah", "zh", 500, 20), ("poems", "en", 120, None)]
    told += [("humaneval", "zxx", 200, None), ("tale", "de", 90, None)]
    return make_matched(profile_of(told), Wish(items=36), rough_count, ignore)


@pytest.fixture(scope="module")
def against(matched: Matched) -> Watched:
    return watched(None, matched.prompts)


def test_every_cell_has_what_is_wanted_or_says_why_not(matched: Matched) -> None:
    got = {line.cell.name: line.got for line in matched.lines}
    german = got.pop("tale/de/128")
    assert got == dict.fromkeys(got, 3)
    assert german == 0
    (line,) = [line for line in matched.lines if line.missing]
    assert "no more held-out text of prose in de" in line.missing
    assert Counter(prompt.task for prompt in matched.prompts) == {
        **dict.fromkeys(ASKING, 3), "niah": 6, "poems": 3, "humaneval": 3,
    }  # fmt: skip


def test_a_generated_prompt_is_its_sample_without_the_answer(matched: Matched) -> None:
    asked = [prompt for prompt in matched.prompts if prompt.task in ASKING]
    for prompt in asked:
        assert [message.role for message in prompt.messages] == ["user"]
        assert prompt.gold
        assert prompt.output_tokens == 20
        assert prompt.unit == f"generate:{prompt.task}:heldout"
        tokens = rough_count(prompt.messages[0].content)
        assert 0.98 * 500 <= tokens <= 500 or (prompt.task == "mcq" and 256 < tokens <= 512)
    # The exact sample, made again by its generator, has the same question and gold.
    first = next(prompt for prompt in asked if prompt.task == "fwe")
    index = int(first.id.rpartition("#")[2])
    again = generate(
        "fwe", seed=0, index=index, tokens=500, options={"language": "en"}, heldout=True,
        count=lambda content: rough_count(content if isinstance(content, str) else content[0].content),
    )  # fmt: skip
    assert again.messages is not None
    assert (again.messages[:1], again.gold) == (first.messages, first.gold)


def test_other_tasks_have_stretches_of_held_out_units(matched: Matched) -> None:
    for task, low, high in (("poems", 65, 128), ("humaneval", 129, 256)):
        own = [prompt for prompt in matched.prompts if prompt.task == task]
        assert all(is_heldout(prompt.unit) for prompt in own)
        assert all(low <= rough_count(prompt.text) <= high for prompt in own)
        assert len({prompt.text for prompt in own}) == 3
    assert {prompt.language for prompt in matched.prompts if prompt.task == "humaneval"} == {"zxx"}


def test_the_same_prompts_each_time_and_frozen(matched: Matched, tmp_path: Path) -> None:
    told = [("fwe", "en", 300, 9), ("poems", "en", 120, None)]
    one, two = (make_matched(profile_of(told), Wish(items=8), rough_count, ignore) for _ in range(2))
    assert one.prompts == two.prompts
    save_prompts(tmp_path / "h.jsonl", matched.prompts)
    again = load_prompts(tmp_path / "h.jsonl")
    assert again == matched.prompts
    assert prompts_sha256(again) == prompts_sha256(matched.prompts)
    row = json.loads((tmp_path / "h.jsonl").read_text().split("\n")[0])
    assert {"task", "language", "unit", "corpus", "cell", "gold", "output_tokens"} <= row.keys()


@pytest.mark.parametrize("name", GENERATORS)
@pytest.mark.parametrize("tokens", [400, 1500])
def test_wordings_of_the_same_task_are_no_leak(name: str, tokens: int, against: Watched) -> None:
    for index in range(8):
        # What is installed decides which passages there are; a sample in some dozens needs more than the least.
        room = max(tokens, least_tokens(name, tokens=tokens, options={}) * 3 // 2)
        sample = generate(name, seed=17, index=index, tokens=room, options={})
        leak = against.held_out.measure(sample.text)
        assert not leak.run, f"{sample.id} shares {leak.words!r} with {leak.item}"


def test_a_copy_of_a_prompt_is_a_leak_wherever_it_stands(matched: Matched, against: Watched) -> None:
    for prompt in matched.prompts:
        copied = f"Some words before it.\n\n{prompt.words()}\n\nAnd some after it."
        assert against.held_out.measure(copied).item == prompt.id
        # The first or the last half alone, too.
        half = len(prompt.words()) // 2
        found = [
            bool(against.held_out.measure(part).run) for part in (prompt.words()[:half], prompt.words()[half:])
        ]
        assert any(found)


def test_duplicates_are_made_again_not_counted_twice() -> None:
    # Short problems come out alike now and then; 60 of one kind are all different.
    found = make_matched(profile_of([("mcq", "en", 110, None)]), Wish(items=60), rough_count, ignore)
    assert len({prompt.words() for prompt in found.prompts}) == len(found.prompts) == 60


def own(identity: str, task: str, length: int, language: str = "en") -> Prompt:
    text = " ".join(f"{identity}{number}" for number in range(length))
    return Prompt(identity, task, "mine", "file", language, "MIT", "", (Message("user", text),))


def test_own_prompts_are_sorted_into_the_cells() -> None:
    profile = profile_of(
        [("qa", "en", 100, 30), ("qa", "en", 20, 30), ("mcq", "en", 100, 30), ("qa", "zh", 100, 30)]
    )
    prompts = [own(f"a{number}", "qa", 70 + number) for number in range(9)]
    prompts += [
        own("short", "qa", 17),
        own("long", "qa", 900),
        own("other", "mcq", 10),
        own("zh", "qa", 99, "zh-CN"),
    ]
    found = match_own(profile, Wish(items=8), prompts, words, ignore)
    assert {line.cell.name: (len(line.cell.lengths), line.got) for line in found.lines} == {
        "qa/en/32/32": (2, 1), "qa/en/128/32": (2, 2), "qa/zh/128/32": (2, 1), "mcq/en/128/32": (2, 0),
    }  # fmt: skip
    missing = [line.missing for line in found.lines if line.cell.task == "mcq"]
    assert missing == ["no more own prompts of task mcq in en have this length"]
    assert {prompt.output_tokens for prompt in found.prompts} == {30}
    # Which are chosen hangs on their ids, not on their order.
    assert match_own(profile, Wish(items=8), prompts[::-1], words, ignore).prompts == found.prompts


def test_nothing_at_all_is_an_error() -> None:
    with pytest.raises(InputError, match="none could be found for any cell"):
        match_own(profile_of([("qa", "en", 100, 30)]), Wish(), [own("x", "prose", 100)], words, ignore)
