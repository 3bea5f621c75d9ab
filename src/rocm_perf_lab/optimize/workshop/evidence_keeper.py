"""What is kept of a search: its log, a bundle per attempt, and every accepted version."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.collect.doctor.environment import installed_version
from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.optimize.attempt import Attempt
from rocm_perf_lab.optimize.project.model import Project
from rocm_perf_lab.prove.evidence import Bundle, SearchLog
from rocm_perf_lab.prove.evidence.durable import make_folders, write_durable
from rocm_perf_lab.prove.evidence.manifest import digest

ACCEPTED = "accepted"


class EvidenceKeeper:
    """Writes the moment something is known; a sudden end leaves what was known until then."""

    def __init__(self, folder: Path, project: Project, prefix: Prefix, sealed: str) -> None:
        self.folder = folder
        self.log = SearchLog(folder)
        self.tried = 0
        self._project = project
        self._tools = {
            "rocm_perf_lab": __version__,
            "rocm": installed_version(prefix),
            "rocm_kind": prefix.kind,
        }
        self.log.append("began", sources=[str(path) for path in project.sources], sealed=sealed)

    def open(
        self,
        kernel: str,
        title: str,
        reason: str,
        base: Mapping[str, bytes],
        candidate: Mapping[str, bytes],
    ) -> Bundle:
        self.tried += 1
        name = f"candidate-{self.tried:04}"
        self.log.append("tried", bundle=name, kernel=kernel, proposal=title)
        bundle = Bundle(self.folder / name, self.log.identity)
        bundle.add_json("proposal.json", {"kernel": kernel, "proposal": title, "reason": reason})
        bundle.add_sources(self._texts(base), self._texts(candidate))
        bundle.add_command(self._project.argv, self._project.build or self._project.flags)
        bundle.add_json("tools.json", self._tools)
        return bundle

    def ended(self, attempt: Attempt, bundle: Optional[Bundle]) -> None:
        """A refusal, or a judgement: the line of a judged bundle holds its hash."""
        facts = {
            "kernel": attempt.kernel,
            "proposal": attempt.proposal,
            "stage": attempt.stage.value,
            "verdict": attempt.verdict,
            "reason": attempt.reason,
        }
        if bundle is None:
            self.log.append("refused", **facts)
            return
        closed = (bundle.folder / "decision.json").exists()
        if closed:
            facts["manifest_sha256"] = bundle.manifest_sha256()
        self.log.append("judged" if closed else "refused", bundle=bundle.folder.name, **facts)

    def keep(self, contents: Mapping[str, bytes]) -> Path:
        """The accepted files, on disk from now on; the newest folder is the best version."""
        number = sum(1 for _ in self.folder.glob(f"{ACCEPTED}-*")) + 1
        folder = self.folder / f"{ACCEPTED}-{number:02}"
        for path, data in contents.items():
            file = folder / self._project.below(path)
            make_folders(file.parent)
            write_durable(file, data)
        hashes = {self._project.below(path): digest(data) for path, data in contents.items()}
        self.log.append("kept", folder=folder.name, files=sorted(hashes), sha256=hashes)
        return folder

    def close(self) -> None:
        """The search is over, and nothing is added any more. A search that was interrupted is not
        closed: what it would have done is not known."""
        self.log.close()

    def accepted_file(self, folder: Path, path: str) -> Path:
        return folder / self._project.below(path)

    def _texts(self, contents: Mapping[str, bytes]) -> dict[str, str]:
        below = self._project.below
        return {below(path): data.decode("utf-8", "replace") for path, data in contents.items()}
