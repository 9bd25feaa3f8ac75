import pytest

from curator._errors import InputError
from curator.corpora.document import Document
from curator.corpora.generators.qa import passages as module
from curator.corpora.generators.qa.facts import Fact, facts
from curator.corpora.generators.qa.passages import Passage, has_passages, more_passages, passages, sections
from curator.corpora.heldout_split import is_heldout


def _document(text, unit="package:toolbox", language="en"):
    return Document("card/toolbox/description", "card", unit, "prose", language, "MIT", text)


def _passage(text, heading="The Harbour of Kiel", language="en"):
    sentences = module._split(text, language)
    return Passage(heading, 1, 1, tuple(sentences), text, "unit")


_LONG = "This is a paragraph about nothing in particular that is long enough to be taken for running text. " * 2


def test_sections_have_the_heading_above_them():
    text = f"{_LONG}\n\n# First steps\n{_LONG}\n\n```\ncode()\n```\n\n**Second: more**\n\n{_LONG}\n\n- a list"
    found = list(sections(_document(text), "en"))
    assert [heading for heading, _ in found] == ["toolbox", "First steps", "Second: more"]
    assert all(parts == [_LONG.strip()] for _, parts in found)


def test_code_lists_and_fragments_are_no_passages():
    code = "x = [1, 2, 3]; print(x[0] + 1, x[1] + 2) # and so on, {and} so on, until the end of (this) line."
    text = f"# Use\n\n{code * 3}\n\nShort."
    assert list(sections(_document(text), "en")) == []


def test_the_two_sides_share_no_unit_and_no_text():
    for language in ("en", "zh"):
        own, other = passages(language, heldout=False), passages(language, heldout=True)
        assert not any(is_heldout(passage.unit) for passage in own)
        assert all(is_heldout(passage.unit) for passage in other)
        assert not {passage.text for passage in own} & {passage.text for passage in other}


def test_the_documentation_is_parted_too():
    own, other = more_passages("en", heldout=False), more_passages("en", heldout=True)
    assert not any(is_heldout(passage.unit) for passage in own)
    assert all(is_heldout(passage.unit) for passage in other)
    texts = [
        passage.text for passage in (*own, *other, *passages("en", heldout=False), *passages("en", heldout=True))
    ]
    assert len(set(texts)) == len(texts)
    assert more_passages("zh", heldout=True) == ()


def test_passages_are_short_and_each_comes_once():
    for language, longest in (("en", 1500), ("zh", 400)):
        found = passages(language, heldout=False)
        assert len({passage.text for passage in found}) == len(found) > 100
        assert max(len(passage.text) for passage in found) < longest


def test_what_to_install_is_told(monkeypatch):
    monkeypatch.setattr(module, "available", lambda card: card.install or "")
    module._sides.cache_clear()
    try:
        assert not has_passages("zh", heldout=False)
        with pytest.raises(InputError, match=r"no prose in 'zh' is installed; type: pip install .*dataset-build"):
            passages("zh", heldout=False)
        with pytest.raises(InputError, match="no held-out prose in 'zh'"):
            passages("zh", heldout=True)
    finally:
        module._sides.cache_clear()


def test_blanks_by_hand():
    text = "In 1895 the canal was opened by Kaiser Wilhelm after eight years of work on it."
    shown = {fact.gold: fact.shown for fact in facts(_passage(text), "en", "blank")}
    assert shown == {
        "1895": text.replace("1895", "____"),
        "Kaiser Wilhelm": text.replace("Kaiser Wilhelm", "____"),
    }


def test_a_gold_that_the_sentence_has_twice_is_not_asked_for():
    text = "They met in Kiel, and after long talks in Kiel the treaty was at last signed by all of them."
    assert facts(_passage(text), "en", "blank") == []


def test_a_possessive_is_no_part_of_a_name():
    text = "Everybody in the town came to see Gerda's garden in the weeks when the roses were out."
    assert [fact.gold for fact in facts(_passage(text), "en", "blank")] == ["Gerda"]


