"""A sample of an evaluation's tasks, answered by reference and candidate: what a submission's score would do."""

from curator.measure.task_sample.answers import TASKS_FILE, Answers, ask, in_order, load_answers, save_answers
from curator.measure.task_sample.chance import MIN_ITEMS, Chance, chance_of_reaching
from curator.measure.task_sample.compare import compare_answers
from curator.measure.task_sample.sample import Sample, load_sample

__all__ = [
    "MIN_ITEMS",
    "TASKS_FILE",
    "Answers",
    "Chance",
    "Sample",
    "ask",
    "chance_of_reaching",
    "compare_answers",
    "in_order",
    "load_answers",
    "load_sample",
    "save_answers",
]
