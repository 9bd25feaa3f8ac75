"""The licence gate follows SPDX: OR needs one part, AND all of them."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.gates.licences import check_licence

CLASSPATH = "GPL-2.0-only WITH Classpath-exception-2.0"


@pytest.mark.parametrize(
    ("expression", "allow", "kept"),
    [
        ("MIT", ["MIT"], True),
        ("MIT", ["Apache-2.0"], False),
        ("mit", ["MIT"], True),
        ("MIT", ["mit"], True),
        ("MIT OR GPL-3.0-only", ["MIT"], True),
        ("MIT AND GPL-3.0-only", ["MIT"], False),
        ("MIT AND GPL-3.0-only", ["MIT", "GPL-3.0-only"], True),
        ("MIT AND (ISC OR GPL-3.0-only)", ["MIT", "ISC"], True),
        ("(MIT AND ISC) OR GPL-3.0-only", ["MIT"], False),
        ("MIT AND ISC OR 0BSD", ["0BSD"], True),
        ("GPL-3.0", ["GPL-3.0-only"], True),
        ("GPL-3.0-only", ["GPL-3.0"], True),
        ("GPL-3.0+", ["GPL-3.0-or-later"], True),
        ("GPL-3.0-or-later", ["GPL-3.0-only"], True),
        ("GPL-3.0-only", ["GPL-3.0-or-later"], False),
        ("Apache-2.0+", ["Apache-2.0"], True),
        (CLASSPATH, ["GPL-2.0-only"], True),
        (CLASSPATH, [CLASSPATH], True),
        ("GPL-2.0-only", [CLASSPATH], False),
        ("LicenseRef-a", ["LicenseRef-a"], True),
        ("LicenseRef-a", ["LicenseRef-b"], False),
        ("unknown", ["MIT"], False),
        ("unknown", ["unknown"], True),
        ("no licence at all", ["unknown"], True),
        ("no licence at all", ["MIT"], False),
        ("", ["unknown"], True),
        ("NOASSERTION", ["unknown"], True),
        ("MIT OR unknown", ["MIT"], True),
        ("MIT AND unknown", ["MIT"], False),
    ],
)
def test_allow_takes_what_can_be_met_with_the_list_alone(expression: str, allow: list[str], kept: bool) -> None:
    assert (check_licence(expression, allow, []) is None) is kept


@pytest.mark.parametrize(
    ("expression", "forbid", "kept"),
    [
        ("MIT", ["GPL-3.0"], True),
        ("GPL-3.0-only", ["GPL-3.0"], False),
        ("GPL-3.0-or-later", ["GPL-3.0"], False),
        ("MIT OR GPL-3.0-only", ["GPL-3.0"], True),
        ("MIT AND GPL-3.0-only", ["GPL-3.0"], False),
        (CLASSPATH, ["GPL-2.0"], False),
        ("GPL-2.0", [CLASSPATH], True),
        ("unknown", ["unknown"], False),
        ("what?", ["unknown"], False),
        ("what?", ["MIT"], True),
    ],
)
def test_forbid_refuses_what_cannot_be_met_without_the_list(
    expression: str, forbid: list[str], kept: bool
) -> None:
    assert (check_licence(expression, None, forbid) is None) is kept


def test_both_lists_must_be_kept_by_one_alternative() -> None:
    assert check_licence("MIT OR GPL-3.0-only", ["MIT", "GPL-3.0-only"], ["MIT"]) is None
    assert check_licence("MIT AND ISC", ["MIT", "ISC"], ["ISC"]) is not None


@pytest.mark.parametrize(
    ("expression", "allow", "forbid", "detail"),
    [
        ("gpl-3.0", ["MIT", "ISC"], [], "GPL-3.0-only: cannot be met with MIT, ISC"),
        ("MIT", ["A", "B", "C", "D", "E"], [], "MIT: cannot be met with A, B, C and 2 more"),
        ("MIT", None, ["MIT"], "MIT: forbidden"),
        ("MIT", ["MIT"], ["MIT"], "MIT: forbidden"),
        ("what?", ["MIT"], [], "unknown ('what?' is no SPDX expression): cannot be met with MIT"),
    ],
)
def test_a_refusal_says_why(expression: str, allow: list[str] | None, forbid: list[str], detail: str) -> None:
    drop = check_licence(expression, allow, forbid)
    assert drop is not None
    assert (drop.reason, drop.detail) == ("licence", detail)


IDS = ("MIT", "ISC", "Apache-2.0", "0BSD")
EXPRESSIONS = st.recursive(
    st.sampled_from(IDS),
    lambda inner: st.tuples(st.sampled_from(["AND", "OR"]), inner, inner),
    max_leaves=6,
)


def text(tree: str | tuple[str, ...]) -> str:
    return tree if isinstance(tree, str) else f"({text(tree[1])} {tree[0]} {text(tree[2])})"


def holds(tree: str | tuple[str, ...], having: set[str]) -> bool:
    if isinstance(tree, str):
        return tree in having
    left, right = holds(tree[1], having), holds(tree[2], having)
    return (left and right) if tree[0] == "AND" else (left or right)


@given(EXPRESSIONS)
def test_every_set_of_licences_decides_as_logic_does(tree: str | tuple[str, ...]) -> None:
    for size in range(len(IDS) + 1):
        for having in itertools.combinations(IDS, size):
            others = [name for name in IDS if name not in having]
            expected = holds(tree, set(having))
            if having:
                assert (check_licence(text(tree), having, []) is None) is expected
            assert (check_licence(text(tree), None, others) is None) is expected


@given(st.text(max_size=40))
def test_any_text_is_an_expression_or_unknown(expression: str) -> None:
    drop = check_licence(expression, ["LicenseRef-none-of-these"], [])
    assert drop is not None and "\n" not in drop.detail
