"""One start of sequence, whoever writes it; a fingerprint of everything that decides the ids."""

from __future__ import annotations

from pathlib import Path

import pytest
from toy_tokenizers import BOS, EOS, STRICT, TEMPLATE, save_tokenizer

from curator._errors import InputError
from curator.corpora.document import Message
from curator.tokens.tokenizer import TemplateRefusal, Tokenizer

TALK = (Message("user", "hi"), Message("assistant", "Hello."))


@pytest.mark.parametrize("marks_start", [True, False])
def test_plain_text_gets_nothing_added_and_the_start_is_told_apart(tmp_path: Path, marks_start: bool) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, marks_start=marks_start))
    ids = tokenizer.encode("hi there")
    assert len(ids) == 8
    assert BOS not in ids
    assert tokenizer.sequence_start() == ([BOS] if marks_start else [])
    assert tokenizer.decode(ids) == "hi there"
    assert tokenizer.eos_id == EOS
    assert tokenizer.size == 258


@pytest.mark.parametrize("marks_start", [True, False])
def test_a_template_that_writes_bos_gives_exactly_one(tmp_path: Path, marks_start: bool) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, marks_start=marks_start))
    ids = tokenizer.encode_chat(TALK)
    assert ids[0] == BOS
    assert ids.count(BOS) == 1
    assert ids.count(EOS) == 2
    # <s> [user]hi </s> [assistant]Hello. </s>: 1 + 8 + 1 + 17 + 1
    assert len(ids) == 28
    assert tokenizer.decode(ids) == "<s>[user]hi</s>[assistant]Hello.</s>"


def test_a_model_without_a_template_says_so(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template=None))
    with pytest.raises(InputError, match="no chat template; give one") as caught:
        tokenizer.encode_chat(TALK)
    assert not isinstance(caught.value, TemplateRefusal)


def test_a_template_refuses_in_its_own_words(tmp_path: Path) -> None:
    tokenizer = Tokenizer(save_tokenizer(tmp_path, template=STRICT))
    with pytest.raises(TemplateRefusal, match="System role not supported"):
        tokenizer.encode_chat((Message("system", "Be brief."), *TALK))
    assert tokenizer.encode_chat(TALK)


def test_long_text_is_neither_cut_nor_warned_about(tmp_path: Path) -> None:
    assert len(Tokenizer(save_tokenizer(tmp_path)).encode("x" * 20_000)) == 20_000


def test_ordinary_ids_leave_out_the_special_ones(tmp_path: Path) -> None:
    assert Tokenizer(save_tokenizer(tmp_path)).ordinary_ids() == list(range(2, 258))


def test_the_fingerprint_is_of_the_content(tmp_path: Path) -> None:
    # Merges of letters that the fixed probe text has not, in one order and the other.
    merges = [("q", "z"), ("z", "j")]
    folders = {
        "plain": save_tokenizer(tmp_path / "plain"),
        "again": save_tokenizer(tmp_path / "again"),
        "merges": save_tokenizer(tmp_path / "merges", merges=merges),
        "template": save_tokenizer(tmp_path / "template", template=TEMPLATE + " "),
    }
    prints = {name: Tokenizer(folder).fingerprint for name, folder in folders.items()}
    assert prints["plain"] == prints["again"]
    assert len({prints[name] for name in ("plain", "merges", "template")}) == 3


def test_the_order_of_merges_changes_the_fingerprint(tmp_path: Path) -> None:
    one = save_tokenizer(tmp_path / "one", merges=[("q", "z"), ("z", "j")])
    text = (one / "tokenizer.json").read_text()
    other = save_tokenizer(tmp_path / "other", merges=[("q", "z"), ("z", "j")])
    import json

    content = json.loads(text)
    content["model"]["merges"].reverse()
    (other / "tokenizer.json").write_text(json.dumps(content))
    first, second = Tokenizer(one), Tokenizer(other)
    assert len(first.encode("qzj")) == len(second.encode("qzj")) == 2
    assert first.encode("qzj") != second.encode("qzj")
    assert first.fingerprint != second.fingerprint


def test_a_folder_that_holds_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="tokenizer cannot be loaded"):
        Tokenizer(tmp_path)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("tokenizer.json", "{"),
        ("tokenizer.json", "[]"),
        ("tokenizer.json", '{"model": 3}'),
        ("tokenizer_config.json", "[]"),
        ("tokenizer_config.json", '{"tokenizer_class": 5}'),
        ("tokenizer_config.json", '{"added_tokens_decoder": 5}'),
    ],
)
def test_damaged_files_are_one_line(tmp_path: Path, file: str, content: str) -> None:
    folder = save_tokenizer(tmp_path)
    (folder / file).write_text(content)
    with pytest.raises(InputError, match=r"cannot be loaded \(.*\); the folder needs tokenizer\.json") as caught:
        Tokenizer(folder)
    assert "\n" not in str(caught.value)
