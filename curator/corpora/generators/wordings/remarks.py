"""What people say before they put a question: short sentences that fill the last tokens of a budget."""

from __future__ import annotations

SPACE = {"en": " ", "zh": ""}
"""What stands between two sentences."""

REMARKS = {
    ("en", "calibration"): (
        "Hello.",
        "Good morning.",
        "I have a question for you.",
        "There is no hurry with this one.",
        "I have read it twice and lost track both times.",
        "A colleague of mine gave up on it before lunch.",
        "Take the time that you need.",
        "You may skip any greeting.",
        "It is rather dull stuff, I am afraid.",
        "Thanks in advance.",
        "My eyes are tired from looking for it since this morning, so I leave it to you.",
        "One more thing to look up today.",
        "If you wonder why I ask: my neighbour and I argue about it, she is sure that I remember it wrong, and "
        "the loser has to bring the cake on Sunday.",
        "I used to know this by heart, but that was two summers ago, and since then a good deal of other business "
        "has pushed it out of my head.",
    ),
    ("en", "heldout"): (
        "Hi.",
        "Good evening.",
        "Could you help me here?",
        "This should be the last one for tonight.",
        "My sister bet me that nobody would get it right.",
        "We tried a search box first, and it was of no use.",
        "Any help is welcome.",
        "The rest can wait until Monday.",
        "Sorry that it got so long.",
        "Much obliged.",
        "I would do it by hand, but the train leaves soon and my tea is getting cold.",
        "Let us see how this goes.",
        "Before you start, I should admit that the printer ran out of ink, so whoever helps me tonight has to do "
        "without the coloured marks.",
        "Our old archivist would have known at once; she retired in spring, however, and nobody has yet learned "
        "how her drawers are arranged.",
    ),
    ("zh", "calibration"): (
        "你好。",
        "早上好。",
        "我想请教一个问题。",
        "这件事不着急。",
        "我自己看了两遍，还是没理清楚。",
        "同事看到一半就放弃了。",
        "慢慢来就行。",
        "不必客气，随意就好。",
        "内容有点枯燥，请多包涵。",
        "先谢谢了。",
        "从早上找到现在，眼睛都花了，只好来麻烦你。",
        "今天还剩这一项要查。",
        "要问我为什么想知道，是因为邻居跟我争了半天，她认定是我记错了，输的人星期天得带蛋糕来。",
        "这些我从前背得出来，不过那是两年前的夏天，后来事情一多，就全忘光了。",
    ),
    ("zh", "heldout"): (
        "您好。",
        "晚上好。",
        "能帮我一个忙吗？",
        "今晚就剩最后一题。",
        "妹妹跟我打赌说没人答得对。",
        "先前用搜索框试过，完全没用。",
        "帮上一点忙也好。",
        "别的事星期一再说。",
        "写得太长，抱歉。",
        "有劳了。",
        "本来想亲手做，可火车快开了，茶也要凉了。",
        "看看这回怎么样。",
        "动手之前得说明，打印机没墨了，所以今晚不管谁来帮忙，都看不到彩色的记号。",
        "要是老档案员还在，她一听便知；可她春天退了休，抽屉怎么排的至今没人学会。",
    ),
}
"""Neutral remarks by language and side; none says anything about a task."""