def test_endless_sentences_are_left_out():
    text = f"{'word ' * 1_000_000}end. {_LONG}"
    assert module._split(text, "en") == module._split(_LONG, "en")


def test_abbreviations_end_no_sentence():
    text = "The church of St. Peter was built by J. Smith in Kiel. It is old. Dr. Adams told me so."
    assert module._split(text, "en") == [
        "The church of St. Peter was built by J. Smith in Kiel.",
        "It is old.",
        "Dr. Adams told me so.",
    ]


def test_a_name_does_not_end_in_a_hyphen():
    text = "The towns along the coast were settled by Indo- and by Anglo-Saxon people in the same years."
    # A part of a name is no answer.
    assert [fact.gold for fact in facts(_passage(text), "en", "blank")] == ["Anglo-Saxon"]


def test_definitions_by_hand():
    text = "A lighthouse is a tower with a bright light that guides ships at night. It is a building of stone."
    what = "a tower with a bright light that guides ships at night"
    assert facts(_passage(text), "en", "definition") == [
        Fact("definition", what, "lighthouse", what, said="a lighthouse")
    ]


@pytest.mark.parametrize("term", ["First Crusade", "2008 crisis", "Übermensch", "stone lighthouse"])
def test_a_gold_has_no_article(term):
    text = f"The {term} was a thing of which everybody at the time was more than a little afraid."
    assert [fact.gold for fact in facts(_passage(text), "en", "definition")] == [term]


def test_two_hops_by_hand():
    text = "The harbour grew quickly in 1880. Ships came from as far as the city of Riga to be repaired."
    assert facts(_passage(text), "en", "two-hop") == [Fact("two-hop", "Riga", "1880", "Riga", "year")]


@pytest.mark.parametrize(
    "text",
    [
        "The 3 docks grew in 1880. Ships came from as far as the city of Riga to be repaired.",
        "It had 1900 workers, and grew in 1880. Ships came from as far as the city of Riga to be repaired.",
        "It held 1880 men. Ships came from as far as the city of Riga to be repaired.",
    ],
)
def test_a_first_year_that_is_not_surely_the_first_or_a_year_is_not_asked_for(text):
    assert facts(_passage(text), "en", "two-hop") == []


def test_titles_are_asked_for_only_where_they_say_something():
    text = "Nobody knows any more who planted the old lime trees along the quay."
    assert [fact.gold for fact in facts(_passage(text), "en", "title")] == ["The Harbour of Kiel"]
    assert facts(_passage(text, heading="Introduction"), "en", "title") == []


def test_chinese_facts_by_hand():
    text = "港口在1895年开放，首任港长是卡尔·迈尔。灯塔是一座夜间为船只指引航向的高塔。"
    passage = _passage(text, "基尔港的历史", "zh")
    assert {fact.gold for fact in facts(passage, "zh", "blank")} >= {"1895"}
    assert [fact.gold for fact in facts(passage, "zh", "definition")] == ["灯塔"]


def test_a_quotation_ends_a_sentence():
    text = 'He only said, "Stand out of my light." This became known. (Nobody was hurt.) It was late.'
    assert module._split(text, "en") == [
        'He only said, "Stand out of my light."',
        "This became known.",
        "(Nobody was hurt.)",
        "It was late.",
    ]


def test_lists_below_a_paragraph_and_emphasis_are_left_out():
    text = f"# Rites\nThere are two *great* **feasts**. {_LONG}\n*   **Prayer:** {_LONG}\n2. {_LONG}"
    assert list(sections(_document(text), "en")) == [("Rites", [f"There are two great feasts. {_LONG.strip()}"])]


@pytest.mark.parametrize(
    "line", [":Date: November, 1995", "Copyright 2014 J. Doe", "(See below for more.)", "💙 x"]
)
def test_what_is_no_title_is_none(line):
    found = list(sections(_document(f"# Use\n\n{line}\n\n{_LONG}"), "en"))
    assert found == [("Use", [_LONG.strip()])]


