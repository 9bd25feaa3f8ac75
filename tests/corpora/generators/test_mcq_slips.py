"""What the derivations say about right and wrong choices is true."""

import random
import re

import pytest

from curator.corpora.generators.mcq import arithmetic, code, dates, ordering, units
from curator.corpora.generators.mcq.story import tell, texts

_SEEDS = range(300)


def _drawn(draw, language="en"):
    return [draw(random.Random(seed), language) for seed in _SEEDS]


def _reasons(problem):
    return {slip.value: slip.why for slip in problem.slips}


def test_dates_lead_into_the_next_month():
    for draw in (dates._meetings, dates._after):
        for values in _drawn(draw):
            day, month, _ = values["right"].split()
            assert (day, month) == (str(values["day"]), values["next"])
            assert values["left"] > 0


def test_nothing_happens_one_times():
    for language in ("en", "zh"):
        for seed in _SEEDS:
            problem = tell(
                "dates", {"x": None, "meetings": dates._meetings}, random.Random(seed), language, heldout=True
            )
            assert not re.search(r"\b1 meetings|\b0 of them", problem.question + " ".join(problem.steps))


def test_a_slip_of_a_hundred_minutes_is_one():
    for values in _drawn(dates._lasts):
        start, end = (int(values[key].replace(":", "")) for key in ("start", "end"))
        hours, minutes = divmod(end - start, 100)
        minutes += 60 * hours
        assert values["hundred"] == f"{minutes // 60} h {minutes % 60} min"


def test_slips_that_are_rounded_say_so():
    exact = {
        units._pace: {"inverse": lambda v: v["speed"] * 3.6, "sixty": lambda v: v["speed"] * 100 / 60},
        units._wind: {"inverse": lambda v: v["speed"] / 3.6},
        units._heat: {"early": lambda v: (v["celsius"] + 32) * 9 / 5},
        arithmetic._trip: {"mean": lambda v: (v["first"] + v["second"]) / 2 * (v["t1"] + v["t2"])},
    }
    told = {language: texts(language) for language in ("en", "zh")}
    for draw, slips in exact.items():
        group = "arithmetic" if draw is arithmetic._trip else "units"
        for values in _drawn(draw):
            for slip, reckoned in slips.items():
                assert abs(reckoned(values) - values[slip]) < 1
                if abs(reckoned(values) - values[slip]) > 1e-9:
                    name = draw.__name__[1:]
                    assert told["en"][group][name]["slips"][slip].startswith("About")
                    assert told["zh"][group][name]["slips"][slip].startswith("约")


def test_wrong_outputs_of_programs_come_from_what_is_said():
    for seed in _SEEDS:
        problem = code.make(random.Random(seed), "en", heldout=False)
        steps = " ".join(problem.steps)
        for value, why in _reasons(problem).items():
            if "on the way" in why:
                assert re.search(rf"(?<![\d-]){re.escape(value)}(?!\d)", steps), problem
            if "from before the loop" in why:
                start = int(re.search(r"starts at (\d+)", steps)[1])
                assert int(value) == int(problem.right) - start
            if "adds before it multiplies" in why:
                first, times, added = map(int, re.findall(r"\((\d+) \* (\d+)\) \+ (\d+) =", steps)[-1])
                assert int(value) == (first + added) * times


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_step_of_a_program_is_told_otherwise_on_the_held_out_side(language):
    told = texts(language)["code"]
    keys = {key for key, value in told.items() if isinstance(value, str)}
    assert set(told["heldout"]) == keys
    assert all(told["heldout"][key] != told[key] for key in keys)
    fields = re.compile(r"{\w+}")
    assert all(set(fields.findall(told["heldout"][key])) <= set(fields.findall(told[key])) for key in keys)


def test_people_and_variables_are_of_one_side_only():
    people, variables = [], []
    for heldout in (False, True):
        rng = random.Random(5)
        people.append({ordering.make(rng, "en", heldout=heldout).right for _ in range(100)})
        programs = " ".join(code.make(rng, "en", heldout=heldout).question for _ in range(200))
        variables.append(
            set(re.findall(r"(?m)^(\w+) \+?= ", programs)) | set(re.findall(r"for (\w+) in", programs))
        )
    assert not people[0] & people[1]
    assert not variables[0] & variables[1]
