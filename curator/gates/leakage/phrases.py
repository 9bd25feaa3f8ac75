"""The listed boilerplate: words of instructions, terms of licences, sentences that are everywhere."""

from __future__ import annotations

import re
from typing import Final

# What is to be done, with what, and how, and the small words between; no word that a question could be about.
_INSTRUCTION_TEXT = """
choose select pick circle mark tick identify indicate give write provide output return respond reply answer read
use consider refer think show complete fill follow put place enter type state explain justify finish end begin
start base based contain contains look see check make sure keep include note remember determine decide do not
don you your are is be was were will can must should may please let us given have has been it its answers option
options choice choices letter letters number numbers question questions passage passages text texts response
responses blank blanks format instruction instructions assistant reasoning json word words sentence sentences
example examples statement statements explanation following below above next previous correct best right wrong
true false appropriate single final only exactly one two three four five first last step steps each every all
any none both either more than most least at of the an and or to from in into on by with without for as if then
that this these those which what who when there here after before about between own short brief briefly concise
detailed careful carefully clear clearly helpful line box boxed beginning task input context document documents
article story paragraph multiple solution problem problems information using provided according yes no
corresponding comes come listed list among out possible
"""
INSTRUCTION_WORDS: Final = frozenset(_INSTRUCTION_TEXT.split())

LICENCE_ANCHOR: Final = re.compile(
    r"(?i)\b(?:permissions?|licen[cs]e[sd]?|copyright|redistribut\w+|as is|rights reserved|public domain"
    r"|creative commons)\b"
)
LICENCE_TERMS: Final = tuple(
    re.compile(rf"(?i)\b(?:{pattern})")
    for pattern in (
        r"permissions?\b|permitted",
        r"grant(?:s|ed)?\b|allowed\b|you may\b|you are free\b|free to\b",
        r"licen[cs]e[sd]?\b|licensor|licensee|sublicen[cs]",
        r"copyright|all rights reserved",
        r"redistribut|(?:use|copy|copied|modify|adapt|share|publish|merge|distribute)[d,]*(?: and/or| and| or|,)",
        r"warrant(?:y|ies)|as is\b|merchantab|fitness for",
        r"liab(?:le|ility)|damages\b",
        r"free of charge|without fee|without restriction|without charge|royalty|any purpose|any medium",
        r"provided that|on condition|subject to|under the terms|the following conditions|so long as|as long as",
        r"this (?:line|notice|note|statement|permission)|notices?\b|attribution|credit(?:s|ed)?\b|disclaimer",
        r"cop(?:y|ies)\b|substantial portions|derivative works?",
        r"public domain|creative commons|general public",
        r"endorse|contributors?\b|authors?\b",
        r"express or implied|written permission|prior permission|applicable law",
        r"govern(?:s|ed|ing)?\b|limitations?\b",
    )
)

# Sentences that programs and people paste. No five of their words in a row are evidence.
PHRASES: Final = (
    "You are a helpful assistant. You are a helpful, harmless and honest assistant. You are an AI assistant.",
    "Below is an instruction that describes a task, paired with an input that provides further context."
    " Write a response that appropriately completes the request.",
    "The following are multiple choice questions (with answers) about",
    "Let's think step by step. Think step by step before you answer and put your final answer within \\boxed{}.",
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed"
    " and polite answers to the user's questions.",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore"
    " magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip ex ea"
    " commodo consequat. Duis aute irure dolor in reprehenderit in voluptate velit esse cillum dolore eu fugiat"
    " nulla pariatur. Excepteur sint occaecat cupidatat non proident, sunt in culpa qui officia deserunt mollit"
    " anim id est laborum.",
    "The quick brown fox jumps over the lazy dog. Sphinx of black quartz, judge my vow.",
    "January February March April May June July August September October November December",
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun Mon",
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday Monday",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    " seventeen eighteen nineteen twenty",
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon",
    "Mercury Venus Earth Mars Jupiter Saturn Uranus Neptune Pluto",
    "This file was generated automatically. Do not edit it by hand, changes will be overwritten.",
    "请阅读以下文章，然后回答问题。请从下列选项中选择正确的答案。请根据上面的内容回答下面的问题，只输出选项的字母。",
    "次の文章を読んで、質問に答えてください。次の選択肢の中から正しいものを一つ選んでください。",
    "다음 글을 읽고 물음에 답하시오. 다음 중 옳은 것을 하나 고르시오.",
    "จงอ่านข้อความต่อไปนี้แล้วตอบคำถาม จงเลือกคำตอบที่ถูกต้องที่สุดเพียงข้อเดียว",
)
