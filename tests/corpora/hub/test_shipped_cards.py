"""Each card of the hub reads a file with the columns that its data set's page tells."""

from __future__ import annotations

import gzip
import io
import json
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from loopback_hub import LoopbackHub, Repo

from curator.corpora.document import Document
from curator.corpora.open_card import open_card
from curator.corpora.shelf import find_card, load_cards

Turns = list[tuple[str, str, str]]


@dataclass(frozen=True)
class Sample:
    """A file of a data set, one row of it, and what must come out."""

    card: str
    file: str
    row: dict[str, Any]
    text: str = ""
    turns: tuple[tuple[str, str, str], ...] = ()


WEB = {"text": "A page.\n\nOf text.", "id": "<urn>", "url": "https://a", "language": "eng", "score": 3.5}
CHINESE = "渡口在河边。"
TITLE = " = Ferry = \n"
TURNS = [{"content": "Hello?", "role": "user"}, {"content": "Hello.", "role": "assistant"}]
SAMPLES = [
    Sample("wikitext-103", "wikitext-103-raw-v1/train-00000-of-00002.parquet", {"text": TITLE}, TITLE),
    Sample(
        "c4-en",
        "en/c4-train.00017-of-01024.json.gz",
        {"text": "A page.\nMore.", "timestamp": "2019-04-25T12:57:54Z", "url": "https://a"},
        "A page.\nMore.",
    ),
    Sample("fineweb-edu", "sample/10BT/003_00000.parquet", WEB, WEB["text"]),
    Sample("fineweb-2-zh", "data/cmn_Hani/train/000_00000.parquet", {**WEB, "text": CHINESE}, CHINESE),
    Sample(
        "ultrachat-200k",
        "data/train_sft-00000-of-00003-a3ecf92756993583.parquet",
        {"prompt": "Hello?", "prompt_id": "9f", "messages": TURNS},
        turns=(("user", "Hello?", ""), ("assistant", "Hello.", "")),
    ),
    Sample(
        "magicoder-oss",
        "data-oss_instruct-decontaminated.jsonl",
        {"lang": "python", "raw_index": 1, "seed": "x", "problem": "Add.", "solution": "```\na + b\n```"},
        turns=(("user", "Add.", ""), ("assistant", "```\na + b\n```", "")),
    ),
    Sample(
        "openthoughts-114k",
        "metadata/train-00003-of-00012.parquet",
        {
            "problem": "1 + 1?",
            "deepseek_reasoning": "One and one.",
            "deepseek_solution": "2",
            "ground_truth_solution": None,
            "domain": "math",
            "source": "s",
            "test_cases": None,
            "starter_code": None,
        },
        turns=(("user", "1 + 1?", ""), ("assistant", "2", "One and one.")),
    ),
    Sample(
        "squad",
        "plain_text/train-00000-of-00001.parquet",
        {
            "id": "57",
            "title": "Ferry",
            "context": "It leaves at noon.",
            "question": "When?",
            "answers": {"text": ["noon", "at noon"], "answer_start": [13, 10]},
        },
        turns=(("user", "It leaves at noon.\n\nWhen?", ""), ("assistant", "noon", "")),
    ),
    Sample(
        "hotpotqa",
        "distractor/train-00001-of-00002.parquet",
        {
            "id": "5a",
            "question": "Which?",
            "answer": "yes",
            "type": "bridge",
            "level": "hard",
            "supporting_facts": {"title": ["A"], "sent_id": [0]},
            "context": {"title": ["A", "B"], "sentences": [["One.", " Two."], ["Three."]]},
        },
        turns=(("user", "One. Two.\n\nThree.\n\nWhich?", ""), ("assistant", "yes", "")),
    ),
    Sample(
        "mmlu-train",
        "all/auxiliary_train-00000-of-00001.parquet",
        {"question": "Which?", "subject": "", "choices": ["a", "b", "c", "d"], "answer": 2},
        turns=(("user", "Which?\n\nA. a\nB. b\nC. c\nD. d", ""), ("assistant", "C. c", "")),
    ),
]  # fmt: skip


def content(sample: Sample) -> bytes:
    if sample.file.endswith(".parquet"):
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_pylist([sample.row]), sink)
        return sink.getvalue()
    line = json.dumps(sample.row).encode() + b"\n"
    return gzip.compress(line) if sample.file.endswith(".gz") else line


def test_every_card_of_the_hub_has_a_sample() -> None:
    assert {sample.card for sample in SAMPLES} == {card.id for card in load_cards().values() if card.dataset}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.card)
def test_card_reads_its_columns(hub: LoopbackHub, sample: Sample) -> None:
    card = find_card(sample.card)
    assert card.dataset is not None and card.dataset.revision is not None
    files = {sample.file: content(sample), "README.md": b"# never read", "all/test-0.parquet": b"never read"}
    hub.repos[card.dataset.id] = Repo({card.dataset.revision: files}, {"main": "0" * 40})
    corpus = open_card(card, seed=1)
    (document,) = [record for shard in corpus.shards for record in shard.records()]
    assert isinstance(document, Document)
    turns = tuple((turn.role, turn.content, turn.reasoning) for turn in document.messages or ())
    assert turns == sample.turns
    assert document.text == sample.text or sample.turns
    assert (document.task, document.language, document.licence) == (card.task, card.language, card.licence)
    assert (document.revision, document.file, document.row) == (card.dataset.revision, sample.file, 1)
    assert corpus.notes == ()
