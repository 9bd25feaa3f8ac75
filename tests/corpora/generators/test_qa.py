"""Questions over documents: every one is answered here from the sample's text alone."""

import random
import re

import pytest
from scipy.stats import chisquare

from curator._errors import InputError
from curator.corpora.generators import GENERATORS, generate
from curator.corpora.generators.qa.facts import BLANK, KINDS
from curator.corpora.generators.qa.passages import passages
from curator.corpora.generators.qa.wordings import wordings
from curator.profile.task_scoring import score_prediction

_BLOCK = {
    "en": re.compile(r"^Document (\d+): (.+)\n(.+)$", re.M),
    "zh": re.compile(r"^文档 (\d+)：(.+)\n(.+)$", re.M),
}
_PART = {"en": r", part \d+$", "zh": r"（第 \d+ 部分）$"}
_TOKENS = {"en": 900, "zh": 1500}


def _sample(index, language="en", kind="any", *, heldout=False, tokens=None):
    options = {"language": language, "kind": kind}
    return generate(
        "qa", seed=3, index=index, tokens=tokens or _TOKENS[language], options=options, heldout=heldout
    )


def _documents(document, language):
    """Number, title and body of each document, and the question after the last one."""
    user = document.messages[0].content
    found = list(_BLOCK[language].finditer(user))
    return [(int(one[1]), one[2], one[3]) for one in found], user[found[-1].end() :].strip()


def _asked(question, kind, language, *, heldout):
    """What the question quotes, and what a two-hop question asks for: from the wordings, not from the sample."""
    worded = wordings(language, heldout=heldout)
    targets = "|".join(map(re.escape, worded.targets.values()))
    for wording, _ in worded.turns[kind]:
        pattern = re.escape(wording).replace(r"\{shown\}", "(?P<shown>.+)")
        pattern = pattern.replace(r"\{target\}", f"(?P<target>{targets})")
        match = re.fullmatch(pattern, question)
        if match:
            return match["shown"], match.groupdict().get("target")
    raise AssertionError(question)


def _sentences(body, language):
    if language == "zh":
        return [one.strip() for one in re.split(r"(?<=[。！？])(?![”’』」）])|(?<=[。！？][”’』」）])", body)]
    return [
        one.strip()
        for one in re.split(
            r"(?:(?<=[.!?])(?<!\bSt\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\b[A-Z]\.)|(?<=[.!?][\"”)]))\s+(?=[A-Z\"“‘(*`])",
            body,
        )
    ]


def _solve(documents, shown, target, kind, language):
    """The answer, which must be in one document only."""
    answers = set()
    for _, title, body in documents:
        if kind == "blank":
            whole = re.compile(re.escape(shown).replace(re.escape(BLANK), "(.+?)"))
            answers.update(match[1] for match in map(whole.fullmatch, _sentences(body, language)) if match)
        elif kind == "title" and shown in body:
            answers.add(re.sub(_PART[language], "", title))
        elif kind == "definition" and shown in body:
            sentence = _sentences(body[: body.index(shown)] + "|", language)[-1][:-1]
            verb = (
                r" (?:is|are|was|were|refers to|means) $"
                if language == "en"
                else r"[则便也就]?(?:是|指的是|被定义为)$"
            )
            answers.add(re.sub(r"^(?:The|A|An) ", "", re.split(verb, sentence)[0]))
        elif kind == "two-hop" and shown in f"{title} {body}":
            quoted = re.search(r"[“\"](.+?)[,.]?[”\"]", body)
            year = re.search(r"\d{4}", body)
            answers.add(year[0] if "year" in target or "年份" in target else quoted[1])
    assert len(answers) == 1
    return answers.pop()


