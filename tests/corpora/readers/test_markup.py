from curator.corpora.readers.markdown_prose import markdown_prose
from curator.corpora.readers.rest_markup import rest_to_markdown


def test_markdown_keeps_words_and_drops_the_web_page() -> None:
    text = """# Name
[![Build](https://img.shields.io/b.svg)](https://ci.example) ![logo](logo.png)
<p align="center"><img src="x.png"></p>
<!-- hidden -->
See [the guide](https://example.org/g_(1)) and [the
manual][ref] for `a[0][1]` &amp; <b>more</b>.

| a | b |
|---|---|
| 1 | 2 |

## License
MIT.
### More of it
Words.

## Empty

## Use
```python
x = "[kept](as it is)"
```

[ref]: https://example.org
"""
    assert markdown_prose(text) == (
        "# Name\n\nSee the guide and the\nmanual for `a[0][1]` & more.\n\n"
        '## Use\n\n```python\nx = "[kept](as it is)"\n```'
    )


def test_long_code_and_badge_code_go() -> None:
    long = "Before.\n\n```\n" + "x = 1\n" * 30 + "```\n\nAfter."
    assert markdown_prose(long) == "Before.\n\nAfter."
    assert markdown_prose("A.\n\n```md\nhttps://img.shields.io/x\n```") == "A."


def test_rest_becomes_markdown() -> None:
    text = """
Title
=====

.. image:: https://example.org/badge.svg
   :target: https://example.org

|Build| Use ``x`` with :func:`~a.b` or the `Guide
<https://example.org>`_, see docs_ [1]_.

.. |Build| image:: b.svg

Part
----

Like this::

    $ run

.. note:: Mind the gap.

   It is wide.

.. _target: https://example.org
"""
    assert markdown_prose(rest_to_markdown(text)) == (
        "# Title\n\nUse `x` with `a.b` or the Guide, see docs.\n\n## Part\n\n"
        "Like this:\n\n```\n$ run\n```\n\nMind the gap.\n\nIt is wide."
    )
