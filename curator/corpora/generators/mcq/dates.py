"""Problems of the calendar and the clock; the first four are for calibration."""

from __future__ import annotations

import calendar
import random
from datetime import date, timedelta

from curator.corpora.generators.mcq.story import Draw, Values

_DAYS = {
    "en": ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    "zh": ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日"),
}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def _told(day: date, language: str) -> str:
    if language == "zh":
        return f"{day.year}年{day.month}月{day.day}日"
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _month(day: date, language: str) -> str:
    return f"{day.month}月" if language == "zh" else _MONTHS[day.month - 1]


def _length(day: date) -> int:
    return calendar.monthrange(day.year, day.month)[1]


def _later(rng: random.Random, language: str) -> Values:
    today, number = rng.randrange(7), 7 * rng.randint(3, 30) + rng.randint(2, 5)
    weeks, rest = divmod(number, 7)
    names = _DAYS[language]
    return {"today": names[today], "n": number, "weeks": weeks, "whole": 7 * weeks, "rest": rest,
            "right": names[(today + rest) % 7], "less": names[(today + rest - 1) % 7],
            "more": names[(today + rest + 1) % 7], "same": names[today]}  # fmt: skip


def _between(rng: random.Random, language: str) -> Values:
    start = date(rng.randint(2021, 2059), rng.choice([3, 4, 5, 7, 8, 9, 10]), rng.randint(4, 25))
    first = (start.replace(day=1) + timedelta(days=32)).replace(day=1)
    end = first.replace(day=rng.randint(3, 27))
    left, day = _length(start) - start.day, end.day
    number = left + day
    return {"start": _told(start, language), "end": _told(end, language), "month": _month(start, language),
            "length": _length(start), "day": start.day, "left": left, "until": day, "next": _month(end, language),
            "right": number, "both": number + 1, "inner": number - 1,
            "other": number + (1 if _length(start) == 30 else -1) * 2}  # fmt: skip


def _after(rng: random.Random, language: str) -> Values:
    start = date(rng.randint(2021, 2059), rng.choice([3, 4, 5, 7, 8, 9, 10]), rng.randint(4, 27))
    left = _length(start) - start.day
    day = rng.randint(4, 26)
    end = start + timedelta(days=left + day)
    return {"start": _told(start, language), "n": left + day, "month": _month(start, language),
            "length": _length(start), "left": left, "day": day, "next": _month(end, language),
            "right": _told(end, language), "late": _told(end + timedelta(days=1), language),
            "early": _told(end - timedelta(days=1), language),
            "far": _told(end + timedelta(days=2), language)}  # fmt: skip


def _february(rng: random.Random, language: str) -> Values:
    year = rng.choice([2024, 2028, 2032, 2036, 2040, 2023, 2025, 2026, 2027, 2100])
    start, end = date(year, 2, rng.randint(10, 25)), date(year, 3, rng.randint(3, 25))
    length = _length(start)
    leap = length == 29
    number = (end - start).days
    why = {
        "en": (f"{year} is a leap year", f"{year} is no leap year"),
        "zh": (f"{year} 年是闰年", f"{year} 年不是闰年"),
    }[language][not leap]
    return {"start": _told(start, language), "end": _told(end, language), "why": why, "length": length,
            "day": start.day, "left": length - start.day, "until": end.day, "right": number,
            "other": number - 1 if leap else number + 1, "thirty": 30 - start.day + end.day,
            "both": number + 2 if leap else number - 1}  # fmt: skip


def _earlier(rng: random.Random, language: str) -> Values:
    today, number = rng.randrange(7), 7 * rng.randint(3, 30) + rng.choice((2, 5, 6))
    weeks, rest = divmod(number, 7)
    names = _DAYS[language]
    return {"today": names[today], "n": number, "weeks": weeks, "whole": 7 * weeks, "rest": rest,
            "right": names[(today - rest) % 7], "ahead": names[(today + rest) % 7],
            "less": names[(today - rest + 1) % 7], "more": names[(today - rest - 1) % 7]}  # fmt: skip


def _meetings(rng: random.Random, language: str) -> Values:
    weeks, times = rng.choice([(2, 2), (2, 3), (3, 2), (1, 4), (1, 5), (1, 6)])
    days = 7 * weeks * times
    month = rng.choice([3, 4, 5, 7, 8, 9, 10])
    start = date(rng.randint(2021, 2059), month, 1)
    # The date is to be in the next month, and not on its last days.
    start = start.replace(day=_length(start) - rng.randint(max(1, days - 28), min(days, _length(start)) - 1))
    left = _length(start) - start.day
    end = start + timedelta(days=days)
    return {"start": _told(start, language), "weeks": weeks, "times": times, "days": days, "gap": 7 * weeks,
            "month": _month(start, language), "length": _length(start), "left": left, "day": days - left,
            "next": _month(end, language), "right": _told(end, language),
            "late": _told(end + timedelta(days=1), language),
            "early": _told(end - timedelta(days=1), language),
            "week": _told(end + timedelta(days=7), language)}  # fmt: skip


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _arrival(rng: random.Random, _: str) -> Values:
    start = 60 * rng.randint(6, 14) + rng.randint(25, 55)
    hours, minutes = rng.randint(2, 7), rng.randint(36, 58)
    end = start + 60 * hours + minutes
    return {"start": _clock(start), "hours": hours, "minutes": minutes, "whole": _clock(start + 60 * hours),
            "right": _clock(end), "early": _clock(end - 60), "late": _clock(end + 60)}  # fmt: skip


def _lasts(rng: random.Random, language: str) -> Values:
    start = 60 * rng.randint(6, 12) + rng.randint(25, 55)
    # Past the full hour, where whoever subtracts as from a hundred is 40 minutes wrong.
    hours, minutes = rng.randint(2, 8), rng.randint(60 - start % 60, 55)
    end = start + 60 * hours + minutes

    def told(length: int) -> str:
        whole, rest = divmod(length, 60)
        return f"{whole} 小时 {rest} 分钟" if language == "zh" else f"{whole} h {rest} min"

    length = end - start
    return {"start": _clock(start), "end": _clock(end), "hours": hours, "whole": _clock(start + 60 * hours),
            "minutes": minutes, "right": told(length), "more": told(length + 60), "less": told(length - 60),
            "hundred": told(length + 40)}  # fmt: skip


STORIES: dict[str, Draw] = {
    "later": _later,
    "between": _between,
    "after": _after,
    "february": _february,
    "earlier": _earlier,
    "meetings": _meetings,
    "arrival": _arrival,
    "lasts": _lasts,
}
