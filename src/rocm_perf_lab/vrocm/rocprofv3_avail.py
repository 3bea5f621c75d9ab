"""The rocprofv3-avail of the virtual ROCm: which counters there are, and which fit together."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Callable, Optional

from rocm_perf_lab.errors import PerfLabError
from rocm_perf_lab.vrocm.counters.availability import available_names
from rocm_perf_lab.vrocm.counters.definitions import Catalogue, Counter, load_catalogue
from rocm_perf_lab.vrocm.counters.limits import excesses
from rocm_perf_lab.vrocm.profiler.arguments import truth
from rocm_perf_lab.vrocm.recording.agents import GpuAgent, gpu_agents

_WIDTH = 120  # of a list that does not go to a terminal
_FAILED = 1
# What is shown of an agent, where its runtime tells it.
_AGENT_FACTS = (
    "cpu_cores_count",
    "simd_count",
    "max_waves_per_simd",
    "runtime_visibility",
    "wave_front_size",
    "num_xcc",
    "cu_count",
    "array_count",
    "num_shader_banks",
    "simd_arrays_per_engine",
    "cu_per_simd_array",
    "simd_per_cu",
    "gfx_target_version",
    "max_waves_per_cu",
    "gpu_id",
    "workgroup_max_dim",
    "grid_max_dim",
    "name",
    "vendor_name",
    "product_name",
    "model_name",
    "node_id",
    "logical_node_id",
    "logical_node_type_id",
)

Lines = Iterator[str]


class _Refused(Exception):
    """The answer is no; the message says why."""


def _switch(value: str) -> bool:
    try:
        return truth(value)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def make_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="rocprofv3-avail", description=__doc__)
    parser.add_argument("--rocm-root", type=Path, metavar="PATH", help="the ROCm prefix")
    parser.add_argument("-d", "--device", type=int, help="only this GPU, counted from 0")
    commands = parser.add_subparsers(dest="command")
    listing = commands.add_parser("list", help="names of counters, and agents")
    for option, what in (
        ("--pmc", "names of counters"),
        ("--agent", "agents"),
        ("--pc-sampling", "agents that sample program counters: none here"),
    ):
        listing.add_argument(option, type=_switch, nargs="?", const=True, metavar="BOOL", help=what)
    info = commands.add_parser("info", help="what counters count and where, and agents")
    info.add_argument("--pmc", nargs="*", metavar="NAME", help="these counters, or all")
    info.add_argument("--pc-sampling", nargs="*", help="nothing here")
    check = commands.add_parser("pmc-check", help="whether counters fit into one pass")
    check.add_argument("pmc", nargs="*", metavar="NAME[:device=N]")
    return parser


def main(argv: Sequence[str]) -> int:
    """Exit status: 0, 1 when the answer is no or something is missing, 2 for wrong options."""
    options = make_parser().parse_args(argv)
    if options.command is None:
        return 0
    try:
        gpus = gpu_agents(options.rocm_root)
        for line in _ANSWERS[options.command](options, gpus, load_catalogue()):
            print(line)
    except _Refused as refusal:
        print(f"Fatal error: {refusal}", file=sys.stderr)
        return _FAILED
    except PerfLabError as error:
        print(f"Fatal error: {error.cause}", file=sys.stderr)
        if error.next_step:
            print(f"  next: {error.next_step}", file=sys.stderr)
        return _FAILED
    return 0


def _list(options: argparse.Namespace, gpus: Sequence[GpuAgent], catalogue: Catalogue) -> Lines:
    chosen = _chosen(options, gpus)
    if options.pmc or (options.agent is None and options.pc_sampling is None):
        for gpu in chosen:
            yield f"{'GPU':30}:\t{gpu.index}\n{'Name':30}:\t{gpu.name}"
            yield from _names(available_names(catalogue, gpu.device))
            yield "\n"
    if options.agent:
        for gpu in chosen:
            yield from _agent(gpu)
            yield "\n"
    if options.pc_sampling:
        yield "Agents supporting PC Sampling\n"


def _info(options: argparse.Namespace, gpus: Sequence[GpuAgent], catalogue: Catalogue) -> Lines:
    if options.pmc is None and options.pc_sampling is None:
        for gpu in _chosen(options, gpus):
            yield from _agent(gpu)
            yield from _names(available_names(catalogue, gpu.device))
            yield "\n"
    if options.pmc is not None:
        for gpu in _chosen(options, gpus):
            yield f"GPU:{gpu.index}\nName:{gpu.name}"
            available = available_names(catalogue, gpu.device)
            for name in options.pmc or available:
                if name not in available:
                    continue
                yield from _details(catalogue.counters[name], gpu, catalogue)
                yield "\n"


def _check(options: argparse.Namespace, gpus: Sequence[GpuAgent], catalogue: Catalogue) -> Lines:
    if not options.pmc:
        raise _Refused("Provide counter to check")
    by_index = {gpu.index: gpu for gpu in gpus}
    asked: dict[int, list[str]] = {}
    for word in options.pmc:
        name, devices = _qualified(word)
        if devices is None:
            devices = list(by_index) if options.device is None else [options.device]
        for device in devices:
            if device not in by_index:
                raise _Refused(f"Invalid device id : {device}")
            if name not in available_names(catalogue, by_index[device].device):
                raise _Refused("Invalid counter name")
            asked.setdefault(device, []).append(name)
    for device, names in asked.items():
        if excesses(catalogue, names):
            raise _Refused(f"{' '.join(names)} not collected on agent {by_index[device].name}")
    for device, names in asked.items():
        together = "\t".join(names)
        yield f"Following input counters can be collected together on GPU:{device}\t{together}"


_ANSWERS: dict[str, Callable[[argparse.Namespace, Sequence[GpuAgent], Catalogue], Lines]] = {
    "list": _list,
    "info": _info,
    "pmc-check": _check,
}


def _chosen(options: argparse.Namespace, gpus: Sequence[GpuAgent]) -> list[GpuAgent]:
    return [gpu for gpu in gpus if options.device in (None, gpu.index)]


def _qualified(word: str) -> tuple[str, Optional[list[int]]]:
    """The name, and the devices of ``NAME:device=0`` or ``NAME:device=0,device=1``."""
    name, *qualifiers = word.split(":")
    if len(qualifiers) > 1:
        raise _Refused("Invalid format for pmc-check")
    if not qualifiers:
        return name, None
    devices = []
    for qualifier in qualifiers[0].split(","):
        key, _equals, number = qualifier.partition("=")
        if key != "device" or not number.isdigit():
            raise _Refused("Incorrect input format for device index")
        devices.append(int(number))
    return name, devices


def _names(available: Sequence[str]) -> Lines:
    """All names in columns."""
    widest = max(map(len, available))
    names = [name.ljust(widest) for name in available]
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDTH
    columns = max(1, width // (widest + 1))
    yield f"{'PMC':30}:\n"
    for start in range(0, len(names), columns):
        yield " ".join(names[start : start + columns])


def _agent(gpu: GpuAgent) -> Lines:
    yield f"GPU:{gpu.index}\n"
    for name in _AGENT_FACTS:
        if name in gpu.facts:
            yield f"{name:30}:\t{gpu.facts[name]}"


def _details(counter: Counter, gpu: GpuAgent, catalogue: Catalogue) -> Lines:
    yield f"{'Counter_Name':20}:\t{counter.name}"
    yield f"{'Description':20}:\t{counter.description}"
    if counter.is_constant:
        return
    if counter.is_derived:
        yield f"{'Expression':20}:\t{counter.expression}"
    elif counter.block is not None:
        yield f"{'Block':20}:\t{counter.block.name}"
    block = catalogue.block_of_instances(counter.name)
    sizes = gpu.device.dimensions(block) if block else None
    shown = " ".join(
        f"{name}[0:{size - 1}]" for name, size in (sizes or {"DIMENSION_INSTANCE": 1}).items()
    )
    yield f"{'Dimensions':20}:\t{shown}"


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader such as head may leave early
    sys.exit(main(sys.argv[1:]))
