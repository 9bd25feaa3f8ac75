"""Overlap with evaluation files and held-out prompts."""

from curator.gates.leakage.evaluation_file import read_evaluation
from curator.gates.leakage.gate import Leakage
from curator.gates.leakage.item import EvalItem
from curator.gates.leakage.leak import Leak, check_leakage
from curator.gates.leakage.neighbours import Neighbours, nearest_items
from curator.gates.leakage.report import LeakageReport

__all__ = [
    "EvalItem",
    "Leak",
    "Leakage",
    "LeakageReport",
    "Neighbours",
    "check_leakage",
    "nearest_items",
    "read_evaluation",
]
