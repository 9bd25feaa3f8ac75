"""A few short sentences of ours that a haystack repeats again and again."""

from __future__ import annotations

REPEATED = {
    ("en", "calibration"): (
        "The kettle hums on the stove.",
        "Rain taps the window.",
        "A cart rolls down the lane.",
        "Someone folds the towels.",
        "Then all is quiet again.",
    ),
    ("en", "heldout"): (
        "The ferry leaves the pier.",
        "Gulls cry above the masts.",
        "A rope slips from its hook.",
        "Two sailors share an orange.",
        "Nobody is in a hurry.",
    ),
    ("zh", "calibration"): (
        "水在炉子上慢慢烧开。",
        "雨点敲着窗户。",
        "一辆小车从巷口经过。",
        "有人在叠毛巾。",
        "随后又安静下来。",
    ),
    ("zh", "heldout"): (
        "渡船离开了岸边。",
        "海鸥在桅杆上空鸣叫。",
        "绳索从钩子上滑落。",
        "两个水手分吃一个橙子。",
        "谁也不着急。",
    ),
}
"""By language and side."""
