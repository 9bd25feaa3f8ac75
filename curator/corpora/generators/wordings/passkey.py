"""How a pass phrase is told and asked for. All wordings are ours, and like no benchmark's."""

from __future__ import annotations

from dataclasses import dataclass

from curator.corpora.generators.wordings.listing import quoted


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put the task.

    Attributes:
        language: of the wording.
        opening: stands before the text.
        needle: is hidden in the text and says the phrase twice, as ``{value}``.
        question: stands after the text.
        answer: the assistant's turn, with ``{value}``.
    """

    language: str
    opening: str
    needle: str
    question: str
    answer: str

    def state(self, value: str) -> str:
        """The needle."""
        return self.needle.format(value=quoted(self.language, value))

    def reply(self, value: str) -> str:
        """The answer."""
        return self.answer.format(value=quoted(self.language, value))


_ENGLISH = (
    Wording(
        "en",
        "A pass phrase is tucked away somewhere below. Nothing else in the text matters.",
        "The pass phrase reads {value}. Keep {value} in mind.",
        "How does the pass phrase read?",
        "The pass phrase reads {value}.",
    ),
    Wording(
        "en",
        "Look out for what opens the garden gate while you go through this text.",
        "Say {value} and the garden gate opens; only {value} will do.",
        "What has to be said at the garden gate?",
        "At the garden gate one has to say {value}.",
    ),
    Wording(
        "en",
        "My travel notes are long. At one point I put down the name of the wireless network.",
        "The wireless network here is called {value}, spelled {value}.",
        "Under which name did I put down the wireless network?",
        "You put it down as {value}.",
    ),
    Wording(
        "en",
        "One sentence in the following material was added later and gives the label of a safe.",
        "Added later: the safe bears the label {value}, so look for {value}.",
        "Which label does the safe bear, by the sentence added later?",
        "By that sentence the safe bears the label {value}.",
    ),
)
_ENGLISH_HELDOUT = (
    Wording(
        "en",
        "These are many words about very little, except that a meeting point is given once.",
        "Let us meet at {value}. Once more: {value}.",
        "Where is the meeting point?",
        "The meeting point is {value}.",
    ),
    Wording(
        "en",
        "A radio operator interrupted this reading to announce his call sign.",
        "Attention, this is {value}, I repeat, {value}.",
        "What call sign was announced?",
        "The operator announced {value}.",
    ),
    Wording(
        "en",
        "In the middle of all this an engineer wrote down how to unlock the test bench.",
        "To unlock the test bench enter {value}; again, {value}.",
        "What must I enter to unlock the test bench?",
        "Enter {value} to unlock it.",
    ),
    Wording(
        "en",
        "Hidden in the pages is the secret ingredient of a soup.",
        "The secret ingredient is {value}, yes, {value}.",
        "Reveal the secret ingredient.",
        "The soup's secret ingredient is {value}.",
    ),
)
_CHINESE = (
    Wording(
        "zh",
        "下文某处藏着一句口令，其余内容无关紧要。",
        "口令是{value}，请记住{value}。",
        "口令是什么？",
        "口令是{value}。",
    ),
    Wording(
        "zh",
        "通读全文时请留心，怎样才能打开花园的门。",
        "说出{value}花园的门就会开，只有{value}管用。",
        "在花园门前要说什么？",
        "在花园门前要说{value}。",
    ),
    Wording(
        "zh",
        "我的旅行笔记很长，有一处写着无线网络的名称。",
        "这里的无线网络叫{value}，就写作{value}。",
        "我记下的无线网络名称是哪个？",
        "您记下的名称是{value}。",
    ),
    Wording(
        "zh",
        "后面的材料里有一句是事后补上的，说明了保险箱的标签。",
        "补记：保险箱贴着{value}，找{value}就对了。",
        "照补上的那句话，保险箱贴着什么标签？",
        "照那句话，保险箱贴着{value}。",
    ),
)
_CHINESE_HELDOUT = (
    Wording(
        "zh",
        "话很多，要紧的却只有提到过一次的碰头地点。",
        "我们在{value}碰头。再说一遍：{value}。",
        "碰头地点在哪儿？",
        "碰头地点在{value}。",
    ),
    Wording(
        "zh",
        "报务员打断了朗读，报出自己的呼号。",
        "注意，这里是{value}，重复，{value}。",
        "报出的呼号为何？",
        "报务员报出的是{value}。",
    ),
    Wording(
        "zh",
        "工程师在这一大段当中写下了如何解锁测试台。",
        "解锁测试台请输入{value}；再写一次，{value}。",
        "解锁测试台该输入什么？",
        "输入{value}即可解锁。",
    ),
    Wording(
        "zh",
        "纸页间暗藏一道汤的秘方。",
        "秘方就是{value}，没错，{value}。",
        "请揭晓秘方。",
        "这道汤的秘方就是{value}。",
    ),
)
WORDINGS = {
    ("en", "calibration"): _ENGLISH,
    ("en", "heldout"): _ENGLISH_HELDOUT,
    ("zh", "calibration"): _CHINESE,
    ("zh", "heldout"): _CHINESE_HELDOUT,
}
"""By language and side."""
