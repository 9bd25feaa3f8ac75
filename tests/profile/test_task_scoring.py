import pytest

from curator._errors import InputError
from curator.corpora.generators import GENERATORS
from curator.profile.task_scoring import TASKS, Flips, chosen_letter, final_answer, flips, score_prediction


def test_the_tasks_are_the_contests_and_those_of_the_generators():
    assert set(TASKS) == {"mcq", "niah", "qa", "lcx", "fwe", "cwe", "kv", "passkey", "vt"}
    with_gold = {name for name, one in GENERATORS.items() if "language" in one.choices} - {"random-words"}
    assert with_gold <= set(TASKS)


@pytest.mark.parametrize(
    ("prediction", "scored"),
    [
        ("no thoughts at all", "no thoughts at all"),
        ("<think>a</think>b", "b"),
        ("<think>a</think>b</think>c", "c"),
        ("<think>a<think>b</think>c</think>d", "d"),
        ("<think>cut off before the end", "<think>cut off before the end"),
        ("<think>a</think>", ""),
        ("", ""),
    ],
)
def test_what_follows_the_last_end_of_thought_is_scored(prediction, scored):
    assert final_answer(prediction) == scored


@pytest.mark.parametrize(
    ("answer", "letter"),
    [
        ("ANSWER: C", "C"),
        ("Answer: c", "C"),
        ("answer: c.", "C"),
        ("ANSWER:D\n", "D"),
        ("ANSWER: (B)", "B"),
        ("**ANSWER: B**", "B"),
        ("**Answer:** B", "B"),
        ("ANSWER: **A**", "A"),
        ("ANSWER: A) 12 apples", "A"),
        ("ANSWER: A\nNo, I was wrong.\nANSWER: D", "D"),
        ("The form is ANSWER: X, so\nANSWER: B", "B"),
        ("so it is \\boxed{C}", "C"),
        ("so it is $\\boxed{\\text{C}}$", "C"),
        ("so it is \\boxed{\\mathrm{ B }}", "B"),
        ("so it is \\boxed{(D)}", "D"),
        ("first \\boxed{A}, then \\boxed{d}", "D"),
        ("\\boxed{A} at first\nANSWER: B", "B"),
        ("ANSWER: B\nas I wrote, \\boxed{A}", "B"),
        ("ANSWER: none of these, hence \\boxed{A}", "A"),
        ("ANSWER\uff1a\uff22", "B"),
        ("所以选择\u3002\nANSWER\uff1aC\u3002", "C"),
        ("ANSWER: because it is so", ""),
        ("answer: a dog", ""),
        ("ANSWER: Albert", ""),
        ("ANSWER: E", ""),
        ("B", ""),
        ("", ""),
    ],
)
def test_the_letter_of_a_choice(answer, letter):
    assert chosen_letter(answer) == letter


def test_a_choice_in_the_thoughts_does_not_count():
    assert score_prediction("mcq", "<think>ANSWER: A</think>I do not know.", "A") == 0
    assert score_prediction("mcq", "<think>ANSWER: A</think>ANSWER: B", "B") == 1


def test_gold_of_a_choice_may_be_a_list_and_small():
    assert score_prediction("mcq", "ANSWER: B", ["b"]) == 1
    assert score_prediction("mcq", "ANSWER: B", ["A"]) == 0


@pytest.mark.parametrize("task", ["niah", "qa", "lcx", "kv", "passkey"])
def test_any_gold_is_enough_whatever_its_case(task):
    golds = ["Lake Ilmen", "Ilmen"]
    assert score_prediction(task, "It is the ILMEN, I think.", golds) == 1
    assert score_prediction(task, "It is the Ladoga.", golds) == 0
    assert score_prediction(task, "<think>Ilmen</think>the Ladoga", golds) == 0
    assert score_prediction(task, "答案是北京大学。", "北京大学") == 1


@pytest.mark.parametrize("task", ["fwe", "cwe", "vt"])
def test_a_list_scores_the_share_that_is_found(task):
    golds = ["kettle", "saucer", "teapot", "ladle"]
    assert score_prediction(task, "Kettle, ladle, spoon", golds) == 0.5
    assert score_prediction(task, "kettle saucer teapot ladle", golds) == 1
    assert score_prediction(task, "", golds) == 0
    assert score_prediction(task, "a kettle", "kettle") == 1


@pytest.mark.parametrize("gold", ["", "  ", [], ["kettle", ""]])
def test_an_empty_gold_is_refused(gold):
    with pytest.raises(InputError, match="empty"):
        score_prediction("qa", "anything", gold)


def test_an_unknown_task_is_refused_with_those_there_are():
    with pytest.raises(InputError, match=r"'poem'.*mcq, niah"):
        score_prediction("poem", "anything", "gold")


def test_hostile_answers_are_scored_soon():
    for text in ("ANSWER:" + " " * 10**6 + "A", "\\boxed{" * 10**5, "ANSWER: (" * 10**5, "\ud800\x00ANSWER: A"):
        assert score_prediction("mcq", text, "B") == 0


def test_flips_by_hand():
    before = [1, 1, 0, 0, 0.5, 1.0]
    after = [1, 0, 1, 0, 1.0, 0.9]
    assert flips(before, after) == Flips(right_to_wrong=2, wrong_to_right=2, items=6)
    assert flips(before, after, right=0.5) == Flips(right_to_wrong=1, wrong_to_right=1, items=6)
    assert flips([], []) == Flips(0, 0, 0)


def test_flips_of_runs_on_other_items_are_refused():
    with pytest.raises(InputError, match="2 scores beside 1"):
        flips([1, 0], [1])
