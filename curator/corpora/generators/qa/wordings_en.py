"""English wordings of questions over documents: the first half of each row for calibration, the rest held out."""

from __future__ import annotations

OPENINGS = (
    "A folder of short documents follows. One question stands at the end; answer it from the folder alone.",
    "I collected these documents from several sources. Read them, then help me with the question below.",
    "Please go through the numbered documents. What I want to know comes after the last of them.",
    "The documents below are extracts, in no particular order. Use them, and nothing else, for your answer.",
    "Here is the reading material for a small exercise. The exercise itself is printed underneath.",
    "You are given some extracts from a library. A reader's request follows them.",
    "What comes next are passages that a colleague copied together. Look up in them what I ask afterwards.",
    "These documents were found in one archive box. Base your reply on what they say.",
)
TARGETS = {"year": "the first year", "quoted": "the first words in quotation marks"}
TURNS = {
    "blank": (
        (
            "In one of the documents this sentence stands without a gap:\n{shown}\nWhat belongs in the gap?",
            "The sentence is in document {number}. In the gap belongs: {gold}.",
        ),
        (
            "Complete the sentence as the documents have it.\n{shown}",
            "According to document {number}, the missing part is {gold}.",
        ),
        (
            "I remember reading the following, but not what was in the place of the line:\n{shown}\nWhat was it?",
            "It was {gold}; you read it in document {number}.",
        ),
        (
            "Something is left out here:\n{shown}\nSupply it from the documents.",
            "Left out was {gold}, as document {number} shows.",
        ),
        (
            "A copyist could not read part of a sentence and drew a line for it:\n{shown}\nRestore that part.",
            "Restored from document {number}, the part reads {gold}.",
        ),
        (
            "Consider this incomplete statement:\n{shown}\nWith which words do the documents complete it?",
            "Document {number} completes it with {gold}.",
        ),
        (
            "Fill in the line by looking the sentence up:\n{shown}",
            "Looked up in document {number}, the line stands for {gold}.",
        ),
        (
            "One sentence of the material was turned into a riddle.\n{shown}\nWhat has been hidden?",
            "Hidden has been {gold}. The full sentence is part of document {number}.",
        ),
    ),
    "title": (
        (
            "Under which title does one find this sentence?\n{shown}",
            "One finds it in document {number}, under the title {gold}.",
        ),
        (
            "I want to cite the following. What is the document that says it called?\n{shown}",
            "It is document {number}, called {gold}.",
        ),
        (
            "{shown}\nThis is quoted from one of the documents. Give that document's title.",
            "The quotation is from document {number}, whose title is {gold}.",
        ),
        (
            "Name the title of the document in which the statement below is made.\n{shown}",
            "The statement is made in {gold}, which is document {number}.",
        ),
        (
            "A note has lost its source:\n{shown}\nTo which title should it be returned?",
            "It should be returned to {gold}, document {number} of the pile.",
        ),
        (
            "Where do the documents state this? Answer with the title.\n{shown}",
            "They state it under {gold}, in document {number}.",
        ),
        (
            "Someone underlined these words:\n{shown}\nWhich title stands above them?",
            "Above them, in document {number}, stands {gold}.",
        ),
        (
            "Tell me the title of the text that contains:\n{shown}",
            "That text is number {number} and has the title {gold}.",
        ),
    ),
    "definition": (
        (
            'What do the documents describe as "{shown}"?',
            "These words describe {gold}, in document {number}.",
        ),
        (
            'According to the documents, who or what is "{shown}"?',
            "That is said of {gold}, see document {number}.",
        ),
        (
            'One of the documents speaks of "{shown}". What is it speaking of?',
            "Document {number} is speaking of {gold}.",
        ),
        (
            'Of what do I read that it is "{shown}"?',
            "You read this of {gold}, in document {number}.",
        ),
        (
            'Find what is explained with the words "{shown}".',
            "In document {number} these words explain {gold}.",
        ),
        (
            'A crossword gives the clue "{shown}". What do the documents offer as its solution?',
            "The solution, from document {number}, is {gold}.",
        ),
        (
            'To what does the material apply the words "{shown}"?',
            "Document {number} applies them to {gold}.",
        ),
        (
            'Whose or what\'s characterisation is "{shown}"?',
            "It is how document {number} characterises {gold}.",
        ),
    ),
    "two-hop": (
        (
            'One document mentions "{shown}". Leaving its title aside, give {target} in that document.',
            '"{shown}" is mentioned in document {number}, and {target} there: {gold}.',
        ),
        (
            'Look for the document with the words "{shown}" and copy out {target} of its text.',
            "That is document {number}; copied out, {target}: {gold}.",
        ),
        (
            'Find out which text has "{shown}" in it. Then give me {target} of this text, title aside.',
            "Document {number} has these words. Its text contains, as {target}, {gold}.",
        ),
        (
            'Two steps, please: find where "{shown}" comes up, then quote {target} from below the title there.',
            "It comes up in document {number}. From below its title I quote {gold} as {target}.",
        ),
        (
            'Somewhere "{shown}" is spoken of. I need {target} from the body of the same document.',
            "Document {number} speaks of it, and the body has {gold} as {target}.",
        ),
        (
            'Take the only document that refers to "{shown}". Read its text from the start and report {target}.',
            "The only one is document {number}. From the start on, {target}: {gold}.",
        ),
        (
            'A page with "{shown}" on it is wanted, and of its text {target}.',
            "The page is document {number}; of its text, {target}: {gold}.",
        ),
        (
            'Which document brings up "{shown}"? Answer with {target} in what it says under its title.',
            "Document {number} does, and under its title says {gold}, which makes {target}.",
        ),
    ),
}
