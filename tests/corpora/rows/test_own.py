from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curator.corpora.rows.own import own_language, own_licence, own_task
from curator.corpora.rows.records import UnusableError
from curator.corpora.spdx import parse_licence

NO_TEXT = st.one_of(
    st.integers(),
    st.floats(),
    st.booleans(),
    st.binary(),
    st.dictionaries(st.text(), st.text()),
    st.just([]),
    st.lists(st.one_of(st.integers(), st.none(), st.just(" "), st.lists(st.text())), min_size=1),
)


@given(NO_TEXT)
def test_a_value_that_is_no_text_is_said_but_not_known(value: Any) -> None:
    row = {"license": value, "it": value}
    assert own_licence(row, None) == own_licence(row, "it") == "unknown"
    assert own_language(row, "it") == "und"
    with pytest.raises(UnusableError, match="column 'it' must name the row's task as text, not ") as caught:
        own_task(row, "it")
    assert caught.value.reason == "no task"


@pytest.mark.parametrize("value", [None, "", " \n"])
def test_nothing_said_is_left_to_the_source(value: Any) -> None:
    for row in ({"licence": value, "license": value, "it": value}, {}):
        for path in (None, "it", "it.deep"):
            assert own_licence(row, path) == own_language(row, path) == own_task(row, path) == ""


def test_one_text_in_a_list_is_that_text() -> None:
    for value in (" MIT ", ["MIT"], ["MIT", "MIT "]):
        assert own_licence({"it": value}, "it") == own_language({"it": value}, "it") == "MIT"
        assert own_task({"it": value}, "it") == "MIT"


@given(st.lists(st.sampled_from(["MIT", "GPL-3.0-only", "MIT OR Apache-2.0", "CC0-1.0"]), min_size=2, unique=True))
def test_several_licences_bind_together(licences: list[str]) -> None:
    joined = parse_licence(own_licence({"license": licences}, None))
    by_hand = parse_licence(" AND ".join(f"({licence})" for licence in licences))
    assert joined is not None and joined == by_hand


def test_a_licence_that_can_be_read_counts_before_one_that_cannot() -> None:
    assert own_licence({"licence": 3, "license": "GPL-3.0-only"}, None) == "GPL-3.0-only"
    assert own_licence({"licence": None, "license": {"spdx": "MIT"}}, None) == "unknown"
    assert own_licence({"licence": 3, "terms": "MIT"}, "terms") == "MIT"
