"""The cases of this folder. Needs the standard library only, so that any optimizer can be tried.

A case is a program, one of its kernels, a candidate, and what a gate has to say about it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Case:
    id: str
    number: Optional[int]  # in the list of known ways to cheat
    title: str
    program: Path
    kernel: str
    span: tuple[int, int]  # bytes of the kernel's definition in the program
    candidate: Path
    form: str  # kernel: a new definition; reply: what a model answered; edits: of the program
    verdict: str  # accept, no_change or reject
    stage: Optional[str]  # the first that has to refuse it
    reason: Optional[str]
    obligation: Optional[str]  # what G3 asks of the proof
    note: Optional[str]

    @property
    def text(self) -> str:
        """Without translating line ends."""
        return self.candidate.read_bytes().decode("utf-8")

    @property
    def source(self) -> bytes:
        """The program with the candidate in it; replies are read by the gate instead."""
        data = self.program.read_bytes()
        if self.form == "edits":
            return _edited(data, self.text)
        assert self.form == "kernel", f"{self.id} is a {self.form}"
        start, end = self.span
        return data[:start] + self.candidate.read_bytes().strip(b"\n") + data[end:]

    @property
    def is_control(self) -> bool:
        return self.verdict != "reject"


def load_cases(folder: Path = FOLDER) -> tuple[Case, ...]:
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    return tuple(_case(folder, manifest["programs"], entry) for entry in manifest["cases"])


def _case(folder: Path, programs: dict[str, dict[str, list[int]]], entry: dict[str, str]) -> Case:
    start, end = programs[entry["program"]][entry["kernel"]]
    return Case(
        id=entry["id"],
        number=None if entry["number"] is None else int(entry["number"]),
        title=entry["title"],
        program=folder / entry["program"],
        kernel=entry["kernel"],
        span=(start, end),
        candidate=folder / entry["candidate"],
        form=entry["form"],
        verdict=entry["verdict"],
        stage=entry["stage"],
        reason=entry["reason"],
        obligation=entry.get("obligation"),
        note=entry.get("note"),
    )


def _edited(data: bytes, edits: str) -> bytes:
    """Blocks of ``<<<<``, old lines, ``====``, new lines, ``>>>>``."""
    text = data.decode("utf-8")
    for block in edits.split("<<<<\n")[1:]:
        old, new = block.split(">>>>\n")[0].split("====\n")
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in the program"
        text = text.replace(old, new)
    return text.encode("utf-8")
