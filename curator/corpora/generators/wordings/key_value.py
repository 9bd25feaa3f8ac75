"""How look-ups in a JSON object are asked for and answered. All wordings are ours, and like no benchmark's."""

from __future__ import annotations

from curator.corpora.generators.wordings.asking import Asking

_ENGLISH = (
    Asking(
        "en",
        "The settings of a machine were saved as one JSON object.",
        "What is saved under {keys}?",
        "Under {key} the machine saved {value}.",
    ),
    Asking(
        "en",
        "Here is a JSON object in which a museum maps each exhibit to its donor.",
        "Look up the donor of {keys}.",
        "The donor of {key} is {value}.",
    ),
    Asking(
        "en",
        "This JSON object assigns a nickname to every account of a chess club.",
        "Which nickname belongs to the account {keys}?",
        "The account {key} has the nickname {value}.",
    ),
    Asking(
        "en",
        "I exported my address book as JSON; the names are keys, the streets are values.",
        "Read me the street of {keys}.",
        "The street of {key} is {value}.",
    ),
)
_ENGLISH_HELDOUT = (
    Asking(
        "en",
        "A courier keeps his drop points in the JSON object that follows.",
        "To which drop point does {keys} go?",
        "The drop point of {key} is {value}.",
    ),
    Asking(
        "en",
        "Every film roll of the archive is listed in JSON together with its cabinet.",
        "In which cabinet is the film roll {keys}?",
        "The film roll {key} is in the cabinet {value}.",
    ),
    Asking(
        "en",
        "A translator's glossary, dumped as JSON, comes next.",
        "How does the glossary render {keys}?",
        "The glossary renders {key} as {value}.",
    ),
    Asking(
        "en",
        "Below, a JSON file ties each beehive to the flower nearest to it.",
        "Name what the file ties to the beehive {keys}.",
        "To the beehive {key} the file ties {value}.",
    ),
)
_CHINESE = (
    Asking(
        "zh",
        "一台机器的设置保存成了一个JSON对象。",
        "{keys}下面保存的是什么？",
        "机器在{key}下面保存了{value}。",
    ),
    Asking(
        "zh",
        "博物馆用这个JSON对象登记每件展品的捐赠者。",
        "请查出{keys}的捐赠者。",
        "{key}的捐赠者是{value}。",
    ),
    Asking(
        "zh",
        "棋社的每个账号都在下列JSON里有一个昵称。",
        "账号{keys}用的昵称叫什么？",
        "账号{key}的昵称叫{value}。",
    ),
    Asking(
        "zh",
        "我把通讯录导出为JSON，键是人名，值是街道。",
        "念一下{keys}所在的街道。",
        "{key}所在的街道是{value}。",
    ),
)
_CHINESE_HELDOUT = (
    Asking(
        "zh",
        "快递员把投放点都写进了后面的JSON。",
        "{keys}要送到哪个投放点？",
        "{key}的投放点为{value}。",
    ),
    Asking(
        "zh",
        "档案馆的胶片连同所在的柜子以JSON列出。",
        "胶片{keys}收在哪个柜子？",
        "胶片{key}收在{value}。",
    ),
    Asking(
        "zh",
        "这是一位译者的词汇表，格式为JSON。",
        "词汇表里{keys}怎么译？",
        "词汇表将{key}译作{value}。",
    ),
    Asking(
        "zh",
        "养蜂人在JSON文件中给每个蜂箱写上了离它最近的花。",
        "文件给蜂箱{keys}写的是什么？",
        "给蜂箱{key}写的是{value}。",
    ),
)
WORDINGS = {
    ("en", "calibration"): _ENGLISH,
    ("en", "heldout"): _ENGLISH_HELDOUT,
    ("zh", "calibration"): _CHINESE,
    ("zh", "heldout"): _CHINESE_HELDOUT,
}
"""By language and side."""
