"""Chinese wordings of questions over documents: the first half of each row for calibration, the rest held out."""

from __future__ import annotations

OPENINGS = (
    "下面是一组短文档。请只根据这些文档回答最后的问题。",
    "我从不同地方收集了这些文档，请先阅读，再回答文末的问题。",
    "请依次阅读以下编号的文档，我想知道的事情写在最后。",
    "以下摘录没有特定顺序，作答时请不要使用摘录以外的知识。",
    "这里是一份小练习的阅读材料，题目印在材料之后。",
    "图书馆提供了下列摘录，后面附有一位读者的请求。",
    "接下来的段落由同事抄录在一起，请从中查出我随后要问的内容。",
    "这些文档出自同一个档案盒，请依据其中的说法作答。",
)
TARGETS = {"year": "最先出现的年份", "quoted": "第一个加引号的词语"}
TURNS = {
    "blank": (
        (
            "有一篇文档包含下面这句话，但没有空缺：\n{shown}\n空缺处应填什么？",
            "这句话在文档 {number} 中，空缺处应填{gold}。",
        ),
        ("请按照文档把句子补充完整。\n{shown}", "根据文档 {number}，缺少的部分是{gold}。"),
        ("我记得读过这句话，却忘了横线处是什么：\n{shown}\n请告诉我。", "横线处是{gold}，出自文档 {number}。"),
        ("这里省略了一些内容：\n{shown}\n请从文档中找回来。", "省略的是{gold}，见文档 {number}。"),
        (
            "抄写员有几个字看不清，于是画了横线：\n{shown}\n请复原这几个字。",
            "依照文档 {number} 复原，这几个字是{gold}。",
        ),
        ("请看这个不完整的陈述：\n{shown}\n文档用什么把它说完整？", "文档 {number} 用{gold}把它说完整。"),
        ("查到原句，填写横线：\n{shown}", "在文档 {number} 中查到，横线代表{gold}。"),
        ("材料中的一句话被改成了谜语。\n{shown}\n被藏起来的是什么？", "被藏起来的是{gold}，全句见文档 {number}。"),
    ),
    "title": (
        ("下面这句话出现在哪个标题之下？\n{shown}", "它出现在文档 {number}，标题是{gold}。"),
        ("我想引用这句话，请问说这句话的文档叫什么？\n{shown}", "那是文档 {number}，名为{gold}。"),
        ("{shown}\n以上引自其中一篇文档，请给出那篇文档的标题。", "引文出自文档 {number}，标题为{gold}。"),
        ("请写出包含以下陈述的文档标题。\n{shown}", "包含这一陈述的是{gold}，即文档 {number}。"),
        ("一张便条丢失了出处：\n{shown}\n应当归还到哪个标题之下？", "应当归还到{gold}之下，也就是文档 {number}。"),
        ("文档在哪里这样说？请用标题作答。\n{shown}", "是在{gold}这一标题下说的，见文档 {number}。"),
        ("有人在这句话下画了线：\n{shown}\n它上方的标题是什么？", "它在文档 {number} 中，上方的标题是{gold}。"),
        ("请告诉我含有下面这句话的文章标题：\n{shown}", "这篇文章是文档 {number}，标题是{gold}。"),
    ),
    "definition": (
        ("文档把什么说成是“{shown}”？", "文档 {number} 这样说的是{gold}。"),
        ("根据这些文档，什么是“{shown}”？", "这说的是{gold}，见文档 {number}。"),
        ("有一篇文档谈到“{shown}”，它指的是什么？", "文档 {number} 指的是{gold}。"),
        ("关于哪个概念，我会读到它是“{shown}”？", "会读到这一点的概念是{gold}，在文档 {number} 中。"),
        ("请找出用“{shown}”来解释的东西。", "文档 {number} 这样解释的是{gold}。"),
        ("填字游戏的提示是“{shown}”，文档给出的谜底是什么？", "谜底是{gold}，来自文档 {number}。"),
        ("材料把“{shown}”用在什么上面？", "文档 {number} 把它用在{gold}上。"),
        ("“{shown}”描写的是什么？", "这是文档 {number} 对{gold}的描写。"),
    ),
    "two-hop": (
        (
            "有一篇文档提到了“{shown}”。不算标题，请给出那篇文档中{target}。",
            "提到它的是文档 {number}，其中{target}是{gold}。",
        ),
        ("请找到含有“{shown}”的文档，抄下它正文中{target}。", "那是文档 {number}，正文中{target}是{gold}。"),
        (
            "先查明哪篇文章里有“{shown}”，再说出这篇文章正文（不含标题）里{target}。",
            "文档 {number} 里有，它{target}是{gold}。",
        ),
        (
            "分两步：找到“{shown}”出现的地方，再引出那里标题之下{target}。",
            "它出现在文档 {number}，标题之下{target}是{gold}。",
        ),
        (
            "某处谈到了“{shown}”，我需要同一文档正文里{target}。",
            "谈到它的是文档 {number}，正文里{target}是{gold}。",
        ),
        (
            "取唯一涉及“{shown}”的文档，从正文开头读起，报告{target}。",
            "唯一的一篇是文档 {number}，{target}是{gold}。",
        ),
        (
            "现在要找一页写有“{shown}”的文字，以及其正文中{target}。",
            "这一页是文档 {number}，其正文内{target}为{gold}。",
        ),
        (
            "哪篇文档提出了“{shown}”？请用它标题下文字中{target}作答。",
            "是文档 {number}，标题下文字中{target}是{gold}。",
        ),
    ),
}
