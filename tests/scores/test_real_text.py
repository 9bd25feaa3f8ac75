"""The score with the real embedder: loading it takes 5 s."""

from __future__ import annotations

import json
import math
import random
import uuid

import numpy as np
import pytest

from curator.scores.continuity import AUTO_MIN, check_continuity, continuity
from curator.scores.document import score_windows
from curator.scores.embedder import Embedder
from curator.scores.sentences import split_sentences

pytestmark = pytest.mark.model

STORY = """The ferry to the northern islands leaves the harbour at seven. On most days it carries the post, the
bread and a few schoolchildren. The captain has made the crossing for thirty years. He says that he could
do it with his eyes shut, but nobody has asked him to. Last winter the engine failed half way across the
strait. The crew dropped the anchor and called the lifeboat. For two hours the passengers sat in the
saloon and drank tea. When the lifeboat came, it towed the ferry back to the pier. The engineer found
that a fuel pump had cracked. A new pump had to be ordered from the mainland, and it took a week to
arrive. During that week the islands had no fresh bread. The baker on the largest island decided to build
an oven of his own. He bought bricks from an old kiln and flour from a farmer. The first loaves were
burnt, and the second ones were raw. By the end of the month his rye bread was better than that of the
town. People began to walk across the island to buy it. The baker hired his niece to serve in the shop.
She painted a sign with a loaf and a wheat sheaf. Tourists took photographs of the sign and told their
friends. In summer the queue reached the church. The priest complained that nobody came to the early
service any more. So the baker gave the church a basket of rolls every Sunday. After that the priest
blessed the oven and the complaints stopped. The old kiln, whose bricks had made the oven, was later
turned into a museum. It shows tiles, pots and a model of the harbour. Its first visitor was the captain
of the ferry. He looked for a long time at the model, where his own ship lay at the pier. Then he asked
whether the pump was in it as well."""

# Unconnected sentences, as a page of a phrase book has them.
PHRASES = """The tailor closes on Mondays, so leave the coat with the porter. Nobody had oiled the gate since the
flood, and it sang like a kettle. If the map gets wet, dry it flat between two towels. Our choir needs a second
tenor before the end of Lent. The last tram goes from the other side of the square. Rye sown late will still
stand through a mild winter. He kept his stamps in a biscuit tin under the stairs."""


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return Embedder()


def codes(kind: str, count: int) -> str:
    rng = random.Random(kind)
    words = {
        "hex": lambda: f"{rng.getrandbits(36):09x}",
        "letters": lambda: "".join(rng.choices("bcdfghjklmnpqrstvwxz", k=8)),
    }
    return " ".join(words[kind]() for _ in range(count))


def test_a_story_passes_and_its_shuffles_and_junk_do_not(embedder: Embedder) -> None:
    sentences = split_sentences(STORY)
    assert len(sentences) == 28
    vectors = embedder.encode(sentences)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(28), abs=1e-4)
    ordered = continuity(vectors, sentences)
    assert check_continuity(ordered.flat(), AUTO_MIN) is None
    rng = np.random.default_rng(0)
    shuffled = []
    for _ in range(100):
        order = rng.permutation(28)
        shuffled.append(continuity(vectors[order], [sentences[at] for at in order]).z)
    assert ordered.z > max(shuffled)
    assert sum(z > AUTO_MIN for z in shuffled) <= 5


def test_lists_of_codes_and_of_numbers_do_not_pass(embedder: Embedder) -> None:
    rng = random.Random(11)
    uuids = "\n".join(str(uuid.UUID(int=rng.getrandbits(128), version=4)) for _ in range(32))
    numbered = "\n".join(f"{at}. {line}" for at, line in enumerate(sorted(split_sentences(STORY), key=len), 1))
    for text in (uuids, numbered):
        assert check_continuity(score_windows(text, embedder).flat(), AUTO_MIN) is not None


@pytest.mark.parametrize("good", [STORY, f"{PHRASES} {PHRASES} {PHRASES}"], ids=["story", "phrases"])
@pytest.mark.parametrize("kind", ["hex", "letters"])
def test_junk_at_the_head_or_tail_ranks_clearly_below_the_text_without(
    good: str, kind: str, embedder: Embedder
) -> None:
    clean = score_windows(good, embedder).flat()["continuity"]
    junk = codes(kind, 400)
    for text in (f"{good} {junk}", f"{junk} {good}"):
        assert score_windows(text, embedder).flat()["continuity"] < clean - 1


@pytest.mark.parametrize(
    "text", ["Only one sentence.", "   ", "... --- ...", "\ud800 " * 50, "\x00" * 500, PHRASES]
)
def test_every_text_has_finite_scores(text: str, embedder: Embedder) -> None:
    found = score_windows(text, embedder)
    assert json.dumps(found.as_json(), allow_nan=False)
    assert all(math.isfinite(value) for value in found.flat().values() if not isinstance(value, str))
    assert check_continuity(found.flat(), AUTO_MIN) is None


def test_sentences_longer_than_the_model_reads_are_counted(embedder: Embedder) -> None:
    assert embedder.truncated(["harbour " * 253, "harbour " * 254, "harbour " * 255, "港" * 400, "short"]) == 2
    assert embedder.truncated([]) == 0


def test_a_vector_hardly_depends_on_its_neighbours_in_a_call(embedder: Embedder) -> None:
    sentences = split_sentences(STORY)
    alone = np.concatenate([embedder.encode([sentence]) for sentence in sentences])
    together = embedder.encode(sentences)
    assert np.abs(alone - together).max() < 1e-6
    assert continuity(alone, sentences) == continuity(together, sentences)
    assert (embedder.encode(sentences) == together).all()
