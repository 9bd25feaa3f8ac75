"""Counts, values and the texts nearest to each line, in little memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from curator.pipeline.limits import limits_of
from curator.pipeline.score_summary import NEAREST, ScoreSummary
from curator.recipe.schema import Recipe


@dataclass(frozen=True)
class Text:
    id: str
    scores: dict[str, Any] = field(default_factory=dict)
    keep: bool = True
    reason: str | None = None
    detail: str | None = None
    task: str = "prose"
    text: str = "x" * 500


def recipe(**more: Any) -> Recipe:
    tasks = {"prose": 1.0, "poem": 1.0}
    base = {"name": "r", "size": {"samples": 1, "tokens": 16}, "target": {"tasks": tasks}}
    return Recipe.model_validate({**base, "sources": [{"files": "x", "task": "prose"}], **more})


def summary(*texts: Text, **more: Any) -> dict[str, Any]:
    found = ScoreSummary(recipe(**more))
    for text in texts:
        found.add(text)
    return found.document()


def short(name: str, chars: int, **more: Any) -> Text:
    return Text(name, {"chars": chars}, keep=False, reason="short", **more)


def test_counts_by_reason_and_task() -> None:
    found = summary(Text("a"), short("b", 3), short("c", 4, task="poem"), Text("d", keep=False, reason="not JSON"))
    assert (found["rows"], found["kept"], found["dropped"]) == (4, 1, 3)
    assert found["by_reason"] == {"short": 2, "not JSON": 1}
    assert found["by_task"] == {"poem": {"kept": 0, "dropped": 1}, "prose": {"kept": 1, "dropped": 2}}


def test_values_are_kept_apart_by_side_and_words_are_counted() -> None:
    found = summary(
        Text("a", {"chars": 300, "language": "en", "duplicate_of": "row 1"}),
        short("b", 3),
        Text("c", {"chars": 400, "language": "en", "continuity": None}),
    )
    (chars,) = found["scores"]
    assert chars["name"] == "chars"
    assert (chars["kept"], chars["dropped"]) == ({"n": 2, "values": [300, 400]}, {"n": 1, "values": [3]})
    assert found["words"] == {"language": {"en": 2}}


def test_the_nearest_of_both_sides_come_first_and_ten_at_most() -> None:
    texts = [Text(f"k{n}", {"chars": n}) for n in range(900, 200, -7)]
    texts += [short(f"d{n}", n) for n in range(3, 200, 2)]
    (line,) = summary(*texts)["scores"][0]["limits"]
    assert (line["value"], line["refused"], line["tasks"]) == (200, "below", [])
    # 900 less multiples of 7 end at 207, 214 and so on.
    assert [one["score"] for one in line["kept"]] == list(range(207, 207 + 7 * NEAREST, 7))
    assert [one["id"] for one in line["dropped"]] == [f"d{n}" for n in range(199, 179, -2)]
    assert len(line["kept"][0]["text"]) == 400


def test_equal_distances_keep_the_order_of_the_rows() -> None:
    texts = [Text(f"k{n}", {"chars": 250}) for n in range(30)]
    (line,) = summary(*texts)["scores"][0]["limits"]
    assert [one["id"] for one in line["kept"]] == [f"k{n}" for n in range(10)]


def test_what_another_gate_refused_is_no_example_of_this_line() -> None:
    texts = [
        Text("other", {"chars": 300, "random_share": 0.9}, keep=False, reason="random_text"),
        short("short", 150),
    ]
    chars, share = summary(*texts)["scores"]
    assert [one["id"] for one in chars["limits"][0]["dropped"]] == ["short"]
    assert [one["id"] for one in share["limits"][0]["dropped"]] == ["other"]


def test_of_two_lines_of_one_gate_each_has_what_it_refused() -> None:
    text = Text("long", {"random_share": 0.1, "random_stretch": 900}, keep=False, reason="random_text")
    share, stretch = summary(text)["scores"]
    assert share["limits"][0]["dropped"] == []
    assert [one["score"] for one in stretch["limits"][0]["dropped"]] == [900]


def test_a_task_with_a_line_of_its_own_is_named() -> None:
    gates = {"by_task": {"poem": {"length": {"min_chars": 40}}}}
    found = summary(Text("a", {"chars": 210}), short("b", 30, task="poem"), gates=gates)
    lines = {line["value"]: line for line in found["scores"][0]["limits"]}
    assert (lines[200]["tasks"], lines[40]["tasks"]) == ([], ["poem"])
    assert [one["id"] for one in lines[40]["dropped"]] == ["b"]
    assert lines[200]["dropped"] == []


def test_many_values_become_a_sample_that_repeats() -> None:
    def many() -> dict[str, Any]:
        found = ScoreSummary(recipe())
        for number in range(50_000):
            found.add(Text("x", {"chars": number}))
        return found.document()["scores"][0]["kept"]

    one, two = many(), many()
    assert one == two
    assert (one["n"], len(one["values"])) == (50_000, 20_000)
    # Uniform over all of them: the mean is that of the whole, within five of its own deviations.
    assert abs(sum(one["values"]) / 20_000 - 25_000) < 5 * 50_000 / 12**0.5 / 20_000**0.5


def test_lines_follow_the_recipe() -> None:
    def lines(**more: Any) -> dict[str, list[float]]:
        found: dict[str, list[float]] = {}
        for limit in limits_of(recipe(**more), "prose"):
            found.setdefault(limit.score, []).append(limit.value)
        return found

    plain = lines()
    assert (plain["chars"], plain["random_share"], plain["near_duplicate"]) == ([200], [0.2], [0.8])
    assert plain["continuity"] == [2.33]
    assert not {"personal_data", "semantic_duplicate"} & set(plain)
    gates = {
        "length": False,
        "random_text": False,
        "near_duplicates": False,
        "personal_data": {"action": "refuse"},
    }
    other = lines(gates=gates | {"semantic_duplicates": {"cosine": 0.9}}, continuity={"min": False})
    assert not {"chars", "random_share", "random_stretch", "near_duplicate", "continuity"} & set(other)
    assert (other["personal_data"], other["semantic_duplicate"]) == ([1], [0.9])
    assert lines(continuity={"min": 3.5})["continuity"] == [3.5]


def scored(name: str, continuity: float, sentences: int = 30, **more: Any) -> Text:
    return Text(name, {"continuity": continuity, "sentences": sentences}, **more)


def test_texts_that_a_line_does_not_decide_on_are_no_examples_of_it() -> None:
    refused = {"keep": False, "reason": "continuity"}
    texts = [
        scored("good", 3.0),
        scored("short and low", 2.2, sentences=23),
        scored("short and good", 2.4, sentences=23),
        scored("exempt", 1.0),
        scored("low", 2.0, **refused),
    ]
    (line,) = [limit for score in summary(*texts)["scores"] for limit in score["limits"]]
    assert [one["id"] for one in line["kept"]] == ["good"]
    assert [one["id"] for one in line["dropped"]] == ["low"]
    # Lengths are decided on whatever the number of sentences.
    (chars,) = summary(Text("k", {"chars": 300, "sentences": 3}), short("d", 3))["scores"][0]["limits"]
    assert [one["id"] for one in chars["kept"]] == ["k"]
