"""What must hold of what a step leaves: each look answers None, or says what does not hold.

They know programs whose sizes and results are known: vector_add adds 65536 numbers once, pipeline
launches three kernels four times each.
"""

from __future__ import annotations

import re
from typing import Optional

from rocm_perf_lab.selftest.seen import Document, Lacks, Look, NotHere, Seen

ELEMENTS = 65536  # of vector_add, unless an argument says otherwise
ARRAYS_BYTES = 3 * 4 * ELEMENTS
LAUNCHES = {"smooth": 4, "series": 4, "combine": 4}  # of pipeline
# How reasons name what a machine or a GPU does not have.
_ABSENT = re.compile("has no decoder|has no option|this GPU does not have|are not known")
SIZES = (4096, 16384, 65536, 262144, 1048576)  # that autotune may choose from


def can_profile(seen: Seen) -> Optional[str]:
    document = seen.document
    for finding in document.rows("findings"):
        if finding.at("status") == "fail":
            return f"{finding.at('name')}: {finding.at('detail')}"
    return None if document.at("can_profile") is True else "doctor says that profile cannot run"


def examples_are_there(seen: Seen) -> Optional[str]:
    missing = [
        name
        for name in ("README.md", "vector_add.hip", "pipeline.hip", "untuned/scalar_copy.hip")
        if not (seen.folder / "examples" / name).is_file()
    ]
    return f"not copied: {', '.join(missing)}" if missing else None


def program(name: str) -> Look:
    """A file of this name is there, and something is in it."""

    def look(seen: Seen) -> Optional[str]:
        path = seen.folder / name
        return None if path.is_file() and path.stat().st_size else f"{name} was not written"

    return look


def passes(seen: Seen) -> Optional[str]:
    last = (seen.stdout.strip().splitlines() or ["nothing"])[-1]
    return None if last.startswith("PASS") else f"it printed: {last}"


def launches(seen: Seen) -> Optional[str]:
    document = seen.document
    found = _launches(document)
    if found != LAUNCHES:
        return f"launches recorded: {_told(found)}; expected: {_told(LAUNCHES)}"
    runs = document.number("stability", "runs")
    if runs != 2:
        return f"{runs:g} runs recorded, 2 were made"
    timeless = [row.at("name") for row in document.rows("kernels") if row.number("total_ns") <= 0]
    return f"no time for {', '.join(timeless)}" if timeless else None


def same_profile(seen: Seen) -> Optional[str]:
    now, then = _times(seen.document), _times(seen.document_of("profile"))
    return None if now == then else f"read: {_told(now)}; recorded: {_told(then)}"


def additions(seen: Seen) -> Optional[str]:
    document = seen.document
    _present(document, "roofline")
    counted, moved = document.number("roofline", "flops"), document.number("roofline", "bytes")
    if counted != ELEMENTS:
        return f"{counted:g} operations counted, vector_add has {ELEMENTS}"
    return None if moved > 0 else "no bytes were counted"


def path(seen: Seen) -> Optional[str]:
    document = seen.document
    _present(document, "critical_path")
    length = document.number("critical_path", "critical_path_ns")
    span = document.number("critical_path", "span_ns")
    if not 0 < length <= span:
        return f"{length:g} ns of work on the path in {span:g} ns from first start to last end"
    if document.number("critical_path", "kernel_ns") <= 0:
        return "no kernel lies on the path"
    copies = document.number("critical_path", "copy_ns")
    return None if copies > 0 else "no copy lies on the path, and the program waits for two"


def thread_trace(seen: Seen) -> Optional[str]:
    document = seen.document
    _present(document, "att")
    stalled = document.number("att", "stall_fraction")
    mix = document.at("att", "instruction_mix")
    if not 0 <= stalled <= 1:
        return f"waves waited {stalled:g} of their time"
    if not isinstance(mix, dict) or not mix.get("vmem"):
        return "no access to memory among the traced instructions, and vector_add makes three"
    return None


def explained(seen: Seen) -> Optional[str]:
    document = seen.document
    limit = document.at("limit")
    if not isinstance(limit, str) or not limit:
        return "no limit is named"
    shares = ("kernels", "copies", "launching", "host", "other")
    total = sum(document.number("time", name) for name in shares)
    return None if abs(total - 1) < 0.01 else f"the shares of the time sum to {total:.3f}"


