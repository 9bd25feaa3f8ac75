"""The contest's table from a file of its shape: 150 items in blocks of 30, lengths at a hundredth but mcq's."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from curator.profile import measure_file
from curator.profile.schema import Profile
from tests.profile.profile_files import FlatEncoder, profiled, write_rows

# Sums of input and output tokens of 30 items, and the score of the BF16 model.
TABLE = {
    "mcq": (8_128, 2_848, 60.0),
    "niah": (22_195, 105, 100.0),
    "qa": (21_471, 30, 60.0),
    "fwe": (20_446, 1_559, 100.0),
    "cwe": (22_249, 2_790, 92.67),
}
GOLDS: dict[str, Any] = {
    "mcq": "B",
    "niah": ["1234567"],
    "qa": ["Ann", "Ann Lee"],
    "fwe": ["a", "b"],
    "cwe": ["c"],
}
STARTS = (
    "Then the crew",
    "Nobody",
    "A pilot",
    "The harbour master",
    "Later the mate",
    "Some of them",
    "We",
    "The cook",
)
DEEDS = ("mended the nets and", "counted the boats and", "waited for the mail and", "walked along the quay and")


class ChapterEncoder(FlatEncoder):
    """Sentences of near chapters have near vectors."""

    def encode(self, sentences: Sequence[str]) -> Any:
        self.asked += sentences
        places = [int(found[1]) if (found := re.search(r"chapter (\d+)", one)) else 0 for one in sentences]
        vectors = np.exp(-((np.array(places)[:, None] - np.arange(0, 60, 2)[None, :]) ** 2) / 8.0) + 1e-3
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def lengths(total: int) -> list[int]:
    return [total // 30 + (place < total % 30) for place in range(30)]


def prose(words: int, draw: random.Random) -> str:
    sentences = (
        f"{draw.choice(STARTS)} {draw.choice(DEEDS)} came home before the tide of chapter {at // 3} was over."
        for at in itertools.count()
    )
    return " ".join(itertools.islice((word for one in sentences for word in one.split()), words))


def coded(words: int, draw: random.Random) -> str:
    return " ".join("".join(draw.choice("bcdfghjklmnpqrstvwxz") for _ in range(6)) for _ in range(words))


def prompts() -> Iterator[tuple[str, str]]:
    for task, (total, _, _) in TABLE.items():
        for place, words in enumerate(lengths(total)):
            draw = random.Random(f"{task}{place}")
            if task in ("mcq", "niah", "qa"):
                yield task, prose(words, draw)
            elif task == "fwe":
                yield task, coded(words, draw)
            else:
                yield (
                    task,
                    "\n".join(f"{at}.{coded(1, draw)} {coded(1, draw)}" for at in range(words // 2))
                    + (" end" if words % 2 else ""),
                )


def scores(task: str) -> list[float]:
    # 18 of 30 right; 22 lists with nine tenths of their words: 27.8 of 30.
    return {"mcq": [1.0] * 18 + [0.0] * 12, "qa": [1.0] * 18 + [0.0] * 12, "cwe": [0.9] * 22 + [1.0] * 8}.get(
        task, [1.0] * 30
    )


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profile]:
    folder = tmp_path_factory.mktemp("contest")
    rows = [{"task": task, "question": text, "gold": GOLDS[task]} for task, text in prompts()]
    run = []
    for block, (task, (_, total, _)) in enumerate(TABLE.items()):
        for place, (words, score) in enumerate(zip(lengths(total), scores(task), strict=True)):
            row = {
                "index": 30 * block + place,
                "task": task,
                "prediction": " ".join(["word"] * words),
                "score": score,
            }
            run.append({**row, "gold": GOLDS[task], "output_tokens": words})
    path = write_rows(folder / "perf_public_set.jsonl", rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.profile.profile_files.FlatEncoder", ChapterEncoder)
        yield profiled(path, patch, outputs=write_rows(folder / "predictions.jsonl", run))
        assert measure_file.Embedder is ChapterEncoder


def test_five_tasks_of_thirty(profile: Profile) -> None:
    assert {task: group.items for task, group in profile.tasks.items()} == dict.fromkeys(TABLE, 30)
    assert list(profile.tasks) == list(TABLE)
    assert [item.task for item in profile.items] == [task for task in TABLE for _ in range(30)]


def test_tokens_by_task(profile: Profile) -> None:
    for task, (inputs, outputs, _) in TABLE.items():
        group = profile.tasks[task]
        assert group.prompt_tokens.sum == inputs
        assert group.output_tokens is not None and group.output_tokens.sum == outputs
    assert profile.tasks["mcq"].prompt_tokens.median == 271


def test_scores_by_task_and_overall(profile: Profile) -> None:
    for task, (_, _, score) in TABLE.items():
        found = profile.tasks[task].score
        assert found is not None and 100 * found.mean == pytest.approx(score, abs=0.005)
    assert profile.overall.score is not None
    assert 100 * profile.overall.score.mean == pytest.approx(82.53, abs=0.005)


def test_golds_and_languages(profile: Profile) -> None:
    assert profile.tasks["mcq"].gold_types == {"letter": 30}
    assert profile.overall.gold_types == {"list": 120, "letter": 30}
    assert profile.tasks["niah"].languages == {"en": 30}


def test_coded_words_and_lists_are_the_share_without_continuity(profile: Profile) -> None:
    low = {task: group.low_continuity.items for task, group in profile.tasks.items()}
    assert low == {"mcq": 0, "niah": 0, "qa": 0, "fwe": 30, "cwe": 30}
    share = (20_446 + 22_249) / sum(inputs for inputs, _, _ in TABLE.values())
    assert profile.overall.low_continuity.item_share == 0.4
    assert profile.overall.low_continuity.token_share == pytest.approx(share, abs=1e-4)


def test_token_shares(profile: Profile) -> None:
    inputs, outputs = (sum(row[place] for row in TABLE.values()) for place in (0, 1))
    mcq = profile.tasks["mcq"].shares
    assert mcq.input_tokens == 8_128 / inputs
    assert mcq.output_tokens == 2_848 / outputs
    assert mcq.total_tokens == (8_128 + 2_848) / (inputs + outputs)
