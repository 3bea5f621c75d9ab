"""What the compute unit of one gfx target looks like, read from ``data/<target>.json``.

These are the numbers that no partition mode and no board changes. What a board adds (CUs, clocks,
memory) is in :mod:`rocm_perf_lab.arch.product`, what a running device reports in
:mod:`rocm_perf_lab.arch.device`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Optional

from msgspec import Struct
from msgspec.structs import replace

from rocm_perf_lab.arch.data_file import read_data_file
from rocm_perf_lab.arch.fact import Fact, number, parse_facts, whole_number
from rocm_perf_lab.arch.product import Product, parse_product
from rocm_perf_lab.errors import ArchitectureUnknown

DATA_DIRECTORY = Path(__file__).parent / "data"


def round_up(value: int, granule: int) -> int:
    """The size of an allocation that is made in whole granules."""
    return -(-value // granule) * granule


class VgprFile(Struct, frozen=True):
    """The vector registers that the waves of one SIMD share, for one wave size."""

    total: int  # registers per lane
    granule: int  # what the hardware allocates in
    encoding_granule: int  # what the kernel descriptor counts in


class Target(Struct, frozen=True):
    """One gfx target. ``facts`` holds every number with its source; properties are shortcuts."""

    name: str
    family: str
    features: tuple[str, ...]  # of the id it was asked for by: ("sramecc+", "xnack-")
    facts: Mapping[str, Fact]
    sources: Mapping[str, str]
    products: tuple[Product, ...]

    def number(self, name: str) -> Optional[float]:
        return number(self.facts, name)

    def count(self, name: str) -> int:
        """A whole number that every data file has; the test of the data files keeps it so."""
        value = whole_number(self.facts, name)
        if value is None:
            raise KeyError(f"{self.name} has no {name}")
        return value

    def optional_count(self, name: str) -> Optional[int]:
        return whole_number(self.facts, name)

    @property
    def wave_sizes(self) -> tuple[int, ...]:
        value = self.facts["wave_sizes"].value
        return value if isinstance(value, tuple) else ()

    @property
    def default_wave_size(self) -> int:
        return self.count("default_wave_size")

    @property
    def simds_per_cu(self) -> int:
        return self.count("simds_per_cu")

    @property
    def max_waves_per_simd(self) -> int:
        return self.count("max_waves_per_simd")

    @property
    def max_workgroup_size(self) -> int:
        return self.count("max_workgroup_size")

    @property
    def has_wgp_mode(self) -> bool:
        """Two CUs can share a workgroup (RDNA); HIP compiles for that unless told otherwise."""
        return bool(self.facts["has_wgp_mode"].value)

    @property
    def unified_vgprs(self) -> bool:
        """Arch and accumulation registers come from one file (gfx90a and later CDNA)."""
        return bool(self.facts["vgpr.unified"].value)

    @property
    def has_accumulation_registers(self) -> bool:
        """In the same file as arch registers, or in one of their own (gfx908)."""
        return self.family.startswith("CDNA")

    @property
    def lds_bytes_per_cu(self) -> int:
        return self.count("lds.bytes_per_cu")

    def vgpr_file(self, wave_size: int) -> VgprFile:
        prefix = f"vgpr.wave{wave_size}"
        return VgprFile(
            total=self.count(f"{prefix}.total"),
            granule=self.count(f"{prefix}.granule"),
            encoding_granule=self.count(f"{prefix}.encoding_granule"),
        )

    def rate(self, precision: str, unit: str = "vector") -> Optional[float]:
        """FLOP (an FMA counts 2) per clock and CU, ``None`` when the target has no such unit."""
        return number(self.facts, f"rate.{unit}.{precision}")


@cache
def known_targets() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in DATA_DIRECTORY.glob("gfx*.json")))


def load_target(target_id: str) -> Target:
    """The facts of ``gfx942``, ``gfx942:sramecc+:xnack-`` or ``amdgcn-amd-amdhsa--gfx942``."""
    name, *features = target_id.rpartition("--")[2].split(":")
    if name not in known_targets():
        raise ArchitectureUnknown(
            f"no hardware facts for the target {target_id!r}",
            f"known targets: {', '.join(known_targets())}",
        )
    return replace(_load(name), features=tuple(features))


@cache
def _load(name: str) -> Target:
    raw = read_data_file(DATA_DIRECTORY / f"{name}.json")
    facts = parse_facts(raw["facts"])
    sources: dict[str, str] = dict(raw["sources"])
    if "inherits" in raw:
        parent = _load(raw["inherits"])
        facts = {**_second_hand(parent.facts), **facts}
        sources = {**parent.sources, **sources}
    return Target(
        name=raw["target"],
        family=raw["family"],
        features=(),
        facts=facts,
        sources=sources,
        products=tuple(parse_product(entry) for entry in raw["products"]),
    )


def _second_hand(facts: Mapping[str, Fact]) -> dict[str, Fact]:
    """What is documented of the parent is only derived for the target that inherits it."""
    return {
        name: replace(fact, confidence="derived") if fact.confidence == "documented" else fact
        for name, fact in facts.items()
    }


@cache
def counts_by_type(target_id: str) -> bool:
    """CDNA 2 and later count instructions by precision and kind; the RDNA families do not. A target
    that we have no facts of is taken for one that does not."""
    try:
        family, _, generation = load_target(target_id).family.partition(" ")
    except ArchitectureUnknown:
        return False
    return family == "CDNA" and int(generation) >= 2
