from curator.corpora.heldout_split import is_heldout

# Prompts frozen by an earlier version stay unseen only if this never changes.
SIDES = {
    "python:json": False,
    "python:email": False,
    "python:curses": True,
    "python:xml": True,
    "python:turtle": False,
    "package:numpy": False,
    "package:datasets": True,
    "package:torch": False,
}


def test_a_quarter_of_the_units_is_held_out() -> None:
    share = sum(is_heldout(f"package:{number}") for number in range(4000)) / 4000
    assert abs(share - 0.25) < 0.03


def test_the_split_never_moves() -> None:
    assert {unit: is_heldout(unit) for unit in SIDES} == SIDES
