"""A captured dispatch in words."""

from __future__ import annotations

from dataclasses import dataclass

from rocm_perf_lab.report.contents import Captured
from rocm_perf_lab.reporters import text_table as tt


@dataclass(frozen=True)
class CaptureView:
    anchor: str
    name: str
    is_virtual: bool
    facts: tuple[tuple[str, str], ...]


def capture_view(capture: Captured, anchor: str) -> CaptureView:
    dispatch = capture.dispatch
    facts = [
        ("folder", capture.folder),
        ("device", dispatch.agent_product or dispatch.agent_name),
        ("code for", dispatch.isa_name),
        ("dispatch", str(dispatch.dispatch_index)),
        ("grid", " x ".join(map(str, dispatch.grid))),
        ("workgroup", " x ".join(map(str, dispatch.block))),
        ("LDS of a workgroup", f"{tt.bytes_short(dispatch.group_segment_size)} bytes"),
        ("memory", f"{tt.bytes_short(capture.memory_bytes)} bytes"),
        ("stored", f"{tt.bytes_short(capture.stored_bytes)} bytes"),
        ("run it again", f"rocm-perf replay {capture.folder}"),
    ]
    facts += [("not held", f"{one.kind}: {one.detail}") for one in dispatch.unsupported]
    facts += [("warning", warning) for warning in capture.warnings]
    return CaptureView(anchor, dispatch.demangled_name, capture.is_virtual, tuple(facts))
