"""The rocm-smi of the virtual ROCm: which devices there are. They have no sensors, no controls."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Callable

from rocm_perf_lab.vrocm.info.card import NO_READING, VENDOR, Card, cards
from rocm_perf_lab.vrocm.info.printing import print_lines

_WIDTH = 80
Facts = dict[str, str]


def _product(card: Card) -> Facts:
    return {
        "Card Series": card.name,
        "Card Model": f"{card.chip:#06x}",
        "Card Vendor": VENDOR,
        "Card SKU": NO_READING,
        "Device Rev": f"{card.revision:#04x}",
        "Node ID": str(card.node),
        "GFX Version": card.target,
    }


def _identity(card: Card) -> Facts:
    names = {"Device Name": card.name, "Device ID": f"{card.chip:#06x}"}
    return {**names, "Device Rev": f"{card.revision:#04x}"}


def _memory(card: Card) -> Facts:
    """Every process has the memory for itself: what others use is not in it."""
    return {
        "VRAM Total Memory (B)": str(card.memory_bytes),
        "VRAM Total Used Memory (B)": "0",
    }


def _no_reading(*names: str) -> Callable[[Card], Facts]:
    return lambda card: dict.fromkeys(names, NO_READING)


# By option, in the order of the output; the words after it are aliases.
_SHOWN: dict[str, tuple[tuple[str, ...], Callable[[Card], Facts]]] = {
    "--showid": (("-i",), _identity),
    "--showuniqueid": ((), lambda card: {"Unique ID": card.uuid.replace("GPU-", "0x")}),
    "--showtemp": (
        ("-t",),
        _no_reading("Temperature (Sensor junction) (C)", "Temperature (Sensor memory) (C)"),
    ),
    "--showclocks": (("-c",), _no_reading("sclk clock speed:", "mclk clock speed:")),
    "--showpower": (("-P",), _no_reading("Current Socket Graphics Package Power (W)")),
    "--showuse": (("-u",), _no_reading("GPU use (%)")),
    "--showmemuse": ((), _no_reading("GPU Memory Allocated (VRAM%)")),
    "--showmeminfo": ((), _memory),
    "--showbus": ((), lambda card: {"PCI Bus": card.bdf.upper()}),
    "--showproductname": ((), _product),
}
_ALL = ("-a", "--showallinfo")


def _as_json(facts: dict[int, Facts]) -> Iterator[str]:
    yield json.dumps({f"card{index}": shown for index, shown in facts.items()})


def _as_csv(facts: dict[int, Facts]) -> Iterator[str]:
    for index, shown in facts.items():
        if index == min(facts):
            yield ",".join(["device", *shown])
        values = (f'"{value}"' if "," in value else value for value in shown.values())
        yield ",".join([f"card{index}", *values])


def _as_text(facts: dict[int, Facts]) -> Iterator[str]:
    yield " ROCm System Management Interface ".center(_WIDTH, "=")
    for index, shown in facts.items():
        for name, value in shown.items():
            yield f"GPU[{index}]\t\t: {name}: {value}"
    yield " End of ROCm SMI Log ".center(_WIDTH, "=")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rocm-smi", description=__doc__)
    parser.add_argument("--rocm-root", type=Path, metavar="PATH", help="the ROCm prefix")
    parser.add_argument("-d", "--device", type=int, nargs="+", metavar="N", help="only these")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--csv", action="store_true", help="as lines with commas")
    parser.add_argument(*_ALL, action="store_true", dest="all", help="everything below")
    for option, (aliases, _) in _SHOWN.items():
        words = {"nargs": "*"} if option == "--showmeminfo" else {"action": "store_true"}
        parser.add_argument(*aliases, option, **words)  # type: ignore[arg-type]
    return parser


def main(argv: Sequence[str]) -> int:
    options = _parser().parse_args(argv)
    named = [option for option in _SHOWN if getattr(options, option[2:]) not in (None, False)]
    if options.all or not named:
        named = list(_SHOWN)
    show = _as_json if options.json else _as_csv if options.csv else _as_text

    def lines() -> Iterator[str]:
        facts = {}
        for card in cards(options.rocm_root, options.device):
            shown = (_SHOWN[option][1](card) for option in named)
            facts[card.index] = {name: value for part in shown for name, value in part.items()}
        return show(facts)

    return print_lines("rocm-smi", lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
