from email.message import Message

import pytest

from curator.corpora.readers.licence_names import package_licence

REDISTRIBUTION = "Redistribution and use in source and binary forms, with or without modification, are permitted."


def metadata(expression: str = "", field: str = "", *classifiers: str) -> Message:
    message = Message()
    if expression:
        message["License-Expression"] = expression
    if field:
        message["License"] = field
    for name in classifiers:
        message["Classifier"] = f"License :: OSI Approved :: {name}"
    return message


@pytest.mark.parametrize(
    ("headers", "licence"),
    [
        (metadata("MIT OR Apache-2.0", "BSD"), "MIT OR Apache-2.0"),
        (metadata("", "Apache 2.0 License"), "Apache-2.0"),
        (metadata("", "Apache", "Apache Software License"), "Apache-2.0"),
        (metadata("", "BSD-3-Clause", "BSD License"), "BSD-3-Clause"),
        (metadata("", "MPL-2.0 AND MIT"), "MPL-2.0 AND MIT"),
        (metadata("", "", "MIT License"), "MIT"),
        (metadata("", "ISC License", "ISC License (ISCL)"), "ISC"),
        (metadata("", "MIT", "Apache Software License"), "unknown"),
        (metadata("", "see the web site"), "unknown"),
        (metadata(), "unknown"),
        (metadata("", "BSD"), "LicenseRef-BSD"),
        (
            metadata("", f"{REDISTRIBUTION} Names may not be used to endorse or promote.", "BSD License"),
            "BSD-3-Clause",
        ),
    ],
)
def test_known_declarations(headers: Message, licence: str) -> None:
    assert package_licence(headers) == licence


def test_a_bare_bsd_is_read_off_the_licence_file() -> None:
    assert package_licence(metadata("", "BSD"), lambda: REDISTRIBUTION) == "BSD-2-Clause"
    assert package_licence(metadata("", "BSD"), lambda: REDISTRIBUTION + " endorse or promote") == "BSD-3-Clause"
