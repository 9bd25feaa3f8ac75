"""How needles, questions and answers are worded. All wordings are ours.

They are like nobody's benchmark on purpose: a set built from a benchmark's own templates would rightly be
thrown out by a leakage check against that benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from curator.corpora.generators.wordings.asking import Asking
from curator.corpora.generators.wordings.listing import numeral, quoted
from curator.corpora.generators.wordings.remarks import SPACE


@dataclass(frozen=True, slots=True)
class Wording(Asking):
    """One way to put the task; see `Asking` for the rest.

    Attributes:
        needle: the sentence hidden in the text, with ``{key}`` and ``{value}``.
        several: further stands after the question when a key has several values, with ``{number}``.
        plural: stands in place of the question for several keys, where that would not be grammatical.
    """

    needle: str
    several: str
    plural: str = ""

    def state(self, key: str, value: str) -> str:
        """The needle that says that ``key`` has ``value``."""
        return self.needle.format(key=quoted(self.language, key), value=self.told(value))

    def ask_for(self, keys: Sequence[str], values: int) -> str:
        """The question for keys that have ``values`` values each."""
        asking = replace(self, question=self.plural) if self.plural and len(keys) > 1 else self
        if values == 1:
            return asking.ask(keys)
        return asking.ask(keys) + SPACE[self.language] + self.several.format(number=numeral(self.language, values))


_ENGLISH = (
    Wording(
        "en",
        "The following pages contain a few locker notes. You will be asked about them at the end.",
        "According to the notes, what opens the locker booked under {keys}?",
        "The locker booked under {key} opens with {value}.",
        "The locker booked under {key} opens with {value}.",
        "There are {number} notes for each name; I need all of them.",
        "According to the notes, what opens the lockers booked under {keys}?",
    ),
    Wording(
        "en",
        "Please go through this document carefully. Some parcel references were left in it.",
        "How was the parcel for {keys} filed?",
        "It was filed as {value} for {key}.",
        "A parcel for {key} was filed as {value}.",
        "Each name has {number} references; give every one.",
        "How were the parcels for {keys} filed?",
    ),
    Wording(
        "en",
        "Below is a long text in which a clerk wrote down seat assignments now and then.",
        "Which seat did the clerk write down for guest {keys}?",
        "Guest {key} takes seat {value}.",
        "Clerk's remark: guest {key} takes seat {value}.",
        "Count on {number} seats a guest, and name them in the order of the remarks.",
        "Which seats did the clerk write down for the guests {keys}?",
    ),
    Wording(
        "en",
        "I pasted my reading notes here, and my call signs got mixed in with them.",
        "Find the call sign agreed with {keys}.",
        "With {key} the agreed call sign is {value}.",
        "The call sign agreed with {key} is {value}.",
        "There are {number} to a name, so list each one.",
        "Find the call signs agreed with {keys}.",
    ),
)
_ENGLISH_HELDOUT = (
    Wording(
        "en",
        "Somewhere in this material an archivist recorded shelf marks. Keep them in mind.",
        "Name the shelf mark of the folder {keys}.",
        "The folder {key} has the shelf mark {value}.",
        "Shelf mark of the folder {key}: {value}.",
        "Folders moved, so expect {number} marks a folder and report them all.",
        "Name the shelf marks of the folders {keys}.",
    ),
    Wording(
        "en",
        "Read everything up to the question, including the odd line about ferry bookings.",
        "Which booking is held by whoever travels as {keys}?",
        "Booking {value} is held by {key}.",
        "Whoever travels as {key} holds booking {value}.",
        "That should be {number} bookings a name, every one of which matters.",
        "Which bookings are held by those who travel as {keys}?",
    ),
    Wording(
        "en",
        "Here is a manual. A technician added the labels of spare parts while using it.",
        "What label did the technician add for spare part {keys}?",
        "Spare part {key} carries label {value}.",
        "Added by hand: spare part {key} carries label {value}.",
        "Replaced parts have {number} labels each; leave none out.",
        "What labels did the technician add for the spare parts {keys}?",
    ),
    Wording(
        "en",
        "This is an excerpt from a handbook with garden plot numbers scattered through it.",
        "With what is {keys} entered in the garden list?",
        "The garden list has {value} for {key}.",
        "In the garden list, {key} is entered with {value}.",
        "You will come across {number} entries a name, and I want the complete set.",
        "With what are {keys} entered in the garden list?",
    ),
)
_CHINESE = (
    Wording(
        "zh",
        "下面几页里夹着一些储物柜的便条，读完之后会问到。",
        "根据便条，以{keys}登记的储物柜用什么打开？",
        "以{key}登记的储物柜用{value}打开。",
        "以{key}登记的储物柜要用{value}打开。",
        "每个名字有{number}张便条，请全部写出。",
    ),
    Wording(
        "zh",
        "请仔细阅读这份材料，其中留有几处包裹的存放记录。",
        "寄给{keys}的包裹存放在哪里？",
        "寄给{key}的包裹在{value}。",
        "寄给{key}的包裹存放在{value}。",
        "每个人的包裹存放过{number}处，一处也不要漏。",
    ),
    Wording(
        "zh",
        "这是一篇长文，门房时不时在里面写下座位安排。",
        "门房给客人{keys}记下的座位是什么？",
        "客人{key}的座位是{value}。",
        "门房记：客人{key}坐{value}。",
        "每位客人记了{number}次，请按记录的先后列出。",
    ),
    Wording(
        "zh",
        "我把读书笔记贴在这里，约好的暗号也混进去了。",
        "请找出和{keys}约定的暗号。",
        "跟{key}约好的暗号是{value}。",
        "和{key}约定的暗号是{value}。",
        "跟每个人约定了{number}个，请逐一列出。",
    ),
)
_CHINESE_HELDOUT = (
    Wording(
        "zh",
        "档案员在这些文字中间随手写下了卷宗的架号，请留意。",
        "卷宗{keys}的架号叫什么？",
        "架号{value}属于卷宗{key}。",
        "卷宗{key}的架号为{value}。",
        "卷宗搬动过，所以各有{number}个架号，都要报上来。",
    ),
    Wording(
        "zh",
        "问题之前的内容都要看，偶尔出现的船票信息也包括在内。",
        "用{keys}这个名字乘船的人拿的是哪张票？",
        "{key}拿的船票是{value}。",
        "用{key}这个名字乘船的人持有船票{value}。",
        "每个名字应当找得到{number}张，张张都重要。",
    ),
    Wording(
        "zh",
        "这本说明书被维修师傅用过，他添上了备件的标签。",
        "师傅给备件{keys}补上了什么标签？",
        "备件{key}上贴的是{value}。",
        "手写补充：备件{key}贴着标签{value}。",
        "换过的备件各有{number}个标签，不可遗漏。",
    ),
    Wording(
        "zh",
        "以下摘自一册手册，菜园的地块散见于各处。",
        "菜园名册上{keys}对应的是什么？",
        "名册上与{key}对应的是{value}。",
        "菜园名册上{key}对应{value}。",
        "每个名字会碰到{number}条，我要完整的结果。",
    ),
)
WORDINGS = {
    ("en", "calibration"): _ENGLISH,
    ("en", "heldout"): _ENGLISH_HELDOUT,
    ("zh", "calibration"): _CHINESE,
    ("zh", "heldout"): _CHINESE_HELDOUT,
}
"""By language and side."""
