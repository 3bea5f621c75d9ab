"""The amd-smi of the virtual ROCm: which devices there are. They have no sensors, no controls."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable

from rocm_perf_lab.vrocm.info.card import NO_READING, VENDOR, VENDOR_ID, Card, cards
from rocm_perf_lab.vrocm.info.printing import print_lines

Facts = dict[str, Any]
_MIB = 1 << 20


def _megabytes(size: int) -> Facts:
    return {"value": size // _MIB, "unit": "MB"}


def _asic(card: Card) -> Facts:
    return {
        "market_name": card.name,
        "vendor_id": VENDOR_ID,
        "vendor_name": VENDOR,
        "subvendor_id": NO_READING,
        "device_id": f"{card.chip:#06x}",
        "subsystem_id": NO_READING,
        "rev_id": f"{card.revision:#04x}",
        "asic_serial": card.uuid.replace("GPU-", "0x"),
        "oam_id": NO_READING,
        "num_compute_units": card.units,
        "target_graphics_version": card.target,
    }


def _bus(card: Card) -> Facts:
    return {"bdf": card.bdf, "max_pcie_width": NO_READING, "max_pcie_speed": NO_READING}


def _vram(card: Card) -> Facts:
    return {"type": NO_READING, "vendor": NO_READING, "size": _megabytes(card.memory_bytes)}


def _memory_use(card: Card) -> Facts:
    """Every process has the memory for itself: what others use is not in it."""
    size = _megabytes(card.memory_bytes)
    return {"total_vram": size, "used_vram": _megabytes(0), "free_vram": size}


def _no_reading(*names: str) -> Callable[[Card], Facts]:
    return lambda card: dict.fromkeys(names, NO_READING)


# By command, the parts of its answer and the options that ask for one of them.
_PARTS: dict[str, dict[str, tuple[tuple[str, ...], Callable[[Card], Facts]]]] = {
    "static": {
        "asic": (("-a", "--asic"), _asic),
        "bus": (("-b", "--bus"), _bus),
        "driver": (("-d", "--driver"), _no_reading("name", "version")),
        "board": (("-B", "--board"), _no_reading("model_number", "product_name")),
        "vbios": (("-V", "--vbios"), _no_reading("name", "version")),
        "vram": (("-v", "--vram"), _vram),
    },
    "metric": {
        "usage": (("-u", "--usage"), _no_reading("gfx_activity", "umc_activity", "mm_activity")),
        "power": (("-p", "--power"), _no_reading("socket_power", "gfx_voltage")),
        "clock": (("-c", "--clock"), _no_reading("gfx_0", "mem_0")),
        "temperature": (("-t", "--temperature"), _no_reading("edge", "hotspot", "mem")),
        "perf_level": (("-l", "--perf-level"), lambda card: {"perf_level": NO_READING}),
        "mem_usage": (("-m", "--mem-usage"), _memory_use),
    },
}


def _listed(card: Card) -> Facts:
    place = {"gpu": card.index, "bdf": card.bdf, "uuid": card.uuid}
    return {**place, "node_id": card.node, "partition_id": 0}


def _text(facts: Facts, indent: int = 0) -> Iterator[str]:
    for name, value in facts.items():
        label = " " * indent + name.upper() + ":"
        if isinstance(value, dict) and set(value) == {"value", "unit"}:
            yield f"{label} {value['value']} {value['unit']}"
        elif isinstance(value, dict):
            yield label
            yield from _text(value, indent + 4)
        else:
            yield f"{label} {value}"


def _answer(options: argparse.Namespace) -> Iterator[str]:
    """A command with parts has a record a GPU under gpu_data, the others a list."""
    if options.command == "version":
        version = (options.rocm_root / ".info" / "version").read_text().strip()
        found = [{"tool": "AMDSMI Tool", "version": NO_READING, "rocm_version": version}]
    else:
        chosen = cards(options.rocm_root, options.gpu)
        found = [_record(options, card) for card in chosen]
    if options.json:
        parts = options.command in _PARTS
        yield json.dumps({"gpu_data": found} if parts else found, indent=4)
    elif options.command == "version":
        yield " | ".join(f"{name}: {value}" for name, value in found[0].items())
    else:
        for facts in found:
            head, *rest = _text(facts, 4)
            yield from (head.strip(), *rest)


def _record(options: argparse.Namespace, card: Card) -> Facts:
    if options.command == "list":
        return _listed(card)
    parts = _PARTS[options.command]
    named = [name for name in parts if getattr(options, name)] or list(parts)
    return {"gpu": card.index, **{name: parts[name][1](card) for name in named}}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="amd-smi", description=__doc__)
    parser.add_argument("--rocm-root", type=Path, metavar="PATH", help="the ROCm prefix")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, what in (
        ("version", "the version of ROCm"),
        ("list", "the devices"),
        ("static", "what does not change about a device"),
        ("metric", f"readings: {NO_READING}, but for the memory"),
    ):
        command = commands.add_parser(name, help=what, description=what)
        command.add_argument("--json", action="store_true", help="as JSON")
        command.add_argument("-g", "--gpu", type=int, nargs="+", metavar="N", help="only these")
        for part, (words, _) in _PARTS.get(name, {}).items():
            command.add_argument(*words, action="store_true", dest=part)
    return parser


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    return print_lines("amd-smi", lambda: _answer(options))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
