"""Multiple choice: letters, wordings, derivations and budgets; test_mcq_problems.py works the answers out."""

import re
from collections import Counter

import pytest

from curator._errors import InputError
from curator.corpora.generators import GENERATORS, generate
from curator.corpora.generators.mcq.generator import KINDS
from curator.corpora.generators.mcq.story import texts
from curator.profile.task_scoring import score_prediction

_STORY_GROUPS = ("arithmetic", "units", "counting", "dates", "sequences")


def _sample(index, *, tokens=1024, heldout=False, count=None, **options):
    return generate("mcq", seed=5, index=index, tokens=tokens, options=options, heldout=heldout, count=count)


def _turns(sample):
    return [message.content for message in sample.messages]


def _choices(user, language, *, heldout):
    """The four choices of the last question, read by the frames of the side."""
    frames = texts(language)["frames"]
    half = len(frames) // 2
    for frame in frames[half:] if heldout else frames[:half]:
        if user.endswith((frame["worked"], frame["plain"])):
            pattern = re.escape(frame["option"]).replace(r"\{letter\}", "([A-D])").replace(r"\{choice\}", "(.+)")
            return dict(re.findall(f"^{pattern}$", user.rpartition("\n\n")[0].rpartition("\n\n")[2], re.M))
    raise AssertionError(user)


@pytest.mark.parametrize("heldout", [False, True])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_four_different_choices_and_an_answer_turn_that_scores(kind, language, heldout):
    for index in range(10):
        sample = _sample(index, kind=kind, language=language, heldout=heldout)
        user, answer = _turns(sample)
        choices = _choices(user, language, heldout=heldout)
        assert list(choices) == list("ABCD")
        assert len(set(choices.values())) == 4
        assert answer.rpartition("\n")[2] == f"ANSWER: {sample.gold[0]}"
        assert choices[sample.gold[0]] in answer
        assert score_prediction("mcq", answer, sample.gold) == 1


def test_each_letter_is_right_equally_often():
    letters = Counter(_sample(index, kind="units", reasoning="none").gold[0] for index in range(400))
    assert letters == dict.fromkeys("ABCD", 100)


def test_letters_are_not_in_a_fixed_order():
    rows = {tuple(_sample(4 * block + at, kind="units").gold[0] for at in range(4)) for block in range(40)}
    assert len(rows) > 12


def test_kinds_take_turns():
    users = [_turns(_sample(index))[0] for index in range(16)]
    assert [("```python" in user) for user in users].count(True) == 2
    assert [("____" in user) for user in users].count(True) == 2


def test_reasoning_none_short_and_long():
    none, short, long = (_turns(_sample(3, kind="dates", reasoning=how))[1] for how in ("none", "short", "long"))
    gold = _sample(3, kind="dates").gold[0]
    assert none == f"ANSWER: {gold}"
    assert len(none) < len(short) < len(long)
    told = set(re.findall(r"\b([A-D])\b", long.rpartition("\n")[0]))
    assert told == set("ABCD")
    assert set(re.findall(r"\b([A-D])\b", short)) == {gold}


def test_the_question_asks_for_reasons_only_where_some_are_given():
    for index in range(8):
        user, _ = _turns(_sample(index, reasoning="none"))
        assert any(user.endswith(frame["plain"]) for frame in texts("en")["frames"])
        user, _ = _turns(_sample(index))
        assert any(user.endswith(frame["worked"]) for frame in texts("en")["frames"])


def _count(content):
    return len(content) // 3 if isinstance(content, str) else sum(len(one.content) // 3 + 5 for one in content)


@pytest.mark.parametrize("kind", ["any", "code", "reading"])
@pytest.mark.parametrize("tokens", [800, 2048, 6000])
def test_examples_fill_the_budget_and_never_pass_it(tokens, kind):
    for index in range(6):
        sample = _sample(index, tokens=tokens, fill="examples", kind=kind, count=_count)
        assert 0.98 * tokens <= _count(sample.messages) <= tokens


def test_without_examples_a_sample_has_its_natural_length():
    sizes = [_count(_sample(index, tokens=4000, count=_count).messages) for index in range(40)]
    assert max(sizes) < 1000
    assert min(sizes) > 60


def test_too_few_tokens_are_refused_with_the_least():
    with pytest.raises(InputError, match=r"generate mcq: 60 tokens are too few .* ask for \d+ tokens or more"):
        _sample(0, tokens=60)


def test_worked_examples_end_in_answers_of_their_own():
    sample = _sample(2, tokens=4000, fill="examples", kind="arithmetic")
    user, answer = _turns(sample)
    assert len(re.findall(r"^ANSWER: [A-D]$", user, re.M)) > 8
    assert len(re.findall(r"^ANSWER: [A-D]$", answer, re.M)) == 1


def test_samples_differ_and_are_the_same_again():
    made = [_sample(index).text for index in range(40)]
    assert len(set(made)) == 40
    assert made == [_sample(index).text for index in range(40)]


def test_both_languages_tell_the_same_problems():
    english, chinese = texts("en"), texts("zh")
    assert english.keys() == chinese.keys()
    for group in _STORY_GROUPS:
        assert english[group].keys() == chinese[group].keys()
        for name, told in english[group].items():
            assert told["slips"].keys() == chinese[group][name]["slips"].keys()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_there_are_eight_wordings_or_more_of_everything(language):
    told = texts(language)
    assert all(len(told[group]) >= 8 for group in _STORY_GROUPS)
    assert len([frame for frame in told["ordering"].values() if isinstance(frame, dict)]) >= 8
    assert len(set(told["code"]["wordings"].values())) >= 8
    assert len(set(told["reading"]["wordings"].values())) >= 8
    for key in ("worked", "plain", "solved", "now", "wrong", "verdict", "option"):
        assert len({frame[key] for frame in told["frames"]}) == len(told["frames"]) >= 8


def test_the_sides_share_no_wording():
    def heads(side):
        return {_turns(_sample(index, kind="sequences", heldout=side))[0][:12] for index in range(60)}

    own, other = heads(False), heads(True)
    assert len(own) >= 4 <= len(other)
    assert not own & other


def test_licence_follows_the_kind():
    licence = GENERATORS["mcq"].licence
    assert licence({"kind": "units", "language": "en"}) == "CC0-1.0"
    assert licence({"kind": "any", "language": "zh"}) == "BSD-2-Clause"
