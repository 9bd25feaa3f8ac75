"""How the questions about the most frequent words are put. All wordings are ours, and like nobody's benchmark."""

from __future__ import annotations

from curator.corpora.generators.wordings.list_wording import ListWording

_ENGLISH = (
    ListWording(
        "A radio amateur took down this stream of words. Nobody knows what they stand for.",
        "Which {many} of the stream were sent most often? Begin with the commonest.",
        "Sent most often, the commonest first: {words}.",
    ),
    ListWording(
        "The following was typed on an old machine, a test without punctuation.",
        "Rank its {many} of highest frequency, from the highest down.",
        "By frequency, from the highest down: {words}.",
    ),
    ListWording(
        "A sorting robot wrote its states into this tape. Every state is named by a word.",
        "Count the states and give me the top {many}, starting with the largest count.",
        "The largest counts belong, in this order, to {words}.",
        gap="\n",
    ),
    ListWording(
        "These are the search terms of a single day, in the order of their arrival.",
        "Tell me which {many} people searched for most, by falling number of searches.",
        "People searched most for {words}.",
        gap=", ",
    ),
)
_ENGLISH_HELDOUT = (
    ListWording(
        "Here is an exercise from a book on ciphers, already split into its groups.",
        "For a frequency attack I need the {many} that repeat the most, most repeated to the left.",
        "For the attack start with, most repeated to the left, {words}.",
    ),
    ListWording(
        "The sensor wrote a tag whenever something passed it. These are all of its tags.",
        "What are the {many} seen at the sensor more than any other tag, in falling order?",
        "Seen more than any other tag, in falling order: {words}.",
        gap="\n",
    ),
    ListWording(
        "Someone talked in their sleep, and this is the transcript.",
        "Say which {many} the sleeper used most, ordered from most to least used.",
        "From most to least used: {words}.",
    ),
    ListWording(
        "A till prints the name of each article as it is sold, and the roll reads as follows.",
        "Give the {many} that sold best, the best seller in front.",
        "Sold best: {words}.",
        gap=" / ",
    ),
)
_CHINESE = (
    ListWording(
        "一位无线电爱好者抄下了这串词，没人知道是什么意思。",
        "其中发送最频繁的{many}是哪几个？从最常见的开始。",
        "发送最频繁的，由多到少：{words}。",
        language="zh",
    ),
    ListWording(
        "下面是用旧打字机打出的测试稿，没有标点。",
        "把出现频率最高的{many}从高到低排列。",
        "频率从高到低依次为{words}。",
        language="zh",
    ),
    ListWording(
        "分拣机器人把状态写在这条纸带上，每个状态用一个词命名。",
        "数一数各个状态，写出次数最大的{many}，最大的在先。",
        "次数最大的状态依次是{words}。",
        gap="\n",
        language="zh",
    ),
    ListWording(
        "以下是某一天的搜索词，按到达的先后排列。",
        "告诉我大家搜得最多的{many}，搜索次数递减。",
        "大家搜得最多的是{words}。",
        gap="，",
        language="zh",
    ),
)
_CHINESE_HELDOUT = (
    ListWording(
        "这道习题出自一本密码书，词组已经分好。",
        "做频率分析要用到重复最多的{many}，重复越多越靠左。",
        "频率分析先看{words}。",
        language="zh",
    ),
    ListWording(
        "每当有东西经过，传感器就写一个标记，全部标记在此。",
        "传感器见得最多的{many}是什么？次序由高而低。",
        "见得最多的标记：{words}。",
        gap="\n",
        language="zh",
    ),
    ListWording(
        "有人说梦话，这里是逐字记录。",
        "说出梦话里用得最勤的{many}，最勤的先说。",
        "梦话里用得最勤的有{words}。",
        language="zh",
    ),
    ListWording(
        "收银机每卖一件就打出品名，纸卷内容如下。",
        "卖得最好的{many}叫什么？销量冠军写在头一个。",
        "卖得最好的：{words}。",
        gap=" / ",
        language="zh",
    ),
)
WORDINGS = {
    ("en", "calibration"): _ENGLISH,
    ("en", "heldout"): _ENGLISH_HELDOUT,
    ("zh", "calibration"): _CHINESE,
    ("zh", "heldout"): _CHINESE_HELDOUT,
}
"""By language and side."""
