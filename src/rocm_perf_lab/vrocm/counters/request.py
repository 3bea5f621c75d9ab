"""Which counters are asked for, and on which dispatches: ``--pmc``, filters, ``-E``, job files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.vrocm.counters.definitions import (
    Catalogue,
    DefinitionError,
    extra_counters,
    load_catalogue,
)
from rocm_perf_lab.vrocm.counters.limits import excesses
from rocm_perf_lab.vrocm.yaml_text import parse_yaml

# What rocprofv3 takes for spaces in a list of counters.
_SEPARATORS = re.compile(r"[\s!@#$%&(),*+\-./;<>?{}^`~|]+")
_DEVICE = ":device="
# As the fatal line of rocprofv3 ends; the status is that of rocprofiler-sdk.
_DOES_NOT_FIT = (
    "Could not construct profile cfg failed with error code {status}: "
    "Request exceeds the capabilities of the hardware to collect"
)
_EXCEEDS_HW_LIMIT = 38


@dataclass(frozen=True)
class Wanted:
    """A counter by its name, perhaps of one GPU only (``NAME:device=0``)."""

    text: str

    @property
    def name(self) -> str:
        return self.text.partition(_DEVICE)[0]

    @property
    def device(self) -> Optional[str]:
        _name, qualified, device = self.text.partition(_DEVICE)
        return device if qualified else None

    def concerns(self, gpu: int) -> bool:
        return self.device is None or self.device == str(gpu)


Group = tuple[Wanted, ...]


@dataclass(frozen=True)
class Filters:
    """Which dispatches are counted. Iterations count from 1 for each kernel."""

    include: str = ""
    exclude: str = ""
    iterations: tuple[range, ...] = ()  # all when empty

    def takes(self, iteration: int) -> bool:
        return not self.iterations or any(iteration in part for part in self.iterations)

    def match(self, kernel_name: str) -> bool:
        """Whether a kernel of this name is counted at all."""
        if not re.search(self.include, kernel_name):
            return False
        return not self.exclude or not re.search(self.exclude, kernel_name)


@dataclass(frozen=True)
class CounterRequest:
    """The counters of one run. With several groups, ``interval`` dispatches are counted by one
    group, the next ones by the next group, and so on around."""

    groups: tuple[Group, ...]
    catalogue: Catalogue
    filters: Filters = Filters()
    interval: int = 1

    def known(self, group: Group, gpu: int) -> list[str]:
        """The counters of a group that are defined and concern this GPU."""
        names = (wanted.name for wanted in group if wanted.concerns(gpu))
        return [name for name in names if self.catalogue.find(name) is not None]

    def refusal(self, gpus: int) -> Optional[str]:
        """Why the application is aborted at its first counted dispatch; None when it is not."""
        for group in self.groups:
            for wanted in group:
                if wanted.device is not None and not wanted.device.isdigit():
                    return (
                        "invalid device qualifier format (':device=N) where N is the GPU id: "
                        f"{wanted.text}"
                    )
            for gpu in range(gpus):
                if excesses(self.catalogue, self.known(group, gpu)):
                    return _DOES_NOT_FIT.format(status=_EXCEEDS_HW_LIMIT)
        return None

    def excess_notes(self, gpus: int) -> list[str]:
        """For people: what does not fit where."""
        notes = []
        for group in self.groups:
            for gpu in range(gpus):
                for excess in excesses(self.catalogue, self.known(group, gpu)):
                    notes.append(
                        f"{', '.join(self.known(group, gpu))}: {excess.needed} events of block "
                        f"{excess.block}, which counts {excess.registers} at a time"
                    )
        return list(dict.fromkeys(notes))


def counter_request(options: Mapping[str, Any]) -> Optional[CounterRequest]:
    """None when no counters are asked for. Raises ``UsageError``."""
    listed, grouped = options.get("pmc"), options.get("pmc_groups")
    if listed and grouped:
        raise UsageError("Cannot specify both --pmc and (input file) pmc_groups", None)
    groups = [listed] if listed else grouped or ()
    if not groups:
        return None
    return CounterRequest(
        groups=tuple(parse_group(group) for group in groups),
        catalogue=_catalogue(options.get("extra_counters")),
        filters=kernel_filters(options),
        interval=options.get("pmc_group_interval") or 1,
    )


def parse_group(words: Sequence[str]) -> Group:
    """The counters of a list: separated by spaces, commas or semicolons, sorted, each once."""
    text = " ".join(map(str, words)).partition("#")[0]
    names = {word for word in _SEPARATORS.split(text) if re.search(r"[A-Za-z0-9_]", word)}
    return tuple(Wanted(name) for name in sorted(names))


def parse_iterations(words: Sequence[str]) -> tuple[range, ...]:
    """From ``[1-3], 5``, with any brackets. Raises ``UsageError``."""
    found = []
    for part in re.split(r"[\[\], ]+", " ".join(words)):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if match is not None:
            found.append(range(int(match[1]), int(match[2] or match[1]) + 1))
        elif part:
            raise UsageError(
                f"--kernel-iteration-range: '{part}' is neither a number nor a range",
                "for example: --kernel-iteration-range [1-3] [7]",
            )
    return tuple(found)


def kernel_filters(options: Mapping[str, Any]) -> Filters:
    """What ``--kernel-include-regex`` and its relatives say. Raises ``UsageError``."""
    for name in ("kernel_include_regex", "kernel_exclude_regex"):
        try:
            re.compile(options.get(name) or "")
        except re.error as error:
            option = "--" + name.replace("_", "-")
            raise UsageError(
                f"{option} '{options[name]}' is not a regular expression: {error}", None
            ) from error
    return Filters(
        options.get("kernel_include_regex") or "",
        options.get("kernel_exclude_regex") or "",
        parse_iterations(options.get("kernel_iteration_range") or ()),
    )


def _catalogue(extra: Optional[str]) -> Catalogue:
    known = load_catalogue()
    if extra is None:
        return known
    try:
        document = parse_yaml(Path(extra).read_text(encoding="utf-8"))
        return known.extended(extra_counters(document))
    except (OSError, UnicodeError) as error:
        raise UsageError(f"the file {extra} of extra counters cannot be read: {error}") from error
    except (DefinitionError, ValueError, RecursionError) as error:
        raise UsageError(f"the file {extra} of extra counters: {error}") from error
