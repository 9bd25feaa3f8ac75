"""What a recipe says of its gates. Unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from curator.corpora.languages import Language
from curator.corpora.licences import OneLicence
from curator.corpora.reading import Strict, Word
from curator.recipe.added_gates import added_gates, take_in

Fraction = Annotated[float, Field(gt=0, le=1)]


class LengthGate(Strict):
    """Refuse short pieces of text.

    ``min_chars``: the fewest characters that are taken.
    """

    min_chars: int = Field(default=200, ge=1)


class RandomTextGate(Strict):
    """Refuse random text: UUIDs, hexadecimal, base64, letters, words without order, and the like.

    ``max_share``: the largest share of a text's characters in random spans.
    ``max_stretch``: the longest random span that is taken, in characters.
    ``stretches``: what becomes of a text with a longer span: ``refuse`` it, or ``cut`` the span out and judge
    what is left.
    """

    max_share: Fraction = 0.2
    max_stretch: int = Field(default=400, ge=1)
    stretches: Literal["refuse", "cut"] = "refuse"


class DuplicatesGate(Strict):
    """Refuse text that was already taken, after NFC and with spaces inside lines folded."""


class LanguageGate(Strict):
    """Keep only some languages. Code, formulas and tables have none and are never refused.

    ``allow``: BCP 47 codes; ``und`` stands for text without evidence.
    ``detector``: ``langdetect``; ``langdetect-rs``, a much faster rewrite; or ``py3langid``, faster too, with more
    languages.
    """

    allow: list[Language] = Field(min_length=1)
    detector: Literal["langdetect", "langdetect-rs", "py3langid"] = "langdetect"


class LicenceGate(Strict):
    """Keep only documents whose licence (an SPDX expression) can be met; ``unknown`` stands for none told.

    ``allow``: the expression must be satisfied with these licences alone.
    ``forbid``: none of these may be needed.
    """

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["allow"]}, {"required": ["forbid"]}]})

    allow: Annotated[list[OneLicence], Field(min_length=1)] | None = None
    forbid: list[OneLicence] = Field(default_factory=list)

    @model_validator(mode="after")
    def _says_something(self) -> LicenceGate:
        if self.allow is None and not self.forbid:
            raise ValueError("give allow, forbid or both; leave licence out to take every licence")
        return self


class RepetitionGate(Strict):
    """Refuse text that says one thing again and again.

    ``max_lines``: the largest share of a text's characters in lines that were there before.
    ``max_ngrams``: the largest share of its word groups that were there before.
    ``max_compression``: the most times that its bytes shrink under zlib.
    """

    max_lines: Fraction = 0.25
    max_ngrams: Fraction = 0.4
    max_compression: float = Field(default=10.0, gt=1)


PersonalKind = Literal["email", "phone", "card", "ip", "key", "iban"]


class PersonalDataGate(Strict):
    """Personal data and secrets: masked, or the text refused. Names and addresses of people are not found.

    ``action``: ``mask`` writes a placeholder such as ``<EMAIL>`` in their place; ``refuse`` refuses the text.
    ``kinds``: what is looked for.
    """

    action: Literal["mask", "refuse"] = "mask"
    kinds: list[PersonalKind] = Field(default=["email", "phone", "card", "ip", "key", "iban"], min_length=1)


class NearDuplicatesGate(Strict):
    """Refuse text that is nearly one already taken.

    ``jaccard``: from this share of common word runs on, of all that the two texts have, they count as one.
    """

    jaccard: float = Field(default=0.8, ge=0.3, le=1)


class SemanticDuplicatesGate(Strict):
    """Refuse text that says the same as one already taken, by its sentence vectors.

    ``cosine``: from this cosine of the mean vectors on, they count as one.
    """

    cosine: float = Field(default=0.95, gt=0, le=1)


class LeakageGate(Strict):
    """Evaluation files that no text of the set may share word runs with. Held-out prompts are always looked for.

    ``against``: evaluation files, from the folder of the file that names them.
    ``exempt``: text files of phrases that are no evidence, such as a template's instructions.
    ``action``: ``refuse`` such text, or only ``report`` it.
    """

    against: list[Word] = Field(min_length=1)
    exempt: list[Word] = Field(default_factory=list)
    action: Literal["refuse", "report"] = "refuse"


class TaskGates(Strict):
    """Gates of one task, in place of the general ones; what is left out stays as it is for all.

    ``length``: see ``gates.length``.
    ``random_text``: see ``gates.random_text``.
    ``repetition``: see ``gates.repetition``.
    ``language``: see ``gates.language``.
    ``personal_data``: see ``gates.personal_data``.
    ``near_duplicates``: ``false`` leaves the task's texts alone.
    """

    length: LengthGate | Literal[False] | None = None
    random_text: RandomTextGate | Literal[False] | None = None
    repetition: RepetitionGate | Literal[False] | None = None
    language: LanguageGate | Literal[False] | None = None
    personal_data: PersonalDataGate | Literal[False] | None = None
    near_duplicates: Literal[False] | None = None


class Gates(Strict):
    """Cheap accept-or-refuse steps; ``false`` turns one off.

    ``length``: refuse short pieces of text.
    ``random_text``: refuse or cut random strings and words.
    ``repetition``: refuse text that repeats itself.
    ``duplicates``: refuse text that was already taken.
    ``near_duplicates``: refuse text that is nearly one already taken.
    ``semantic_duplicates``: refuse text that says the same as one already taken; off unless given.
    ``language``: keep some languages only; off unless given.
    ``licence``: keep some licences only; off unless given.
    ``personal_data``: mask or refuse mail addresses, phone numbers, keys and the like; off unless given.
    ``leakage``: refuse what is in an evaluation file; off unless given.
    ``by_task``: other settings for the texts of a task, such as ``{poem: {length: {min_chars: 40}}}``.
    """

    length: LengthGate | Literal[False] = LengthGate()
    random_text: RandomTextGate | Literal[False] = RandomTextGate()
    repetition: RepetitionGate | Literal[False] = RepetitionGate()
    duplicates: DuplicatesGate | Literal[False] = DuplicatesGate()
    near_duplicates: NearDuplicatesGate | Literal[False] = NearDuplicatesGate()
    semantic_duplicates: SemanticDuplicatesGate | Literal[False] = False
    language: LanguageGate | Literal[False] = False
    licence: LicenceGate | Literal[False] = False
    personal_data: PersonalDataGate | Literal[False] = False
    leakage: LeakageGate | Literal[False] = False
    by_task: dict[Word, TaskGates] = Field(default_factory=dict)

    def of(self, task: str) -> Gates:
        """The gates that the texts of a task meet."""
        own = self.by_task.get(task)
        if own is None:
            return self
        given = {name: getattr(own, name) for name in TaskGates.model_fields}
        return self.model_copy(update={name: value for name, value in given.items() if value is not None})

    @model_serializer(mode="wrap")
    def _without_unused(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out added gates that are off: a recipe's hash must not hang on what else is installed."""
        return {key: value for key, value in whole(self).items() if value is not False or key not in added_gates()}


take_in(Gates)
