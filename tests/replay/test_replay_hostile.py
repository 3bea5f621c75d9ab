"""Damaged and invented captures: each has a message of its own, and no native code sees them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Callable

import pytest
from replay_support import Bench, needs_replay, rewrite, sign

pytestmark = needs_replay


def regions_of(capture: Path) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = json.loads((capture / "memory_regions.json").read_text())[
        "regions"
    ]
    return listed


def blob(capture: Path) -> Path:
    return capture / f"memory/region_{regions_of(capture)[0]['base']:x}.bin"


def truncate(capture: Path) -> None:
    with blob(capture).open("r+b") as file:
        file.truncate(1000)


def flip(capture: Path) -> None:
    content = bytearray(blob(capture).read_bytes())
    content[12345] ^= 4
    blob(capture).write_bytes(content)


def drop_blob(capture: Path) -> None:
    blob(capture).unlink()


def drop_region(capture: Path) -> None:
    rewrite(capture, "memory_regions.json", regions=regions_of(capture)[1:])


def overlap(capture: Path) -> None:
    regions = regions_of(capture)
    first = regions[0]
    inside = {**first, "base": int(str(first["base"])) + 8192}
    shutil.copy(blob(capture), capture / f"memory/region_{inside['base']:x}.bin")
    rewrite(capture, "memory_regions.json", regions=[*regions, inside])
    sign(capture)


def foreign(capture: Path) -> None:
    isa = "amdgcn-amd-amdhsa--gfx1100"
    rewrite(capture, "dispatch.json", isa_name=isa)
    sign(capture)


def add_file(capture: Path) -> None:
    (capture / "memory" / "more.bin").write_bytes(b"x")


def cut_json(capture: Path) -> None:
    text = (capture / "dispatch.json").read_text()
    (capture / "dispatch.json").write_text(text[: len(text) // 2])
    sign(capture)


def negative_size(capture: Path) -> None:
    regions = regions_of(capture)
    rewrite(capture, "memory_regions.json", regions=[{**regions[0], "size": -4}, *regions[1:]])
    sign(capture)


def surprise(capture: Path) -> None:
    rewrite(capture, "dispatch.json", surprise=1)
    sign(capture)


def other_kernel(capture: Path) -> None:
    rewrite(capture, "dispatch.json", mangled_name="_Z7missingv.kd")
    sign(capture)


def little_lds(capture: Path) -> None:
    rewrite(capture, "dispatch.json", block=[70000, 1, 1])
    sign(capture)


def short_kernarg(capture: Path) -> None:
    (capture / "kernarg.bin").write_bytes(b"\0" * 8)
    sign(capture)


def no_code_object(capture: Path) -> None:
    (capture / "kernel.hsaco").write_bytes(b"\x7fELF" + b"\0" * 100)
    sign(capture)


def wrong_run(capture: Path) -> None:
    changes = json.loads((capture / "after" / "regions.json").read_text())
    changes["regions"][0]["runs"] = [[0, 1], [0, 9]]
    (capture / "after" / "regions.json").write_text(json.dumps(changes))
    sign(capture)


def moved_kernel(capture: Path) -> None:
    dispatch = json.loads((capture / "dispatch.json").read_text())
    rewrite(capture, "dispatch.json", kernel_object=dispatch["kernel_object"] + 64)
    sign(capture)


def late_arguments(capture: Path) -> None:
    region = next(r for r in regions_of(capture) if r["contains_kernarg"])
    end = int(str(region["base"])) + int(str(region["size"]))
    rewrite(capture, "dispatch.json", kernarg_address=end - 16)
    sign(capture)


def drop_manifest(capture: Path) -> None:
    (capture / "manifest.json").unlink()


def drop_manifest_and_after(capture: Path) -> None:
    """What is left has fields that only a capture with a manifest has."""
    drop_manifest(capture)
    shutil.rmtree(capture / "after")


def share_a_page(capture: Path) -> None:
    """The rest of a page of device memory, said to be host memory."""
    regions = regions_of(capture)
    first = regions[0]
    end = int(str(first["base"])) + int(str(first["size"]))
    assert end % 4096
    (capture / f"memory/region_{end:x}.bin").write_bytes(bytes(64))
    neighbour = {**first, "base": end, "size": 64, "kind": "host"}
    rewrite(capture, "memory_regions.json", regions=[*regions, neighbour])
    sign(capture)


@pytest.mark.parametrize(
    ("damage", "code", "message"),
    [
        (drop_manifest, 12, "manifest.json is missing"),
        (drop_manifest_and_after, 12, "manifest.json is missing"),
        (share_a_page, 5, "share a page, but one is host and the other device memory"),
        (moved_kernel, 5, "is not where kernel.hsaco has _Z6updatePfif.kd"),
        (late_arguments, 5, "reach beyond their region"),
        (truncate, 10, "has 1000 bytes instead of 40000"),
        (flip, 11, "was changed: its hash is not the manifest's"),
        (drop_blob, 12, "is missing"),
        (drop_region, 10, "memory_regions.json has"),
        (overlap, 13, "overlap"),
        (foreign, 14, "is for gfx942"),
        (add_file, 5, "does not belong to the capture"),
        (cut_json, 5, "dispatch.json: "),
        (negative_size, 5, "regions[0].size"),
        (surprise, 5, "unknown field `surprise`"),
        (other_kernel, 5, "has no kernel _Z7missingv.kd"),
        (little_lds, 5, "fits no packet"),
        (short_kernarg, 10, "kernarg.bin has 8 bytes"),
        (no_code_object, 5, "kernel.hsaco is not a code object"),
        (wrong_run, 5, "out of order"),
    ],
)
def test_damage_is_named(
    bench: Bench, in_place: Path, damage: Callable[[Path], None], code: int, message: str
) -> None:
    damage(in_place)
    for action in ("check", "run"):
        found, out, err = bench.rocm_perf("replay", action, "--rocm", bench.rocm, in_place)
        assert found == code
        assert message in err
        assert not out


def test_a_folder_that_is_no_capture(bench: Bench, tmp_path: Path) -> None:
    code, _, err = bench.rocm_perf("replay", "run", tmp_path)
    assert code == 5
    assert "no dispatch.json" in err


def for_gfx90a(file: Path) -> bytes:
    """The same code object, claiming another target in its header and its metadata."""
    code = bytearray(file.read_bytes().replace(b"gfx942", b"gfx90a"))
    code[0x30] = 0x3F  # e_flags: EF_AMDGPU_MACH_AMDGCN_GFX90A
    return bytes(code)


def test_code_for_another_device_is_refused(bench: Bench, in_place: Path) -> None:
    """Consistent, but not for the device that is there."""
    (in_place / "kernel.hsaco").write_bytes(for_gfx90a(in_place / "kernel.hsaco"))
    rewrite(in_place, "dispatch.json", isa_name="amdgcn-amd-amdhsa--gfx90a")
    sign(in_place)
    status, _, err = bench.rocm_perf("replay", "run", "--rocm", bench.rocm, in_place)
    assert status == 3
    assert "the code is for gfx90a" in err


def test_a_device_that_is_not_there(bench: Bench, in_place: Path) -> None:
    words = ("replay", "run", "--rocm", bench.rocm, in_place, "--device", 7)
    status, _, err = bench.rocm_perf(*words)
    assert (status, "there is no GPU 7, only 1" in err) == (3, True)


def test_an_hsaco_for_another_target_or_kernel(bench: Bench, in_place: Path) -> None:
    other = in_place.parent / "other.hsaco"
    other.write_bytes(for_gfx90a(in_place / "kernel.hsaco"))
    run = ("replay", "run", "--rocm", bench.rocm, in_place, "--hsaco")
    status, _, err = bench.rocm_perf(*run, other)
    assert (status, "is for gfx90a" in err) == (3, True)
    status, _, err = bench.rocm_perf(*run, in_place / "kernarg.bin")
    assert status == 2
    status, _, err = bench.rocm_perf(*run, in_place / "missing")
    assert (status, "is not a file" in err) == (2, True)


def test_an_address_that_is_taken_is_not_moved(bench: Bench, in_place: Path) -> None:
    """Without address randomisation the replayer itself lies at a known address."""
    fixed = subprocess.run(
        ["setarch", "-R", "cat", "/proc/self/maps"], capture_output=True, text=True
    ).stdout
    if not fixed:
        pytest.skip("this machine does not let us switch address randomisation off")
    taken = int(fixed.partition("-")[0], 16)  # where every program begins
    regions = regions_of(in_place)
    first = {**regions[0], "base": taken, "kind": "locked"}
    blob(in_place).rename(in_place / f"memory/region_{taken:x}.bin")
    rewrite(in_place, "memory_regions.json", regions=[first, *regions[1:]])
    shutil.rmtree(in_place / "after")
    sign(in_place)
    for action, expected in (("check", 2), ("run", 2)):
        code, err = bench.without_randomisation("replay", action, "--rocm", bench.rocm, in_place)
        assert code == expected, err
