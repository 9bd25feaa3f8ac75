"""The files that `curate profile` writes beside what it prints."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from curator._errors import InputError
from curator._files import write_json, write_text
from curator._outputs import refuse_foreign_file, refuse_unwritable
from curator.cli.pages import refuse_in_set, refuse_other_page, write_page

if TYPE_CHECKING:
    from curator.profile.derive_recipe import Derivation
    from curator.profile.schema import Profile


@dataclass(frozen=True, slots=True)
class ProfileFiles:
    """Names of files; ``None`` for those that nobody asked for.

    Attributes:
        out: the profile.
        html: the page.
        derive: the recipe.
    """

    out: Path | None
    html: Path | None
    derive: Path | None

    def written(self) -> dict[str, str]:
        """Those that there are, by their option's name."""
        named = {"out": self.out, "html": self.html, "derive": self.derive}
        return {name: str(path) for name, path in named.items() if path is not None}

    def refuse(self, read: Sequence[Path | None]) -> None:
        """Before any work: what is in the way.

        Args:
            read: files that are read.

        Raises:
            InputError: a file is read or named twice, holds something else, or is a recipe that exists,
                or cannot be made.
        """
        from curator.profile.profile_file import is_profile

        taken = {path.resolve() for path in read if path is not None}
        for path in (self.out, self.html, self.derive):
            if path is None:
                continue
            if path.resolve() in taken:
                raise InputError(
                    f"{path}: is read, or named for another result; give each result a file of its own"
                )
            taken.add(path.resolve())
            refuse_in_set(path, path)
        if self.html is not None:
            refuse_other_page(self.html, _frame())
        if self.out is not None:
            refuse_foreign_file(self.out, is_profile)
        if self.derive is not None:
            _refuse_recipe(self.derive)

    def write(self, found: Profile, derivation: Derivation | None) -> None:
        """Write what was asked for.

        Raises:
            DependencyError: the disk is full.
        """
        values = found.model_dump(mode="json")
        if self.html is not None:
            from curator.report.profile_html import profile_html

            write_page(self.html, profile_html(values))
        if self.out is not None:
            write_json(self.out, values)
        if self.derive is not None and derivation is not None:
            write_text(self.derive, derivation.text)


def _refuse_recipe(path: Path) -> None:
    if os.path.lexists(path):
        raise InputError(f"{path}: exists and is not replaced; name another file with --derive")
    refuse_unwritable(path)
    if path.suffix not in {".yaml", ".yml"}:
        raise InputError(f"{path}: a recipe's file ends in .yaml; name it {path.name}.yaml")


def _frame() -> str:
    """What every page of ours is set in, and begins with."""
    from curator.report._templates import environment

    return environment().get_template("_page.html.j2").render()
