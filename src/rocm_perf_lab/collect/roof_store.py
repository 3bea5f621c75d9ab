"""Where measured roofs stay between runs: one file per kind of device, version 1.0."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Final, Literal, Optional

from rocm_perf_lab import __version__
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.strict_json import NotStrict, Strict, as_text, plain, read_strict, says
from rocm_perf_lab.trace.files.beside import written_beside
from rocm_perf_lab.trace.measured_roofs import Fingerprint, MeasuredRoofs

SCHEMA_VERSION: Final = "1.0"


class DeviceModel(Strict):
    """Roofs are used for recordings of devices that are equal in all of this."""

    target: str
    product: Optional[str]
    cu_count: Optional[int]
    xcc_count: Optional[int]
    engine_clock_mhz: Optional[int]


class RoofsDocument(Strict):
    schema_version: Literal["1.0"]
    tool_version: str
    device: DeviceModel
    bandwidth: Annotated[dict[str, float], says("memory level: bytes/s")]
    rate: Annotated[dict[str, float], says("unit.precision: FLOP/s")]


def roofs_document(roofs: MeasuredRoofs) -> RoofsDocument:
    if roofs.made_on is None:
        raise ValueError("roofs of an unknown device cannot be stored")
    return RoofsDocument(
        schema_version=SCHEMA_VERSION,
        tool_version=__version__,
        device=DeviceModel(**asdict(roofs.made_on)),
        bandwidth=dict(roofs.bandwidth),
        rate={".".join(pipe): value for pipe, value in roofs.rate.items()},
    )


def store_folder() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
    return Path(base).expanduser() / "rocm-perf-lab" / "roofs"


def store(document: RoofsDocument) -> Path:
    """Replaces what was measured for this kind of device before."""
    key = json.dumps(plain(document.device), sort_keys=True)
    digest = hashlib.sha256(key.encode()).hexdigest()[:12]
    path = store_folder() / f"{document.device.target}-{digest}.json"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with written_beside(path) as beside:
            beside.write_text(as_text(document, indent=2) + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}", "set XDG_DATA_HOME to a writable directory"
        ) from error
    return path


def stored_roofs() -> list[MeasuredRoofs]:
    """All that was ever measured here; a damaged file is as good as none."""
    found = []
    for path in sorted(store_folder().glob("*.json")):
        try:
            document = read_strict(RoofsDocument, path.read_bytes())
        except (OSError, NotStrict):
            continue
        found.append(_measured(document, path))
    return found


def _measured(document: RoofsDocument, path: Path) -> MeasuredRoofs:
    pipes = {tuple(name.split(".", 1)): value for name, value in document.rate.items()}
    return MeasuredRoofs(
        device=0,
        bandwidth=document.bandwidth,
        rate={(pipe[0], pipe[1]): value for pipe, value in pipes.items() if len(pipe) == 2},
        source=str(path),
        made_on=Fingerprint(**plain(document.device)),
    )
