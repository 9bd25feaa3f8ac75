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
        "I do not need the steps.",
        "You may skip any greeting.",
        "It is rather dull stuff, I am afraid.",
        "Thanks in advance.",
        "My eyes are tired from looking for it since this morning, so I leave it to you.",
        "One more thing to look up today.",
    ),
    ("en", "heldout"): (
        "Hi.",
        "Good evening.",
        "Could you help me here?",
        "This should be the last one for tonight.",
        "My sister bet me that nobody would get it right.",
        "We tried a search box first, and it was of no use.",
        "Short replies are fine.",
        "Nothing below is secret.",
        "Sorry that it got so long.",
        "Much obliged.",
        "I would do it by hand, but the train leaves soon and my tea is getting cold.",
        "Let us see how this goes.",
    ),
    ("zh", "calibration"): (
        "你好。",
        "早上好。",
        "我想请教一个问题。",
        "这件事不着急。",
        "我自己看了两遍，还是没理清楚。",
        "同事看到一半就放弃了。",
        "过程不用写出来。",
        "不必客气，直接回答就好。",
        "内容有点枯燥，请多包涵。",
        "先谢谢了。",
        "从早上找到现在，眼睛都花了，只好来麻烦你。",
        "今天还剩这一项要查。",
    ),
    ("zh", "heldout"): (
        "您好。",
        "晚上好。",
        "能帮我一个忙吗？",
        "今晚就剩最后一题。",
        "妹妹跟我打赌说没人答得对。",
        "先前用搜索框试过，完全没用。",
        "简短回复即可。",
        "下面没有什么机密。",
        "写得太长，抱歉。",
        "有劳了。",
        "本来想亲手做，可火车快开了，茶也要凉了。",
        "看看这回怎么样。",
    ),
}
"""Neutral remarks by language and side; none says anything about a task."""
