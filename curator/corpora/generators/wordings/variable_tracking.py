"""How variables, questions about them and answers are worded. All wordings are ours, and like no benchmark's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from curator.corpora.generators.wordings.listing import listed, quoted
from curator.corpora.generators.wordings.remarks import SPACE


@dataclass(frozen=True, slots=True)
class Wording:
    """One way to put the task.

    Attributes:
        language: of the wording.
        opening: stands before the text.
        given: gives a name its number, with ``{name}`` and ``{value}``.
        copied: gives a name the number of another, with ``{name}`` and ``{other}``.
        question: stands after the text, with ``{value}``.
        answer: the assistant's turn, with ``{value}`` and ``{names}``.
        example: a worked example, with ``{statements}`` and ``{answer}``.
    """

    language: str
    opening: str
    given: str
    copied: str
    question: str
    answer: str
    example: str

    def chain(self, names: Sequence[str], value: str) -> list[str]:
        """The statements by which each name has ``value``: the first by itself, each other by the one before."""
        told = [quoted(self.language, name) for name in names]
        copies = [self.copied.format(name=name, other=other) for other, name in pairwise(told)]
        return [self.given.format(name=told[0], value=value), *copies]

    def reply(self, names: Sequence[str], value: str) -> str:
        """The answer that lists ``names``."""
        told = listed(self.language, [quoted(self.language, name) for name in names])
        return self.answer.format(value=value, names=told)

    def worked(self, names: Sequence[str], value: str) -> str:
        """The worked example of one chain."""
        statements = SPACE[self.language].join(self.chain(names, value))
        return self.example.format(statements=statements, answer=self.reply(names, value))


_ENGLISH = (
    Wording(
        "en",
        "A storekeeper numbers his boxes while he reads, and his notes stand between the lines of this text.",
        "The box {name} gets the number {value}.",
        "The box {name} gets the same number as the box {other}.",
        "Which boxes ended up with the number {value}? List every one, in the order in which they got it.",
        "The number {value} went to the boxes {names}.",
        "In a text that says: {statements} the answer would be: {answer}",
    ),
    Wording(
        "en",
        "Here and there in these pages a choir master assigns tunes to his singers.",
        "Singer {name} starts on tune {value}.",
        "Singer {name} takes over the tune of singer {other}.",
        "Name all singers of tune {value}, the one who started it first.",
        "Tune {value} is sung by {names}.",
        "To show what I mean: {statements} Here the right answer is: {answer}",
    ),
    Wording(
        "en",
        "The document below was used to note which gate each flight leaves from.",
        "Flight {name} leaves from gate {value}.",
        "Flight {name} was moved to wherever flight {other} leaves from.",
        "From gate {value}, which flights leave? Follow every move, and keep to their sequence.",
        "Gate {value} serves the flights {names}.",
        "Take this as a pattern. {statements} Reply: {answer}",
    ),
    Wording(
        "en",
        "Somebody distributed keys and scribbled about it all over this text.",
        "The tenant {name} was handed key {value}.",
        "The tenant {name} got a copy of the key of tenant {other}.",
        "Who holds key {value} or a copy of it? Begin with the original holder and go from copy to copy.",
        "Key {value} or a copy is held by {names}.",
        "A short sample: {statements} One answers it so: {answer}",
    ),
)
_ENGLISH_HELDOUT = (
    Wording(
        "en",
        "Mixed into the following is the log of a lighthouse that passes on signal codes.",
        "Station {name} sends code {value}.",
        "Station {name} repeats whatever station {other} sends.",
        "Give the stations that send code {value}, starting at its source.",
        "Code {value} is sent by the stations {names}.",
        "Suppose the log reads: {statements} You would then report: {answer}",
    ),
    Wording(
        "en",
        "While this was being written, a cook decided which shelf each jar belongs on.",
        "Jar {name} belongs on shelf {value}.",
        "Jar {name} belongs next to jar {other}, on its shelf.",
        "What jars stand on shelf {value}? Put them in the sequence of the decisions.",
        "On shelf {value} stand the jars {names}.",
        "With only three jars it looks like this. {statements} Answer: {answer}",
    ),
    Wording(
        "en",
        "Scattered over the text are a tailor's remarks on the fabric of every coat.",
        "Coat {name} is cut from fabric {value}.",
        "For coat {name} use the fabric of coat {other}.",
        "Find the coats made of fabric {value}; whichever was cut first leads.",
        "Fabric {value} is used for the coats {names}.",
        "As an illustration, {statements} leads to this: {answer}",
    ),
    Wording(
        "en",
        "You will notice lines of a game in which players inherit points from one another.",
        "Player {name} enters with {value} points.",
        "Player {name} inherits the points of player {other}.",
        "Tell me the players with {value} points, along the line of inheritance.",
        "With {value} points there are {names}.",
        "One round of it: {statements} Result: {answer}",
    ),
)
_CHINESE = (
    Wording(
        "zh",
        "仓库管理员边读边给箱子编号，他的记录夹在这篇文字中间。",
        "箱子{name}的编号是{value}。",
        "箱子{name}的编号和箱子{other}相同。",
        "哪些箱子的编号最后是{value}？请按得到编号的顺序全部列出。",
        "编号为{value}的箱子有{names}。",
        "如果文中写着：{statements}那么答案是：{answer}",
    ),
    Wording(
        "zh",
        "这些书页里，合唱指挥不时给歌手分派曲子。",
        "歌手{name}先唱第{value}首。",
        "歌手{name}接唱歌手{other}的曲子。",
        "唱第{value}首的歌手都有谁？起头的人写在最前。",
        "第{value}首由{names}演唱。",
        "举个例子说明：{statements}正确的答案就是：{answer}",
    ),
    Wording(
        "zh",
        "下面的材料被人用来记录各个航班从哪个登机口出发。",
        "航班{name}从{value}号登机口出发。",
        "航班{name}改到航班{other}出发的地方。",
        "从{value}号登机口出发的是哪些航班？每次改动都要跟上，保持先后。",
        "{value}号登机口有航班{names}。",
        "可照此办理。{statements}回复：{answer}",
    ),
    Wording(
        "zh",
        "有人分发钥匙，把经过零零散散地写进了文中。",
        "房客{name}领到{value}号钥匙。",
        "房客{name}配了一把房客{other}的钥匙。",
        "谁拿着{value}号钥匙或它的复制品？先写最初领到的人，再依次写下去。",
        "拿着{value}号钥匙的房客是{names}。",
        "一个小样：{statements}应该这样答：{answer}",
    ),
)
_CHINESE_HELDOUT = (
    Wording(
        "zh",
        "以下内容混入了灯塔传递信号的日志。",
        "站点{name}发出信号{value}。",
        "站点{name}转发站点{other}的信号。",
        "写出发过信号{value}的站点，由源头算起。",
        "信号{value}经过的站点：{names}。",
        "假定日志为：{statements}便可报告：{answer}",
    ),
    Wording(
        "zh",
        "写这些话时，厨师正在决定罐子归到哪层架子。",
        "罐子{name}归到第{value}层。",
        "罐子{name}挨着罐子{other}，同在一层。",
        "第{value}层上放了什么罐子？次序与决定时一致。",
        "第{value}层上放着{names}。",
        "只有三个罐子时是这样。{statements}答：{answer}",
    ),
    Wording(
        "zh",
        "裁缝关于大衣用料的批注散落在各处。",
        "大衣{name}选用{value}号布料。",
        "大衣{name}沿用大衣{other}的布料。",
        "找到用{value}号布料做的大衣，先裁的领头。",
        "{value}号布料做成了大衣{names}。",
        "作为示范，{statements}由此得出：{answer}",
    ),
    Wording(
        "zh",
        "您会看到一场游戏的片段，玩家彼此继承分数。",
        "玩家{name}带着{value}分入场。",
        "玩家{name}继承玩家{other}的分数。",
        "告知得{value}分的玩家，顺着继承的线索排列。",
        "得{value}分的玩家为{names}。",
        "其中一轮：{statements}结果：{answer}",
    ),
)
WORDINGS = {
    ("en", "calibration"): _ENGLISH,
    ("en", "heldout"): _ENGLISH_HELDOUT,
    ("zh", "calibration"): _CHINESE,
    ("zh", "heldout"): _CHINESE_HELDOUT,
}
"""By language and side."""
