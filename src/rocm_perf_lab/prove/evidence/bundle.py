"""Writing a bundle: one folder per judged change, file by file, the moment each thing is known.

sources/base/..., sources/candidate/...   and change.diff between them
code/...                                  code objects
command.json  device.json  tools.json     how, where and with what it ran
samples.json  application_samples.json    raw times
reports/...                               what oracle and guards said
decision.json                             the rule, the numbers, the answer
manifest.json                             every file with its SHA-256
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Optional

from rocm_perf_lab.errors import EvidenceError
from rocm_perf_lab.prove.evidence import decision as decisions
from rocm_perf_lab.prove.evidence.durable import make_folders, write_durable
from rocm_perf_lab.prove.evidence.manifest import (
    NAME,
    FileEntry,
    Manifest,
    State,
    digest,
    entry_of,
    is_inside,
    write_manifest,
)
from rocm_perf_lab.prove.evidence.stages import is_report, said_by
from rocm_perf_lab.prove.judge import DEFAULT_PLAN, JudgePlan, Samples
from rocm_perf_lab.prove.judge.samples_file import samples_text
from rocm_perf_lab.redaction import redacted_words
from rocm_perf_lab.strict_json import as_text

SAMPLES = "samples.json"
APPLICATION = "application_samples.json"
DIFF = "change.diff"


class Bundle:
    """Open until a decision closes it. Nothing that was written is ever changed. `search` is the
    identity of the log that it belongs to; None for a change that was judged alone."""

    def __init__(self, folder: Path, search: Optional[str] = None) -> None:
        make_folders(folder.parent)
        folder.mkdir(mode=0o700)  # a bundle is never written over another one
        self.folder = folder
        self.search = search
        self._stages: dict[str, str] = {}
        self._files: list[FileEntry] = []
        self._state: State = "open"
        self._write_manifest()

    def add(self, name: str, data: bytes) -> None:
        path = self._path(name)
        entry = entry_of(name, data)
        self._write_manifest(pending=entry)
        make_folders(path.parent)
        write_durable(path, data)
        self._files.append(entry)
        if is_report(name):
            self._stages[name] = said_by(name, data)
        self._write_manifest()

    def add_json(self, name: str, content: object) -> None:
        self.add(name, (json.dumps(content, indent=1, sort_keys=True) + "\n").encode())

    def add_sources(self, base: Mapping[str, str], candidate: Mapping[str, str]) -> None:
        """By path below the project; and the difference between the two."""
        for side, sources in (("base", base), ("candidate", candidate)):
            for name, text in sorted(sources.items()):
                self.add(f"sources/{side}/{name}", text.encode("utf-8"))
        self.add(DIFF, difference(base, candidate).encode("utf-8"))

    def add_command(self, argv: Sequence[str], flags: Sequence[str] = ()) -> None:
        """Words that look like secrets are not kept."""
        words = {"argv": list(redacted_words(argv)), "flags": list(redacted_words(flags))}
        self.add_json("command.json", words)

    def add_samples(self, samples: Samples, confirmation: Optional[Samples] = None) -> None:
        self.add(SAMPLES, samples_text(samples, confirmation).encode())

    def add_application_samples(self, samples: Samples) -> None:
        self.add(APPLICATION, samples_text(samples).encode())

    def close(
        self,
        samples: Samples,
        *,
        oracle: decisions.OracleSays,
        candidates: int,
        plan: JudgePlan = DEFAULT_PLAN,
        guards: Sequence[str] = (),
        confirmation: Optional[Samples] = None,
        application: Optional[Samples] = None,
        order_seed: Optional[int] = None,
    ) -> decisions.Decision:
        """Keeps the samples if they are not kept yet, decides from them, and ends the bundle."""
        if not self._has(SAMPLES):
            self.add_samples(samples, confirmation)
        if application is not None and not self._has(APPLICATION):
            self.add_application_samples(application)
        decision = decisions.decide(
            samples,
            plan=plan,
            candidates=candidates,
            oracle=oracle,
            guards=guards,
            confirmation=confirmation,
            application=application,
            order_seed=order_seed,
            rests_on=decisions.RestsOn(
                self.folder.name,
                self.search,
                {entry.path: entry.sha256 for entry in self._files},
                self._stages,
            ),
        )
        self.add(decisions.NAME, (as_text(decision, indent=1) + "\n").encode())
        self._state = "complete"
        self._write_manifest()
        return decision

    def manifest_sha256(self) -> str:
        """For the log of the search: what the bundle was when it was closed."""
        return digest((self.folder / NAME).read_bytes())

    def _has(self, name: str) -> bool:
        return any(entry.path == name for entry in self._files)

    def _path(self, name: str) -> Path:
        if not is_inside(name) or name == NAME:
            raise EvidenceError(f"{name!r} is not a name of a file of the evidence")
        if self._state != "open" or self._has(name):
            raise EvidenceError(f"{name} cannot be added: what was kept is never changed")
        return self.folder / name

    def _write_manifest(self, pending: Optional[FileEntry] = None) -> None:
        manifest = Manifest(
            schema_version="1.0",
            state=self._state,
            files=tuple(self._files),
            pending=pending,
            bundle=self.folder.name,
            search=self.search,
        )
        write_manifest(self.folder, manifest)


def difference(base: Mapping[str, str], candidate: Mapping[str, str]) -> str:
    """Unified, file by file in the order of their names; the same sources give the same text."""
    lines: list[str] = []
    for name in sorted({*base, *candidate}):
        old = base.get(name, "").splitlines(keepends=True)
        new = candidate.get(name, "").splitlines(keepends=True)
        lines += difflib.unified_diff(old, new, f"base/{name}", f"candidate/{name}")
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)
