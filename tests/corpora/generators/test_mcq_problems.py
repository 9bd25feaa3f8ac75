"""Every problem of the multiple-choice generator, solved a second time from its words."""

import contextlib
import io
import itertools
import random
import re
from datetime import date, timedelta

import pytest

from curator.corpora.generators.mcq import (
    arithmetic,
    code,
    counting,
    dates,
    ordering,
    reading,
    sequences,
    units,
)
from curator.corpora.generators.mcq.problem import Slip, of_side, three_slips
from curator.corpora.generators.mcq.story import tell, texts

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = {
    "en": ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    "zh": ["星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"],
}
# From the numbers of a question, in their order, to its answer.
_SOLVERS = {
    "shop": lambda n, price, paid: paid - n * price,
    "bus": lambda first, stops, board, leave: first + stops * (board - leave),
    "tank": lambda volume, rate, leak: volume / (rate - leak),
    "discount": lambda price, percent, n: n * price * (100 - percent) / 100,
    "workers": lambda few, days, many: few * days / many,
    "trip": lambda v1, t1, v2, t2: v1 * t1 + v2 * t2,
    "marks": lambda a, b, c, goal: 4 * goal - a - b - c,
    "cards": lambda total, friends, each, boxes: (total - friends * each) / boxes,
    "pace": lambda v: v / 3.6,
    "clock": lambda hours, minutes: 60 * hours + minutes,
    "parcels": lambda n, kilos, grams: n * (1000 * kilos + grams),
    "field": lambda length, width: length * width / 100,
    "wind": lambda v: v * 3.6,
    "heat": lambda celsius, *_: celsius * 1.8 + 32,
    "neither": lambda total, a, b, both: total - (a + b - both),
    "only": lambda total, a, b, both: a - both,
    "any": lambda total, a, b, both: a + b - both,
    "one": lambda total, a, b, both: a + b - 2 * both,
    "handshakes": lambda n: len(list(itertools.combinations(range(n), 2))),
    "socks": lambda colours, each: colours + 1,
    "outfits": lambda a, b, c: a * b * c,
    "knockout": lambda n: n - 1,
    "glasses": lambda glass, litres: 1000 * litres / glass,
    "steady": lambda *t: 2 * t[-1] - t[-2],
    "ratio": lambda *t: t[-1] * t[1] / t[0],
    "growing": lambda *t: 3 * t[-1] - 3 * t[-2] + t[-3],
    "sums": lambda *t: t[-1] + t[-2],
    "alternating": lambda *t: t[-1] + t[2] - t[1],
    "doubling": lambda *t: 2 * t[-1] + t[1] - 2 * t[0],
    "squares": lambda *t: 3 * t[-1] - 3 * t[-2] + t[-3],
    "interleaved": lambda *t: t[4] + t[4] - t[2],
}
_STORIES = [
    (group, name, module.STORIES[name])
    for group, module in {
        "arithmetic": arithmetic,
        "units": units,
        "counting": counting,
        "sequences": sequences,
        "dates": dates,
    }.items()
    for name in module.STORIES
]


def _told(group, name, draw, seed, language):
    # Of a single story the held-out half is that story.
    return tell(group, {name: draw}, random.Random(seed), language, heldout=True)


def _numbers(text):
    return [int(one) for one in re.findall(r"-?\d+", text)]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(("group", "name", "draw"), _STORIES)
def test_the_right_choice_is_right_and_no_other_is(group, name, draw, language):
    for seed in range(60):
        problem = _told(group, name, draw, seed, language)
        solved = _solve(name, problem.question, language)
        assert problem.right == solved
        assert len({problem.right, *(slip.value for slip in problem.slips)}) == 4
        assert all(slip.value in slip.why for slip in problem.slips)
        assert problem.right in problem.steps[-1]


def _solve(name, question, language):
    if name in _SOLVERS:
        value = _SOLVERS[name](*_numbers(question))
        assert round(value, 6) == round(value)
        return str(round(value))
    if name == "film":
        minutes, seconds = divmod(_numbers(question)[0], 60)
        return f"{minutes} 分 {seconds} 秒" if language == "zh" else f"{minutes} min {seconds} s"
    return _solve_date(name, question, language)


def _solve_date(name, question, language):
    found = _dates(question, language)
    numbers = [int(one) for one in re.findall(r"(\d+) ?(?:days|天)", question)]
    if name in ("later", "earlier"):
        today = next(place for place, day in enumerate(_DAYS[language]) if day in question)
        return _DAYS[language][(today + (numbers[0] if name == "later" else -numbers[0])) % 7]
    if name in ("between", "february"):
        return str(abs(found[1] - found[0]).days)
    if name == "after":
        return _written(found[0] + timedelta(days=numbers[0]), language)
    if name == "meetings":
        times = int(re.search(r"date (\d+) meetings|第 (\d+) 次", question).group().split()[1])
        return _written(found[0] + timedelta(days=times * numbers[0]), language)
    clock = [60 * int(hour) + int(minute) for hour, minute in re.findall(r"(\d+):(\d+)", question)]
    if name == "arrival":
        hours, minutes = _numbers(question.replace(":", ""))[1:]
        end = clock[0] + 60 * hours + minutes
        return f"{end // 60:02d}:{end % 60:02d}"
    hours, minutes = divmod(clock[1] - clock[0], 60)
    return f"{hours} 小时 {minutes} 分钟" if language == "zh" else f"{hours} h {minutes} min"


