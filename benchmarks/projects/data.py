"""Small inputs, made here, for programs whose own data is no part of the checkout."""

from __future__ import annotations

import array
import random
import struct
from collections.abc import Callable
from pathlib import Path


def make_inputs(name: str, folder: Path) -> None:
    """For the programs in the table; nothing for the others."""
    if name in _MAKERS:
        _MAKERS[name](folder, random.Random(40))


def _matrix(folder: Path, chance: random.Random) -> None:
    """Of 512 x 512 places 4096 are not zero."""
    places = sorted(chance.sample(range(512 * 512), 4096))
    lines = [f"{p // 512 + 1} {p % 512 + 1} {chance.random():.4f}" for p in places]
    head = "%%MatrixMarket matrix coordinate real general\n512 512 4096\n"
    (folder / "small.mtx").write_text(head + "\n".join(lines) + "\n")


def _temperatures(folder: Path, chance: random.Random) -> None:
    for name, least in (("power.txt", 0.0), ("temp.txt", 320.0)):
        values = (f"{least + chance.random():.5f}\n" for _ in range(64 * 64 * 8))
        (folder / name).write_text("".join(values))


def _lattice(folder: Path, chance: random.Random) -> None:
    (folder / "lattice.params").write_text("128\n128\n20\n128\n0.1\n0.005\n1.85\n")
    edges = [f"{x} {y} 1\n" for x in range(128) for y in (0, 127)]
    (folder / "obstacles.dat").write_text("".join(edges))


def _picture(folder: Path, chance: random.Random) -> None:
    size = 64 * 64 * 3
    header = struct.pack("<2sIHHI", b"BM", 54 + size, 0, 0, 54)
    info = struct.pack("<IiiHHIIiiII", 40, 64, 64, 1, 24, 0, size, 0, 0, 0, 0)
    (folder / "picture.bmp").write_bytes(header + info + chance.randbytes(size))


def _trace(folder: Path, chance: random.Random) -> None:
    values = array.array("d", (1000 + i / 8 + chance.random() / 64 for i in range(65536)))
    (folder / "trace.bin").write_bytes(values.tobytes())


def _bits(folder: Path, chance: random.Random) -> None:
    """256 x 256 bits that are the product of two matrices of rank 8."""
    rows = [chance.getrandbits(8) & chance.getrandbits(8) for _ in range(256)]
    columns = [chance.getrandbits(8) & chance.getrandbits(8) for _ in range(256)]
    ones = [f"{r} {c}\n" for r in range(256) for c in range(256) if rows[r] & columns[c]]
    (folder / "bits.in").write_text(f"256 256 {len(ones)}\n" + "".join(ones))


def _roads(folder: Path, chance: random.Random) -> None:
    """A road map of 1024 places with 4 roads each, and the shortest ways from place 0."""
    edges = [[(chance.randrange(1024), chance.randrange(1, 100)) for _ in range(4)]
             for _ in range(1024)]  # fmt: skip
    lines = ["1024 4096 0", *(f"{4 * i} 4" for i in range(1024))]
    lines += [f"{to} {cost}" for roads in edges for to, cost in roads]
    (folder / "roads.dat").write_text("\n".join(lines) + "\n")
    far = [2**31 - 1] * 1024
    far[0] = 0
    for _ in range(1024):
        before = list(far)
        for at, roads in enumerate(edges):
            for to, cost in roads:
                far[to] = min(far[to], far[at] + cost)
        if far == before:
            break
    ways = "".join(f"{i} {way}\n" for i, way in enumerate(far))
    (folder / "ways.out").write_text(f"1024\n{ways}")


_MAKERS: dict[str, Callable[[Path, random.Random], None]] = {
    "sssp-hip": _roads,
    "ge-spmm-hip": _matrix,
    "d2q9-bgk-hip": _lattice,
    "mpc-hip": _trace,
    "hotspot3D-hip": _temperatures,
    "urng-hip": _picture,
    "bmf-hip": _bits,
}
