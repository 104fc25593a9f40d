"""Versions: what a text says of those under which its statements were run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from packaging.version import Version

from skillkit.catalogue.changes import Change, Stage
from skillkit.catalogue.libraries import imports, only_libraries
from skillkit.catalogue.requirements import unmet
from skillkit.proof.changes import new_form, stage_proofs
from skillkit.proof.evidence import CITED, Evidence, Run, listed
from skillkit.proof.proofs import Proof
from skillkit.proof.sides import reach

NOT_VERIFIED = "Not verified."


@dataclass(frozen=True)
class History:
    """What is proven of a change for the versions that a text is for.

    Args:
        change: The change, with the stages that these versions have.
        reached: For each stage `since` or `by`, or nothing where no run shows it, and the version.
        alike: What the other old forms are called that are shown to fail so too.
    """

    change: Change
    reached: tuple[tuple[str, str], ...]
    alike: tuple[str, ...] = ()

    @property
    def is_proven(self) -> bool:
        """Whether a run shows what the old form does now."""
        return bool(self.reached[0][0])

    def when(self, named: bool = False) -> str:
        """Return in words from which version on the old form fails.

        Args:
            named: Whether the library is named too.
        """
        word, version = self.reached[0]
        library = f"{self.change.library} " if named else ""
        return f"{word} {library}{version}" if word else f"from {library}{self.change.since} on, not run yet"

    def likewise(self) -> str:
        """Return a remark in parentheses after a space that names the other old forms that fail so, or nothing."""
        return f" (likewise {', '.join(f'`{name}`' for name in self.alike)})" if self.alike else ""

    def earlier(self) -> str:
        """Return in words what the old form did in older versions, where it was not right there either."""
        older = zip(self.change.stages[1:], self.reached[1:], strict=True)
        return "; ".join(f"{_did(stage)} {word} {version}" for stage, (word, version) in older if word)


def history(change: Change, evidence: Evidence, versions: Mapping[str, str]) -> History | None:
    """Return what is proven of a change, or None where the versions do not have it, or cannot have the new form.

    Args:
        change: A row of the table.
        evidence: The runs on record.
        versions: Of the libraries that a text is for; of others any will do.
    """
    version = versions.get(change.library)
    new = new_form(change)
    wanted = {library: asked for library, asked in new.requires.items() if library in versions}
    if unmet(wanted, versions):
        return None
    reached = [(shown.stage, reach(change.library, shown, evidence)) for shown in stage_proofs(change)]
    if not evidence.versions(new.id, new.hash, change.library):
        reached = [(stage, ("", "")) for stage, _ in reached]
    known = [(stage, found) for stage, found in reached if version is None or _has(version, stage, found)]
    if not known:
        return None
    newest = reach(change.library, next(stage_proofs(change)), evidence)
    alike = {name: reach(change.library, next(stage_proofs(other)), evidence) for name, other in change.alike.items()}
    same = tuple(name for name, found in alike.items() if found == newest == known[0][1])
    kept, found = tuple(stage for stage, _ in known), tuple(found for _, found in known)
    return History(replace(change, stages=kept), found, same)


def _has(version: str, stage: Stage, found: tuple[str, str]) -> bool:
    return Version(found[1] or stage.since) <= Version(version)


def _did(stage: Stage) -> str:
    if stage.kind == "warns":
        return "warned"
    return f"raised `{stage.stated.rpartition('.')[2]}`" if stage.kind == "raises" else f"gave `{stage.stated}`"


def verified(proofs: Sequence[Proof], runs: Sequence[Run], histories: Sequence[History] = ()) -> str:
    """Return in words under which versions all of these statements were run.

    A run counts where each of them held, or was skipped since it is marked with other versions than the run's. Where
    one of them held in no such run, nothing is said to be verified.

    Args:
        proofs: What is stated.
        runs: Those on record under versions that the text is for, oldest first.
        histories: Of the changes among the statements.
    """
    states = [[_state(run, proof) for proof in proofs] for run in runs]
    counted = [(run, found) for run, found in zip(runs, states, strict=True) if "" not in found]
    held = [any(found[index] == "holds" for _, found in counted) for index in range(len(proofs))]
    if not (counted and all(held)) or not all(one.is_proven for one in histories):
        return NOT_VERIFIED
    whole = [run for run, found in counted if "skipped" not in found]
    newest = (whole or [run for run, _ in counted])[-1]
    others = [run for run, _ in counted if run is not newest]
    libraries = _cited(proofs, newest)
    what = "All of this" if whole else "What is not marked with other versions"
    text = f"{what} was run with {_with(newest, libraries)}"
    if other := _others(others, libraries[0], newest):
        marked = any("skipped" in found for run, found in counted if run is not newest)
        text += f"; {other}{_except(proofs) if marked and whole else ''}"
    return f"{text}.{_sides(histories)}"


def _state(run: Run, proof: Proof) -> str:
    """Return `holds`, `skipped` where the proof's own requirement says so, or nothing for any other state."""
    state = run.state(proof.id, proof.hash)
    if state == "holds" or (state == "skipped" and unmet(proof.requires, run.versions)):
        return state
    return ""


def _cited(proofs: Sequence[Proof], run: Run) -> list[str]:
    """Return the libraries that these proofs import, or Python where they import none."""
    code = "\n".join(proof.code for proof in proofs if proof.kind in ("block", "change"))
    used = [name for name in only_libraries(run.versions) if imports(code, name)]
    return [name for name in CITED if name in used] or used or ["python"]


def _with(run: Run, libraries: Iterable[str]) -> str:
    return ", ".join(f"{name} {run.versions[name]}" for name in libraries if name in run.versions)


def _others(runs: Iterable[Run], library: str, newest: Run) -> str:
    """Return the other versions of the principal library in words, or of Python where these differ alone."""
    for name in (library, "python"):
        found = {run.versions[name] for run in runs if name in run.versions} - {newest.versions.get(name, "")}
        if found:
            return f"and with {name} {listed(sorted(found, key=Version))}"
    return ""


def _except(proofs: Iterable[Proof]) -> str:
    marks = [f"{library} {wanted}" for proof in proofs for library, wanted in proof.requires.items()]
    return f" but for what is marked with a later version (as `{marks[0]}`)" if marks else ""


def _sides(histories: Sequence[History]) -> str:
    words = {word for one in histories for word, _ in one.reached}
    text = ""
    if "since" in words:
        text += " Since a version: it fails under that one, and not under the one before; both were run."
    if "by" in words:
        text += " By a version: it fails under that one; no older one was run."
    return text


def needs(statement: Mapping[str, Any], name: str = "requires") -> str:
    """Return the versions that a statement needs as a remark in parentheses after a space, or an empty string."""
    wanted = ", ".join(f"`{library} {versions}`" for library, versions in statement[name].items())
    return f" ({wanted})" if wanted else ""