@pytest.mark.parametrize("heldout", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_answer_follows_from_the_text_alone_and_from_one_document(language, kind, heldout):
    for index in range(12):
        sample = _sample(index, language, kind, heldout=heldout)
        documents, question = _documents(sample, language)
        shown, target = _asked(question, kind, language, heldout=heldout)
        gold = sample.gold[0]
        assert _solve(documents, shown, target, kind, language) == gold
        holding = [number for number, *texts in documents if gold.casefold() in " ".join(texts).casefold()]
        assert len(holding) == 1
        assert re.search(rf"\b{holding[0]}\b|文档 {holding[0]}", sample.messages[1].content)
        assert score_prediction("qa", sample.messages[1].content, sample.gold) == 1


def test_documents_are_numbered_from_one_and_none_comes_twice():
    documents, _ = _documents(_sample(5, tokens=4000), "en")
    assert [number for number, _, _ in documents] == list(range(1, len(documents) + 1))
    assert len({body for _, _, body in documents}) == len(documents) > 20


def test_the_place_of_the_answer_is_uniform():
    bins = [0] * 8
    jitter = random.Random(0)
    for index in range(240):
        sample = _sample(index)
        documents, _ = _documents(sample, "en")
        texts = [f"{title} {body}".casefold() for _, title, body in documents]
        place = next(at for at, text in enumerate(texts) if sample.gold[0].casefold() in text)
        # A place among n covers an n-th of the whole: a point drawn in it is uniform if the place is.
        bins[int((place + jitter.random()) / len(texts) * len(bins))] += 1
    assert chisquare(bins).pvalue > 0.01


@pytest.mark.parametrize("tokens", [600, 2048, 9000])
def test_the_budget_is_used_and_never_passed(tokens):
    def count(content):
        # Tokens of three characters, and ten for the template: unlike the rough count.
        return len(content) // 3 if isinstance(content, str) else sum(len(one.content) // 3 + 5 for one in content)

    for index in range(4):
        sample = generate("qa", seed=1, index=index, tokens=tokens, options={}, count=count)
        assert 0.98 * tokens <= count(sample.messages) <= tokens


def test_samples_differ_and_are_the_same_again():
    texts = [_sample(index).text for index in range(20)]
    assert len(set(texts)) == 20
    assert texts == [_sample(index).text for index in range(20)]


@pytest.mark.parametrize(("kind", "least"), [("blank", 38), ("title", 38), ("definition", 38), ("two-hop", 26)])
def test_samples_ask_for_different_things(kind, least):
    golds = {_sample(index, kind=kind).messages[0].content.rpartition("\n\n")[2] for index in range(40)}
    assert len(golds) >= least


def test_kinds_take_turns():
    found = []
    for index in range(8):
        _, question = _documents(_sample(index), "en")
        for kind in KINDS:
            try:
                _asked(question, kind, "en", heldout=False)
            except AssertionError:
                continue
            found.append(kind)
    assert found == [*KINDS, *KINDS]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_half_of_eight_wordings_or_more_is_held_out(language):
    calibration, heldout = wordings(language, heldout=False), wordings(language, heldout=True)
    for kind in KINDS:
        own, other = set(calibration.turns[kind]), set(heldout.turns[kind])
        assert len(own) >= 4 <= len(other)
        assert not {question for question, _ in own} & {question for question, _ in other}
    assert len({*calibration.openings, *heldout.openings}) == 8


def test_low_continuity_language_and_licence():
    sample = _sample(0, "zh")
    assert (sample.low_continuity, sample.language, sample.licence) == (False, "zh", "BSD-2-Clause")
    assert GENERATORS["qa"].licence({"language": "en"}).split(" AND ")[-1] == "Python-2.0"


def test_more_than_there_is_to_read_is_refused_with_the_most_tokens():
    with pytest.raises(InputError, match=r"its material ends there; ask for [\d,]+ tokens or fewer"):
        _sample(0, "zh", tokens=10**6)


def test_the_longest_samples_read_documentation_too():
    sample = _sample(0, heldout=True, tokens=120_000)
    documents, question = _documents(sample, "en")
    shown, target = _asked(question, "blank", "en", heldout=True)
    assert _solve(documents, shown, target, "blank", "en") == sample.gold[0]
    prose = {passage.text for passage in passages("en", heldout=True)}
    assert sum(body not in prose for _, _, body in documents) > 50


def test_every_passage_has_a_title_and_whole_sentences():
    for language, ends in (("en", '.!?"”)'), ("zh", "。！？”")):
        for passage in passages(language, heldout=False):
            assert passage.heading
            assert passage.text[-1] in ends
            assert "\n" not in passage.text + passage.heading
