"""Copies: the repository laid out anew, so that something in it can be falsified."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from skillkit.places import Project, find_project
from skillkit.proof.evidence import load_evidence
from skillkit.rendering.renderer import Renderer
from skillkit.writing import write

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Copy:
    """A copy of the repository.

    Args:
        root: Its folder.
    """

    root: Path

    @property
    def project(self) -> Project:
        """The project that lies in it."""
        return find_project(self.root)

    def linked(self, folder: Path) -> "Copy":
        """Return a copy of this copy, whose files are this one's until they are replaced."""
        shutil.copytree(self.root, folder, copy_function=os.link)
        return Copy(folder)

    def replace(self, file: str, old: str, new: str) -> None:
        """Replace words that stand in a file once; without any, write a file that was not there.

        Raises:
            LookupError: The words do not stand there, or more than once.
        """
        path = self.root / file
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        if (text.count(old) if old else 0 if path.exists() else 1) != 1:
            raise LookupError(f"{file}: these words must stand there once: {old}")
        path.unlink(missing_ok=True)  # what is linked stays as it is
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((text.replace(old, new) if old else new).encode("utf-8"))

    def render(self) -> None:
        """Render all texts."""
        for text in Renderer(self.project).render():
            write(self.project.outputs / text.path, text.text)


def original(folder: Path) -> Copy:
    """Return a copy of the files that git knows or would add, with texts rendered of them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        is_rendered = name.startswith("outputs/") and name.endswith(".md")
        if (ROOT / name).is_file() and not is_rendered:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    copy = Copy(folder)
    evidence = copy.project.evidence
    write(evidence, load_evidence(evidence).as_text())  # in today's form, so that what is edited in it counts
    copy.render()
    return copy