def test_sections_that_ask_for_help_are_left_out():
    text = f"# Use\n\n{_LONG}\n\n## Contributing\n\n{_LONG}\n\n## 2. Running tests ##\n\n{_LONG}"
    assert [heading for heading, _ in sections(_document(text), "en")] == ["Use", "Running tests"]


def test_chinese_titles_may_have_foreign_words_and_ask():
    prose = "这是一段足够长的文字，用来检验标题之下的段落是否归到正确的标题，而不是归到前一篇文章的标题之下。"
    titles = ["遗传学的革命：从DNA到CRISPR", "蚁巢生态：蚂蚁饲养（Myrmecology）入门", "意识的难题：体验从何而来？"]
    text = "\n".join(f"{title}\n{prose}\n作者： 架构组\n“为什么？”" for title in titles)
    assert list(sections(_document(text, language="zh"), "zh")) == [(title, [prose]) for title in titles]


@pytest.mark.parametrize(
    "term",
    [
        "Muslims believe the Qur'an",
        "Every monad",
        "The next major rupture",
        "Below",
        "The central idea",
        "The fleet",
    ],
)
def test_half_sentences_and_what_was_spoken_of_before_are_no_terms(term):
    text = f"{term} was a thing of which everybody at the time was more than a little afraid."
    assert facts(_passage(text), "en", "definition") == []


def test_what_only_points_at_something_defines_nothing():
    text = "A lighthouse is the tower that everybody in the whole of the old town could see from home."
    assert facts(_passage(text), "en", "definition") == []


@pytest.mark.parametrize(
    "text", ["佛教就是沿着丝绸之路从印度经中亚传入中国的。", "每一本手工书都是独一无二的艺术品和纪念品。"]
)
def test_chinese_emphasis_is_no_definition(text):
    assert facts(_passage(text, "基尔港的历史", "zh"), "zh", "definition") == []


def test_stars_that_are_no_emphasis_stay():
    text = f'Calls accept any number of "*" and "**" unpackings, and 2 * 3 * 4 is *not* 10. {_LONG}'
    [(_, [found])] = sections(_document(text), "en")
    assert found.startswith('Calls accept any number of "*" and "**" unpackings, and 2 * 3 * 4 is not 10.')


def test_names_are_whole():
    text = "They met the sage Tao Te Ching, then Ngô Văn Chiêu of the town, and later on the poets of Baha'i."
    golds = {fact.gold for fact in facts(_passage(text), "en", "blank")}
    assert golds == {"Tao Te Ching", "Ngô Văn Chiêu", "Baha'i"}
    assert (
        facts(
            _passage("Movements in post-World War II America took art to its very extreme at last."), "en", "blank"
        )
        == []
    )
    assert (
        facts(_passage("It is said that today His word counts in the whole of the very old town."), "en", "blank")
        == []
    )


def test_foreign_names_in_chinese_are_whole():
    text = "让-保罗·萨特，以及如朱利奥·托诺尼（学者）和米歇尔·福柯是其中，卡尔·迈尔，都在这里住过很久。"
    assert [fact.gold for fact in facts(_passage(text, "基尔港的历史", "zh"), "zh", "blank")] == ["卡尔·迈尔"]


@pytest.mark.parametrize(
    "sentence",
    [
        "Please report every bug that You find to the Helsinki tracker on GitHub before long.",
        "Two ideas of Deleuze stand behind the whole of what is said below in this book: 1.",
        "The path /usr/lib/Python is searched first of all by the loader of Kiel.",
    ],
)
def test_notices_code_and_stumps_are_not_asked_about(sentence):
    for kind in ("blank", "title"):
        assert facts(Passage("The Harbour of Kiel", 1, 1, (sentence,), sentence, "unit"), "en", kind) == []
