"""Files that people take for recordings and that are none: what they are, and what to record."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Optional

from msgspec import Struct

from rocm_perf_lab.trace.files.packed import plain_name, read_head

HOW_TO_RECORD = "record with: rocprofv3 --kernel-trace -d out -- ./app"
_HOW_TO_DATABASE = (
    "record a database instead: rocprofv3 --runtime-trace --output-format rocpd -d out -- ./app"
)
_SNIFFED_BYTES = 16384
_TAR_AT = 257  # where the header of a tar archive says so


class Foreign(Struct, frozen=True):
    what: str
    next_step: str


_PERFETTO = Foreign(
    "a Perfetto trace, which is for looking at and leaves out what we need", _HOW_TO_DATABASE
)
_CHROME = Foreign("a trace in Chrome's format by another tool than PyTorch", HOW_TO_RECORD)
_ROCPROF_V1 = Foreign(
    "of rocprof version 1, which ROCm 7 no longer has", f"{HOW_TO_RECORD} (rocprofv3)"
)
_STATISTICS = Foreign(
    "a table of statistics: the single launches are not in it",
    f"name the kernel_trace.csv or results.db that rocprofv3 wrote beside it, or {HOW_TO_RECORD}",
)
_NSIGHT = Foreign("a recording of NVIDIA's Nsight, not of an AMD GPU", HOW_TO_RECORD)
_THREAD_TRACE = Foreign(
    "a raw thread trace, which librocprof-trace-decoder.so decodes while rocprofv3 records",
    "record and decode it where that library is (ROCm 7.13 has it): rocprofv3 --att "
    "--att-library-path DIR -- ./app, and name the folder ui_output_agent_* that it writes",
)
_ARCHIVE = Foreign("an archive of files", "unpack it first: tar -xf FILE, and name the folder")
_OTF2 = Foreign("an OTF2 archive", _HOW_TO_DATABASE)
PROGRAM = Foreign("a program, not a recording", "run it: rocm-perf profile -- PATH")
_WORKLOAD_PART = Foreign(
    "one file of a workload of rocprof-compute",
    "name the folder that holds it together with pmc_perf.csv",
)

_BY_SUFFIX = {
    ".pftrace": _PERFETTO,
    ".perfetto-trace": _PERFETTO,
    ".nsys-rep": _NSIGHT,
    ".ncu-rep": _NSIGHT,
    ".qdrep": _NSIGHT,
    ".att": _THREAD_TRACE,
    ".otf2": _OTF2,
}
# Columns that only these tables have.
_BY_COLUMNS = (
    ({"Name", "Calls", "TotalDurationNs"}, _STATISTICS),
    ({"Index", "KernelName", "gpu-id", "queue-id"}, _ROCPROF_V1),
    ({"KernelName", "BeginNs", "EndNs"}, _ROCPROF_V1),
    ({"Kernel_Name", "Count", "Sum(ns)"}, _STATISTICS),
    ({"gpu_arch", "hostname"}, _WORKLOAD_PART),
    ({"gpu_soc", "hostname"}, _WORKLOAD_PART),
    ({"HBMBw", "device"}, _WORKLOAD_PART),
)


def named(file: Path) -> Optional[Foreign]:
    """What the file is, None when we do not know it either."""
    known = next((f for end, f in _BY_SUFFIX.items() if plain_name(file.name).endswith(end)), None)
    if known is not None:
        return known
    try:
        head = read_head(file, _SNIFFED_BYTES)
    except OSError:
        return None
    if head.startswith(b"\x7fELF"):
        return PROGRAM
    if head[_TAR_AT : _TAR_AT + 5] == b"ustar" or head.startswith(b"PK\x03\x04"):
        return _ARCHIVE
    text = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if text.startswith((b"{", b"[")):
        return _json(head)
    if _is_protobuf_trace(head):
        return _PERFETTO
    return _table(head)


def _json(head: bytes) -> Optional[Foreign]:
    if b'"traceEvents"' not in head and b'"ph"' not in head:
        return None
    return _ROCPROF_V1 if b'"BeginNs"' in head else _CHROME


def _table(head: bytes) -> Optional[Foreign]:
    lines = head.decode("utf-8-sig", "replace").splitlines()
    try:
        columns = {name.strip() for name in next(csv.reader(lines), [])}
    except csv.Error:
        return None
    return next((foreign for telling, foreign in _BY_COLUMNS if telling <= columns), None)


def _is_protobuf_trace(head: bytes) -> bool:
    """A Perfetto trace is a chain of packets: field 1 with a length, again and again."""
    at = packets = 0
    while at + 1 < len(head) and head[at] == 0x0A and packets < 3:
        length = shift = 0
        at += 1
        while at < len(head) and shift < 35:
            length |= (head[at] & 0x7F) << shift
            shift += 7
            at += 1
            if head[at - 1] < 0x80:
                break
        at += length
        packets += 1
    return packets >= 3
