"""From bytes in any encoding to UTF-8 without a byte-order mark."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from curator._errors import InputError

# The marks of UTF-32 first: one of them begins with a mark of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 64
# A byte that UTF-8 never has stands for what could not be decoded, until a line is decoded.
_UNDECODABLE = b"\xff"
_HANDLER = "curate.undecodable"


@dataclass(slots=True)
class Encoding:
    """How the bytes of one file become text.

    Attributes:
        file: what errors call the file.
        name: Python's name of the encoding.
        errors: ``stop`` or ``replace``.
        cut: bytes of a byte-order mark that `utf8_blocks` removed: places in the file are counted with it.
    """

    file: str
    name: str = "utf-8"
    errors: Literal["stop", "replace"] = "stop"
    cut: int = field(default=0, init=False)

    def utf8_blocks(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        """The whole file as UTF-8; bytes that cannot be decoded are still for `text` to judge.

        A byte-order mark is believed and removed.

        Raises:
            InputError: the file is UTF-16 without a mark, or ``errors`` is ``stop`` and its encoding is not UTF-8.
        """
        rest = iter(blocks)
        head = b""
        while len(head) < _HEAD and (block := next(rest, b"")):
            head += block
        name, mark = self._told_by(head)
        if name == "utf-8":
            self.cut = mark
            yield head[mark:]
            yield from rest
            return
        yield from self._transcoded(head, rest, name)

    def is_utf8(self, head: bytes) -> bool:
        """Whether a file that begins with ``head`` is read as UTF-8."""
        return self._told_by(head[:_HEAD])[0] == "utf-8"

    def text(self, line: bytes, number: int, offset: int) -> tuple[str, str]:
        """Decode a line of `utf8_blocks`.

        Args:
            line: its bytes.
            number: its number, for errors.
            offset: where it begins in the file, in bytes; a mark is not counted.

        Returns:
            The text, and what was mended in words (empty when nothing was).

        Raises:
            InputError: ``errors`` is ``stop`` and a byte is not in the encoding; names line and byte.
        """
        try:
            return line.decode("utf-8"), ""
        except UnicodeDecodeError as error:
            if self.errors == "stop":
                raise self._refusal(number, "UTF-8", error.start, offset + self.cut + error.start) from error
        text = line.decode("utf-8", "replace")
        count = text.count("\ufffd") - line.count("\ufffd".encode())
        return text, f"{count} {'place' if count == 1 else 'places'} not in {self.name.upper()} became U+FFFD"

    def _told_by(self, head: bytes) -> tuple[str, int]:
        """The encoding's canonical name, and the length of a mark that is to be cut."""
        asked = codecs.lookup(self.name).name.removesuffix("-sig")
        for mark, name in _MARKS:
            if head.startswith(mark) and (name == "utf-8" or asked.startswith(("utf-8", "utf-16", "utf-32"))):
                return name, len(mark)
        zeros = [index % 2 for index, byte in enumerate(head[: len(head) // 2 * 2]) if byte == 0]
        if asked == "utf-8" and len(head) > 3 and len(zeros) >= len(head) // 2 and len(set(zeros)) == 1:
            name = "utf-16-le" if zeros[0] else "utf-16-be"
            raise InputError(f"{self.file}: looks like UTF-16 without a byte-order mark; set encoding: {name}")
        return asked, 0

    def _transcoded(self, head: bytes, rest: Iterator[bytes], name: str) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(name)("strict" if self.errors == "stop" else _HANDLER)
        line, fed = 1, 0
        block, last = head, False
        while not last:
            following = next(rest, b"")
            last = not following
            fed += len(block)
            try:
                text = decoder.decode(block, final=last)
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode(name.removesuffix("-sig"), "replace")
                start = fed - len(error.object) + error.start
                raise self._refusal(line + before.count("\n"), name.upper(), None, start) from error
            except UnicodeError as error:
                raise InputError(
                    f"{self.file}: not {name.upper()} ({error}); set encoding in the recipe"
                ) from error
            line += text.count("\n")
            yield text.encode("utf-8", _HANDLER)
            block = following

    def _refusal(self, number: int, name: str, column: int | None, offset: int) -> InputError:
        place = (
            f"byte {offset} of the file" if column is None else f"byte {column} of the line, {offset} of the file"
        )
        return InputError(
            f"{self.file}:{number}: not {name} ({place}); name the file's encoding, such as encoding: latin-1, "
            "or set encoding_errors: replace"
        )


def check_encoding(name: str) -> str:
    """``name``, when Python knows a text encoding of that name.

    Raises:
        ValueError: it does not.
    """
    try:
        codecs.lookup(name)
        codecs.getincrementaldecoder(name)
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise ValueError(
            f"{name!r} is no text encoding; use utf-8, latin-1, cp1252, utf-16 or the like"
        ) from error
    return name


def _undecodable(error: UnicodeError) -> tuple[str | bytes, int]:
    if isinstance(error, UnicodeEncodeError):
        return _UNDECODABLE, error.end
    if isinstance(error, UnicodeDecodeError):
        return "\udcff", error.end
    raise error


codecs.register_error(_HANDLER, _undecodable)
