"""The small words that no text of some length does without: they tell English, and check a detector's answer."""

from __future__ import annotations

from collections.abc import Sequence

# The commonest words of each language in Latin or Cyrillic letters that langdetect knows (Vietnamese aside, which
# its letters tell), and of Latin, which it does not know and takes for Catalan.
FUNCTION_WORDS = {
    code: frozenset(words.split())
    for code, words in {
        "af": "die het van en is in nie dat om te wat met vir hulle aan word ook was as deur",
        "bg": "и на за да се в от е с по като не са което които този това към или но",
        "ca": "la el els les i que del dels amb per una un és no al més van com aquest o",
        "cs": "a v je se na že s z do pro jsou nebo jako které který by to k o ve od které jeho",
        "cy": "yn y i a yr o ac ar mae i'r wedi yw oedd gan fel ei am eu sydd ond",
        "da": "og i at det er en af til på den som for med de ikke der et har fra var",
        "de": "der die und in den von zu das ist mit des dem nicht ein eine als auf für im sich auch",
        "en": "the of and to in is that for it as with on are be this by from or not was an a you",
        "es": "de la el en que y los se las del un una por con es para no su lo como al",
        "et": "ja on ei et see mis kui oma ka või oli ning mida selle kuid nad olid seda need tema",
        "fi": "ja on ei se että joka ovat tai oli kuin myös mutta sen ne hän jotka voi niin kun sekä",
        "fr": "de la le et les des en un une du que qui dans est pour par il au pas sur ce",
        "hr": "i je u na se da su za od koji kao s što to ili koja iz nije bi te sa",
        "hu": "a az és hogy nem is egy ez volt mint meg csak vagy de azt amely ezek el ami már",
        "id": "yang dan di dari untuk dengan ini itu dalam pada adalah tidak ke oleh sebagai atau akan kita juga",
        "it": "di e che la il in un a per è del una della non con i le da si dei sono",
        "la": "et in est non ut ad cum sed qui quae quod ex ab enim atque autem esse sunt eius nec aut si quam "
        "vel per sit amet lorem ipsum dolor elit magna nunc ante quis eget vitae at id eu ac nisi nulla",
        "lt": "ir yra kad tai su iš į kaip ne jo jie bei arba kurie buvo apie už jų o nuo",
        "lv": "un ir kas no ar uz par tas kā bet vai to ka pie tā lai nav bija gan šo kā",
        "mk": "и на во да се од за со е не што како по кои или ги тоа но има оваа",
        "nl": "de het een van en in is dat op te zijn met voor niet die aan er om ook als door",
        "no": "og i er på det en som for at av til med har de den et ikke var fra om",
        "pl": "i w z na się że do nie jest to jak od o są po co oraz przez dla a był",
        "pt": "de que e a o do da em um para uma os no se na por com as não mais dos",
        "ro": "și de în a la pe cu este o un că nu care din să mai ce sunt pentru prin fi",
        "ru": "и в на не что с как по из это для от к за его но или при которые может",
        "sk": "a v je sa na že s z do pre sú alebo ako ktoré ktorý by to k o vo od",
        "sl": "in je v na se da so za ki z kot pa s ali po ne bi to o pri tudi",
        "so": "iyo ka oo u ku waxaa ay in uu la ee waa aan ah kale badan waxay laga ugu soo",
        "sq": "të e në dhe që i një për me nga është më se ka janë si nuk do së u",
        "sv": "och i att det som en är av på för med den till inte de ett har om var från",
        "sw": "ya na wa kwa ni katika za la kuwa hii yake cha au kama hiyo pia watu wake vya huu",
        "tl": "ang ng sa na mga ay at si ito para ni o hindi kung may mula siya isang nito bilang",
        "tr": "ve bir bu için ile da de olarak olan daha gibi en ne çok kadar o ya her sonra var",
        "uk": "і в на що не з та як до у це для від за його є або які про може",
    }.items()
}
# Of 37 languages the one that needs the fewest of its words above, Lithuanian, has one among seven; one among
# twenty is in every one of 150 texts of 400 characters of each.
_WORDS_PER_FUNCTION_WORD = 20
_LATIN, _MIN_LATIN = "la", 2
_ENGLISH = "en"
_OF_OTHERS = frozenset[str]().union(*(words for code, words in FUNCTION_WORDS.items() if code != _ENGLISH))
_ENGLISH_ALONE, _OTHERS_ALONE = FUNCTION_WORDS[_ENGLISH] - _OF_OTHERS, _OF_OTHERS - FUNCTION_WORDS[_ENGLISH]
# Four of five English texts of 400 characters have so many that no other language has; of 2,100 others none does.
_MIN_ENGLISH, _WORDS_PER_ENGLISH, _MAX_OTHERS = 8, 8, 0.2


def is_english(words: Sequence[str]) -> bool:
    """Whether words, in small letters, are English beyond doubt: most such texts need no detector."""
    own = sum(map(_ENGLISH_ALONE.__contains__, words))
    if own < max(_MIN_ENGLISH, len(words) / _WORDS_PER_ENGLISH):
        return False
    return sum(map(_OTHERS_ALONE.__contains__, words)) <= _MAX_OTHERS * own


def agree_with_words(language: str, words: Sequence[str]) -> str:
    """A detector's answer where the text has words that its language cannot do without.

    English is not held to it: lists of terms and of names are mostly in English, and have no such words.

    Args:
        language: the answer.
        words: of the text, in small letters.

    Returns:
        The answer; ``la`` for Latin and for the Latin that printers fill pages with; ``und`` for words of no
        language that the detector knows.
    """
    own = FUNCTION_WORDS.get(language)
    if own is None:
        return language
    found = sum(map(own.__contains__, words))
    latin = sum(map(FUNCTION_WORDS[_LATIN].__contains__, words))
    if latin >= _MIN_LATIN and latin > found:
        return _LATIN
    return language if language == _ENGLISH or found >= len(words) // _WORDS_PER_FUNCTION_WORD else "und"