def _dates(text, language):
    if language == "zh":
        return [date(*map(int, one)) for one in re.findall(r"(\d+)年(\d+)月(\d+)日", text)]
    found = re.findall(rf"(\d+) ({'|'.join(_MONTHS)}) (\d+)", text)
    return [date(int(year), _MONTHS.index(month) + 1, int(day)) for day, month, year in found]


def _written(day, language):
    return (
        f"{day.year}年{day.month}月{day.day}日"
        if language == "zh"
        else f"{day:%-d} {_MONTHS[day.month - 1]} {day.year}"
    )


@pytest.mark.parametrize("heldout", [False, True])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_only_one_order_agrees_with_the_statements(language, heldout):
    told = texts(language)["ordering"]
    frames = [frame for frame in told.values() if isinstance(frame, dict)]
    for seed in range(40):
        problem = ordering.make(random.Random(seed), language, heldout=heldout)
        pairs = _neighbours(problem.question, frames, told["names"])
        people = {name for pair in pairs for name in pair}
        assert len(people) == 5
        orders = [
            row
            for row in itertools.permutations(sorted(people))
            if all(row.index(after) == row.index(before) + 1 for before, after in pairs)
        ]
        assert len(orders) == 1
        asked = next(rank for rank in told["ranks"] if rank in problem.question.rpartition(told_end(language))[2])
        assert problem.right == orders[0][told["ranks"].index(asked)]
        assert len({problem.right, *(slip.value for slip in problem.slips)}) == 4


def told_end(language):
    return "。" if language == "zh" else ". "


def _neighbours(question, frames, names):
    """Pairs of who comes before whom, by the statements of any frame."""
    person = f"({'|'.join(names)})"
    found = set()
    for frame in frames:
        for statement in (frame["more"], frame["less"]):
            order = re.findall(r"\{([ab])\}", statement)
            pattern = re.escape(statement).replace(r"\{a\}", person).replace(r"\{b\}", person)
            for match in re.findall(pattern, question):
                named = dict(zip(order, match, strict=True))
                found.add((named["a"], named["b"]))
    return found


@pytest.mark.parametrize("heldout", [False, True])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_programs_print_what_python_prints(language, heldout):
    for seed in range(120):
        problem = code.make(random.Random(seed), language, heldout=heldout)
        source = re.search(r"```python\n(.+?)\n```", problem.question, re.S)[1]
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(source, {})
        assert printed.getvalue().strip() == problem.right
        assert len({problem.right, *(slip.value for slip in problem.slips)}) == 4
        # Every calculation that the derivation writes down is true.
        for left, right in re.findall(r"([\d ()*/%+-]+[*/%+-][\d ()*/%+-]+) = (-?\d+)", " ".join(problem.steps)):
            assert eval(left.strip()) == int(right)


@pytest.mark.parametrize(("language", "heldout"), [("en", False), ("en", True), ("zh", False), ("zh", True)])
def test_only_one_choice_stands_in_the_text(language, heldout):
    for seed in range(20):
        problem = reading.make(random.Random(seed), language, heldout=heldout)
        shown = next(line for line in problem.question.split("\n") if "____" in line)
        sentence = shown.replace("____", problem.right)
        # Once more than in the text would be the question giving it away.
        assert problem.question.count(sentence) == 1
        assert all(slip.value.casefold() not in problem.question.casefold() for slip in problem.slips)


def test_calculations_in_the_steps_are_true():
    for group, name, draw in _STORIES:
        for seed in range(20):
            text = " ".join(_told(group, name, draw, seed, "en").steps).replace("×", "*").replace("÷", "/")
            for left, right in re.findall(r"(\d+(?: [*/+-] \d+)+) = (\d+)\b", text):
                assert eval(left) == int(right), (name, text)


def test_slips_are_made_up_only_where_they_run_out():
    slips = [Slip("5", "a"), Slip("7", "b"), Slip("5", "c"), Slip("-3", "d"), Slip("0", "e"), Slip("9", "f")]
    assert [slip.value for slip in three_slips(random.Random(0), "7", slips, "en")][:2] == ["5", "9"]
    made = three_slips(random.Random(0), "7", [], "en")
    assert len({slip.value for slip in made}) == 3
    assert all(slip.value in slip.why for slip in made)
    assert three_slips(random.Random(0), "Monday", [], "en") == ()


def test_the_first_half_is_for_calibration():
    assert of_side("abcdef", heldout=False) == "abc"
    assert of_side("abcdef", heldout=True) == "def"


@pytest.mark.parametrize("heldout", [False, True])
def test_no_choice_of_a_text_stands_out(heldout):
    for seed in range(25):
        problem = reading.make(random.Random(seed), "en", heldout=heldout)
        choices = [problem.right, *(slip.value for slip in problem.slips)]
        assert len({(one[0].isupper(), one[0].isdigit(), " " in one) for one in choices}) == 1
