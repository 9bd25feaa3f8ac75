"""How the questions about the most common words are put. All wordings are ours, and like nobody's benchmark."""

from __future__ import annotations

from curator.corpora.generators.wordings.list_wording import ListWording

_ENGLISH = (
    ListWording(
        "This is the log of a label printer. Each label got a single word, and some came up again and again.",
        "Which {many} did the printer use most? Name them in the order in which they first turn up in the log.",
        "Printed most, in order of first use: {words}.",
        "{number}. {word}",
        "\n",
        "For {items} the two words would be told like this: {answer}",
    ),
    ListWording(
        "Visitors of a fair each wrote a word on a numbered card. The cards are copied out below.",
        "Find the {many} written on the most cards, sorted by the first card that has them.",
        "Counting the cards, these lead, the earliest first: {words}.",
        "{number}) {word}",
        "\n",
        "With the cards {items} I would expect, for two words: {answer}",
    ),
    ListWording(
        "I noted every password my game accepted, with a running number. Most were accepted only a few times.",
        "Tell me the {many} that were accepted most often; keep the order of their first appearance.",
        "Accepted most often: {words}.",
        "#{number} {word}",
        "\n",
        "Say the notes are {items}; the best two are then given so: {answer}",
    ),
    ListWording(
        "A weather station sends one word an hour. The receiver numbered what came in.",
        "What are the {many} that came in more often than the rest? Whatever came in earliest goes first.",
        "More often than the rest came {words}.",
        "{number}. {word}",
        "\n",
        "Had it been {items}, two words would stand out. {answer}",
    ),
)
_ENGLISH_HELDOUT = (
    ListWording(
        "The captain's signal book has one numbered entry for every flag word that was hoisted.",
        "By number of hoists, what are the top {many}? Order them by when each was hoisted first.",
        "Hoisted more than all others, by first hoist: {words}.",
        "{number}: {word}",
        "\n",
        "Were the book {items}, its top two make this line: {answer}",
    ),
    ListWording(
        "Below you see what a parrot said, one utterance to a line, numbered by its owner.",
        "Work out the parrot's favourite {many}, the one it said earliest at the front.",
        "The parrot's favourites: {words}.",
        "{number} - {word}",
        "\n",
        "On a lazy day it said {items}, and two favourites show. {answer}",
    ),
    ListWording(
        "Votes for the name of a boat follow, each ballot with its number and a single word.",
        "List the winning {many} of the ballot. Put first whichever was voted for first.",
        "With the most ballots, in order of their first vote: {words}.",
        "{number}, {word}",
        "\n",
        "In a trial vote ({items}) two winners were announced as follows. {answer}",
    ),
    ListWording(
        "The librarian stamps a word on each returned book, and this is the register of stamps.",
        "Name the {many} stamped the greatest number of times, in the sequence of their first stamps.",
        "Stamped the greatest number of times: {words}.",
        "{number}: {word}",
        "\n",
        "A register of {items} has two such words, and the reply is: {answer}",
    ),
)
_CHINESE = (
    ListWording(
        "这是一台标签机的记录，每张标签上只有一个词，有些词反复出现。",
        "标签机用得最多的{many}是哪些？请按它们首次出现的顺序写出。",
        "用得最多的，按首次出现排列：{words}。",
        "{number}. {word}",
        "\n",
        "比如{items}，其中两个词这样回答：{answer}",
        "zh",
    ),
    ListWording(
        "游园会上每位来宾在编号卡片上写了一个词，抄录如下。",
        "找出写在最多卡片上的{many}，最早写下的排在前面。",
        "数过卡片，领先的是：{words}。",
        "{number}) {word}",
        "\n",
        "假如卡片是{items}，问两个词时应答：{answer}",
        "zh",
    ),
    ListWording(
        "我按编号记下了游戏接受过的每个口令，多数只被接受过几次。",
        "被接受次数最多的{many}是什么？保持首次出现的先后。",
        "接受次数最多的口令为{words}。",
        "#{number} {word}",
        "\n",
        "若记录只有{items}，最好的两个写作：{answer}",
        "zh",
    ),
    ListWording(
        "气象站每小时发来一个词，接收员依次编了号。",
        "收到得比其余都多的{many}有哪些？先收到的先写。",
        "收到得最多的有{words}。",
        "{number}. {word}",
        "\n",
        "要是收到{items}，两个词就很突出。{answer}",
        "zh",
    ),
)
_CHINESE_HELDOUT = (
    ListWording(
        "船长的信号簿给每次升起的旗语词编了一条。",
        "论升旗次数，前{many}是什么？依第一次升起的时间排序。",
        "升起次数超过其他的旗语：{words}。",
        "{number}: {word}",
        "\n",
        "信号簿若为{items}，前两名就是这一行：{answer}",
        "zh",
    ),
    ListWording(
        "下面是鹦鹉说过的话，一行一句，主人标了数字。",
        "推算鹦鹉最爱说的{many}，说得最早的放在最前。",
        "鹦鹉最爱说{words}。",
        "{number} - {word}",
        "\n",
        "有一天它懒得开口，只说了{items}，最爱的两个一目了然。{answer}",
        "zh",
    ),
    ListWording(
        "给小船起名的选票附后，每张票有票号和一个词。",
        "公布得票领先的{many}，谁先得票谁在前。",
        "得票领先的名字：{words}。",
        "{number}, {word}",
        "\n",
        "试投时（{items}）两个优胜者是这么公布的。{answer}",
        "zh",
    ),
    ListWording(
        "图书管理员在还回的书上各盖一个词，这份是盖章登记。",
        "盖得最勤的{many}叫什么？照第一枚章的次序列出。",
        "盖得最勤的词：{words}。",
        "{number}: {word}",
        "\n",
        "登记若是{items}，里面有两个这样的词，回复为：{answer}",
        "zh",
    ),
)
WORDINGS = {
    ("en", "calibration"): _ENGLISH,
    ("en", "heldout"): _ENGLISH_HELDOUT,
    ("zh", "calibration"): _CHINESE,
    ("zh", "heldout"): _CHINESE_HELDOUT,
}
"""By language and side."""
