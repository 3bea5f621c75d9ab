"""Grids of three dimensions, hidden arguments, ten thousand regions, memory of zeros."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from replay_support import Bench, needs_replay, sign

from rocm_perf_lab.codeobject.model import KernelInfo
from rocm_perf_lab.codeobject.reader import read_code_objects

pytestmark = needs_replay

MIB = 1 << 20


def regions_of(capture: Path) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((capture / "memory_regions.json").read_text())[
        "regions"
    ]
    return listed


def blocks_on_disk(folder: Path) -> int:
    return sum(path.stat().st_blocks * 512 for path in folder.rglob("*.bin"))


def kernel_of(capture: Path, name: str) -> KernelInfo:
    (code,) = read_code_objects(capture / "kernel.hsaco")
    return next(kernel for kernel in code.kernels if name in kernel.name)


def test_a_grid_of_three_dimensions(shapes: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    captured = shapes.isolate("grid_3d", "number_cells", capture)
    assert (captured["grid"], captured["block"]) == ([21, 15, 10], [7, 3, 5])
    code, document = shapes.replay("run", capture, "--iterations", 2)
    assert (code, document["verification"]["verdict"]) == (0, "equal")
    after = np.frombuffer(next((capture / "after").glob("*.bin")).read_bytes(), dtype=np.int32)
    z, y, x = np.meshgrid(np.arange(10), np.arange(15), np.arange(21), indexing="ij")
    expected = x * 10000 + y * 100 + z
    np.testing.assert_array_equal(after[: expected.size], expected.ravel())


def test_another_grid_gives_another_result(shapes: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    shapes.isolate("grid_3d", "number_cells", capture)
    dispatch = json.loads((capture / "dispatch.json").read_text())
    dispatch["grid"] = [21, 15, 5]  # half of its depth is missing
    (capture / "dispatch.json").write_text(json.dumps(dispatch))
    sign(capture)
    code, document = shapes.replay("run", capture)
    assert (code, document["verification"]["verdict"]) == (1, "different")


def test_hidden_arguments_are_those_of_the_capture(shapes: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    shapes.isolate("hidden_arguments", "write_shape", capture)
    kernarg = (capture / "kernarg.bin").read_bytes()
    (count,) = (
        argument
        for argument in kernel_of(capture, "write_shape").arguments
        if argument.value_kind == "hidden_block_count_x"
    )
    assert int.from_bytes(kernarg[count.offset : count.offset + 4], "little") == 11
    code, document = shapes.replay("run", capture)
    assert (code, document["verification"]["verdict"]) == (0, "equal")
    _change_argument(capture, count.offset, 12)
    code, document = shapes.replay("run", capture)
    assert (code, document["verification"]["verdict"]) == (1, "different")
    (difference,) = document["verification"]["differences"]
    assert (difference["expected"], difference["found"]) == (11, 12)


def _change_argument(capture: Path, offset: int, value: int) -> None:
    """In the memory that holds the arguments; the pages there before are those there after."""
    address = json.loads((capture / "dispatch.json").read_text())["kernarg_address"]
    (holder,) = (
        region
        for region in regions_of(capture)
        if region["base"] <= address < region["base"] + region["size"]
    )
    assert holder["contains_kernarg"]
    with (capture / f"memory/region_{holder['base']:x}.bin").open("r+b") as file:
        file.seek(address - holder["base"] + offset)
        file.write(value.to_bytes(4, "little"))
    sign(capture)


def test_variables_used_by_name(shapes: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    shapes.isolate("own_globals", "count_up", capture, dispatch=2)
    code, document = shapes.replay("run", capture, "--iterations", 3)
    assert (code, document["verification"]["verdict"]) == (0, "equal")
    assert document["kernel"]["code"] == "in_place"
    # Loaded again elsewhere, its variables start from the captured values, too.
    code, document = shapes.replay("run", capture, "--hsaco", capture / "kernel.hsaco")
    assert (code, document["verification"]["verdict"]) == (0, "equal")
    assert document["kernel"]["code"] == "loaded"


@pytest.mark.weekly
def test_more_than_ten_thousand_regions(shapes: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    captured = shapes.isolate("many_regions", "increment_all", capture)
    assert captured["regions"] > 10_500
    code, document = shapes.replay("run", capture)
    assert (code, document["verification"]["verdict"]) == (0, "equal")
    assert document["verification"]["regions"] == captured["regions"]


def test_pages_of_zeros_are_not_stored(shapes: Bench, tmp_path: Path) -> None:
    """256 MiB, of which 100,000 bytes are not zero; the kernel changes 16 pages."""
    capture = tmp_path / "capture"
    captured = shapes.isolate("mostly_zeros", "touch_some", capture)
    assert captured["memory_bytes"] >= 256 * MIB
    (large,) = (region for region in regions_of(capture) if region["size"] >= 256 * MIB)
    assert large["stored_bytes"] == 25 * 4096
    assert captured["changed_bytes"] == 16 * 4096
    assert blocks_on_disk(capture) < 4 * MIB
    code, document = shapes.replay("run", capture)
    assert (code, document["verification"]["verdict"]) == (0, "equal")
    assert document["verification"]["bytes"] == captured["memory_bytes"]


@pytest.mark.slow
@pytest.mark.skipif(
    os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 6 << 30,
    reason="less than 6 GiB of memory are free",
)
@pytest.mark.weekly
def test_a_region_beyond_4_gib(shapes: Bench, tmp_path: Path) -> None:
    capture = tmp_path / "capture"
    captured = shapes.isolate("beyond_4_gib", "touch_some", capture)
    assert captured["memory_bytes"] > 4 << 30
    assert captured["changed_bytes"] == 2 * 4096
    assert blocks_on_disk(capture) < MIB
    code, document = shapes.replay("run", capture)
    assert (code, document["verification"]["verdict"]) == (0, "equal")


@pytest.mark.parametrize(("limit", "expected"), [(1000, 1), (40 * 4096, 1), (MIB, 0)])
def test_a_limit_counts_what_is_stored(
    shapes: Bench, tmp_path: Path, limit: int, expected: int
) -> None:
    """25 pages before and 16 after: memory of zeros does not count, changes do."""
    words = ("--kernel", "touch_some", "--out", tmp_path / "capture", "--max-bytes", limit)
    code, _, err = shapes.rocm_perf(
        "isolate", "--rocm", shapes.rocm, *words, "--", shapes.program, "mostly_zeros"
    )
    assert code == expected
    assert (f"exceeds --max-bytes {limit}" in err) == (expected == 1)
    assert (tmp_path / "capture").exists() == (expected == 0)