def reported(seen: Seen) -> Optional[str]:
    report = seen.file("report.json")
    first = Document(report.at("measured", 0, "profile"), "report.json: measured[0].profile")
    found = _launches(first)
    return None if found == LAUNCHES else f"launches in the report: {_told(found)}"


def kept(seen: Seen) -> Optional[str]:
    entries = seen.document.rows("entries")
    if len(entries) != 1:
        return f"{len(entries)} entries, one was added"
    runs = entries[0].number("runs")
    return None if runs == 2 else f"{runs:g} runs kept, the profile has 2"


def captured(seen: Seen) -> Optional[str]:
    document = seen.document
    memory, changed = document.number("memory_bytes"), document.number("changed_bytes")
    if memory < ARRAYS_BYTES:
        return f"{memory:g} bytes captured, the arrays have {ARRAYS_BYTES}"
    return None if changed > 0 else "the launch changed no memory, and vector_add stores its sums"


def replayed(seen: Seen) -> Optional[str]:
    document = seen.document
    found = document.at("verification", "verdict")
    if found != "equal":
        return f"{found}: {document.at('verification', 'reason')}"
    iterations = len(document.rows("timing", "raw_ns"))
    return None if iterations == 3 else f"{iterations} iterations timed, 3 were asked for"


def verdict(expected: str) -> Look:
    def look(seen: Seen) -> Optional[str]:
        document = seen.document
        found = document.at("verdict")
        if found == expected:
            return None
        reason = document.content.get("reason")
        return f"the verdict is {found}, not {expected}" + (f": {reason}" if reason else "")

    return look


def tuned(seen: Seen) -> Optional[str]:
    document = seen.document
    measured = document.number("evaluated_configs")
    if measured != 3:
        return f"{measured:g} configurations measured, the budget is 3"
    rows = document.rows("measurements")
    sizes = [row.number("parameters", "ELEMENTS") for row in rows]
    best = document.number("best_config", "parameters", "ELEMENTS")
    # Sizes beside each other may take the same time: the launch alone costs more.
    small = sorted(sizes)[:2]
    return None if best in small else f"{best:g} elements called best of {_listed(sizes)}"


def attempted(seen: Seen) -> Optional[str]:
    attempts = seen.document.rows("attempts")
    if not attempts:
        return f"nothing was tried: {seen.document.at('reason')}"
    mute = [one.at("proposal") for one in attempts if not one.at("reason")]
    return f"no reason for: {', '.join(mute)}" if mute else None


def prompted(seen: Seen) -> Optional[str]:
    document = seen.document
    name = document.at("kernel", "name")
    if name != "vector_add":
        return f"the kernel is {name}, not vector_add"
    return None if document.at("roofline", "bound") else "no limit is told"


def roofs(seen: Seen) -> Optional[str]:
    rate = seen.document.number("bandwidth", "lds")
    return None if rate > 0 else f"{rate:g} bytes a second"


def script(seen: Seen) -> Optional[str]:
    return None if "rocm-perf" in seen.stdout else "the script does not name rocm-perf"


def _present(document: Document, field: str) -> None:
    """Where the document itself says why a field is not there: raises ``NotHere`` for what this
    machine does not have, else ``Lacks``. A profiler that failed is no absence."""
    if document.at(field) is not None:
        return
    for entry in document.rows("unavailable"):
        if entry.at("field") == field:
            reason = str(entry.at("reason"))
            if _ABSENT.search(reason):
                raise NotHere(reason, entry.at("next"))
            raise Lacks(f"{document.path} has no {field}: {reason}")
    raise Lacks(f"{document.path} has no {field}, and does not say why")


def _rows(document: Document) -> list[Document]:
    return [row for row in document.rows("kernels") if not row.at("runtime_internal")]


def _short(row: Document) -> str:
    return str(row.at("name")).partition("(")[0]


def _launches(document: Document) -> dict[str, int]:
    return {_short(row): int(row.number("dispatches")) for row in _rows(document)}


def _times(document: Document) -> dict[str, int]:
    return {_short(row): int(row.number("total_ns")) for row in _rows(document)}


def _told(found: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(found.items())) or "none"


def _listed(values: list[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)
