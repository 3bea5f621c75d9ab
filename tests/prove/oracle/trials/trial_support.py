"""Captures without a device, for tests of what is tried."""

from __future__ import annotations

import struct
from types import SimpleNamespace
from typing import Optional

import numpy as np

from rocm_perf_lab.prove.oracle.numbers.element_type import F32, TYPES, Bytes
from rocm_perf_lab.prove.oracle.passed.arguments import Field
from rocm_perf_lab.prove.oracle.passed.buffers import buffers_of
from rocm_perf_lab.prove.oracle.trials.elsewhere import Elsewhere, elsewhere
from rocm_perf_lab.prove.oracle.trials.trials import TrialMaker
from rocm_perf_lab.replay.capture import Capture
from rocm_perf_lab.replay.capture_schema import RegionEntry

OUT, IN, ARGUMENTS = 0x7000_0000, 0x7010_0000, 0x7020_0000


def region(base: int, size: int) -> RegionEntry:
    return RegionEntry(
        base=base, size=size, kind="device", is_pool=True, is_vmem=False,
        contains_kernarg=False, handle=0, access=3,
    )  # fmt: skip


def argument(offset: int, size: int, kind: str) -> SimpleNamespace:
    return SimpleNamespace(offset=offset, size=size, value_kind=kind)


def capture_of(
    name: str = "k(float*, float const*, int, float)",
    values: bytes = struct.pack("<if", 1000, 2.5),
    visible: Optional[list[SimpleNamespace]] = None,
    block: tuple[int, int, int] = (256, 1, 1),
    most: int = 1024,
    group_axes: tuple[bool, bool, bool] = (True, False, False),
    item_axes: int = 1,
) -> Capture:
    pointers = struct.pack("<QQ", OUT, IN)
    own = visible or [
        argument(0, 8, "global_buffer"),
        argument(8, 8, "global_buffer"),
        argument(16, 4, "by_value"),
        argument(20, 4, "by_value"),
    ]
    hidden = [
        argument(24, 4, "hidden_block_count_x"),
        argument(28, 4, "hidden_block_count_y"),
        argument(36, 2, "hidden_group_size_x"),
        argument(42, 2, "hidden_remainder_x"),
    ]
    return SimpleNamespace(  # type: ignore[return-value]
        regions=(region(OUT, 4000), region(IN, 4000), region(ARGUMENTS, 4096)),
        kernel=SimpleNamespace(
            visible_arguments=tuple(own),
            arguments=(*own, *hidden),
            required_workgroup_size=None,
            max_workgroup_size=most,
            lds_bytes=0,
            descriptor=SimpleNamespace(
                workgroup_id_axes=group_axes, workitem_id_dimensions=item_axes
            ),
        ),
        dispatch=SimpleNamespace(
            demangled_name=name,
            kernarg_address=ARGUMENTS + 0x100,
            grid=(1024, 1, 1),
            block=block,
            group_segment_size=0,
        ),
        kernarg=pointers + values + bytes(64),
    )


def content(_buffer: object) -> Bytes:
    return F32.encode(np.random.default_rng(3).standard_normal(1000))


def moved(capture: Capture) -> Elsewhere:
    found = elsewhere(capture, buffers_of(capture, {}), content, 0)
    assert found is not None
    return found


def number(value: int, kind: Optional[str] = "i32") -> Field:
    element = None if kind is None else TYPES[kind]
    return Field("n", 0, 4, element, value & 0xFFFF_FFFF)


def maker(capture: Capture, work: int = 0) -> TrialMaker:
    buffers = buffers_of(capture, {})
    return TrialMaker(capture, buffers[1:], content, (), moved(capture), work=work)
