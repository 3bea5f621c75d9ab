"""Runs inside of the user's program and takes the place of Triton's own benchmarking.

Triton launches an autotuned kernel that has one configuration without benchmarking it. Before each
launch this leaves one: the chosen one (``ROCM_PERF_TRITON_CONFIG``), else the first. What it sees
goes to the log, one JSON object a line. With ``ROCM_PERF_TRITON_CODE`` it also compiles all of
them, on every core, and leaves the code there.

The program's Python need not have this package, and may be older: standard library only.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.util
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

KERNEL = "ROCM_PERF_TRITON_KERNEL"
CONFIG = "ROCM_PERF_TRITON_CONFIG"
LOG = "ROCM_PERF_TRITON_LOG"
CODE = "ROCM_PERF_TRITON_CODE"
MODULE = "triton.runtime.autotuner"
_EXTRAS = (("num_ctas", 1), ("maxnreg", None), ("ir_override", None))
_NAME = "sitecustomize"
_PLAIN = (bool, int, float, str)


def wanted() -> tuple[str, str]:
    path, _, name = os.environ[KERNEL].rpartition(":")
    return os.path.realpath(path), name


def tell(**words: Any) -> None:
    """One write for each line: several processes may append."""
    line = json.dumps(words) + "\n"
    log = os.open(os.environ[LOG], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(log, line.encode())
    finally:
        os.close(log)


def function_of(tuner: Any) -> Any:
    """Below heuristics and the JIT there is the Python function."""
    function = tuner
    while not hasattr(function, "__code__"):
        function = function.fn
    return function


def scalar(value: Any) -> bool | int | float | str:
    return value if isinstance(value, _PLAIN) else str(value)


def plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value is None else scalar(value) for name, value in values.items()}


def arguments_of(config: Any) -> dict[str, Any]:
    """What ``triton.Config`` was called with, a hook by its name; ``exact``: all of it is told."""
    options = {"num_warps": config.num_warps, "num_stages": config.num_stages}
    for name, default in _EXTRAS:
        value = getattr(config, name, default)
        if value != default:
            options[name] = value
    values = [*config.kwargs.values(), *options.values()]
    exact = all(value is None or isinstance(value, _PLAIN) for value in values)
    hook = getattr(config, "pre_hook", None)
    if hook is not None:
        options["pre_hook"] = getattr(hook, "__name__", str(hook))
    return {"kwargs": plain(config.kwargs), "options": plain(options), "exact": exact and not hook}


def rows_of(configs: Sequence[Any]) -> list[dict[str, Any]]:
    """Each as parameters with plain values; all have the same ones."""
    rows = []
    for config in configs:
        told = arguments_of(config)
        words = {**told["kwargs"], **told["options"]}
        rows.append({name: scalar(value) for name, value in words.items()})
    names = list(dict.fromkeys(name for row in rows for name in row))
    return [{name: row.get(name, "default") for name in names} for row in rows]


def text_of(row: dict[str, Any]) -> str:
    """As the environment names a configuration."""
    return " ".join(f"{name}={row[name]}" for name in sorted(row))


def key_of(tuner: Any, arguments: dict[str, Any]) -> dict[str, Any]:
    """What Triton tells launches apart by."""
    names = [name for name in getattr(tuner, "keys", ()) if name in arguments]
    values = plain({name: arguments[name] for name in names})
    known = [arguments[name] for name in arguments if name in tuner.arg_names]
    return {"key": values, "dtypes": [str(one.dtype) for one in known if hasattr(one, "dtype")]}


class Watched:
    """An autotuner: its configurations, and the keys that it was launched with."""

    def __init__(self, tuner: Any) -> None:
        self.configs = list(tuner.configs)
        function = function_of(tuner)
        place = os.path.realpath(function.__code__.co_filename), function.__name__
        self.is_wanted = place == wanted()
        tell(autotuned=function.__name__, file=place[0])
        self.texts = [text_of(row) for row in rows_of(self.configs)]
        self.allowed: dict[str, list[int]] = {}
        if self.is_wanted:
            told = [arguments_of(config) for config in self.configs]
            names = list(getattr(tuner, "keys", ()))
            tell(configs=told, rows=rows_of(self.configs), key_names=names)

    def launch(self, tuner: Any, original: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        named = dict(zip(tuner.arg_names, args))
        key = key_of(tuner, {**named, **kwargs})
        text = json.dumps(key, sort_keys=True)
        is_new = text not in self.allowed
        if is_new:
            self.allowed[text] = self.valid(tuner, named, kwargs)
        allowed = self.allowed[text]
        if self.is_wanted and is_new:
            tell(name=text, allowed=allowed, **key)
        used, result = self.run(tuner, original, self.choices(allowed), args, kwargs)
        if self.is_wanted and not kwargs.get("warmup"):
            chosen = self.texts[used] == os.environ.get(CONFIG)
            tell(launch=text, chosen=chosen)
        if self.is_wanted and is_new and os.environ.get(CODE):
            self.compile(tuner, allowed, used, args, kwargs)
        return result

    def run(
        self, tuner: Any, original: Any, choices: list[int], args: Any, kwargs: dict[str, Any]
    ) -> tuple[int, Any]:
        """With the first that can be launched: Triton, too, passes by what needs too much LDS."""
        for place in choices:
            tuner.configs = [self.configs[place]]
            try:
                return place, original(tuner, *args, **kwargs)
            except Exception:
                if place == choices[-1]:
                    raise
            finally:
                tuner.configs = self.configs
        raise AssertionError("no configuration is left")

    def valid(self, tuner: Any, named: dict[str, Any], kwargs: dict[str, Any]) -> list[int]:
        """Those that the program's own pruning leaves for these arguments."""
        prune = getattr(tuner, "early_config_prune", None)
        if prune is None:
            return list(range(len(self.configs)))
        left = [id(config) for config in prune(self.configs, named, **kwargs)]
        return [place for place, config in enumerate(self.configs) if id(config) in left]

    def choices(self, allowed: list[int]) -> list[int]:
        """The chosen one alone, unless it does not fit these arguments."""
        chosen = os.environ.get(CONFIG)
        found = [place for place in allowed if self.texts[place] == chosen]
        return found[:1] if self.is_wanted and found else allowed

    def compile(
        self, tuner: Any, allowed: list[int], used: int, args: Any, kwargs: dict[str, Any]
    ) -> None:
        """Triton keeps the code for the processes after this one."""
        given = {name: value for name, value in kwargs.items() if name != "warmup"}

        def made(place: int) -> tuple[bytes, int]:
            found = tuner.fn.warmup(*args, **given, **self.configs[place].all_kwargs())
            return found.asm["hsaco"], found.metadata.shared

        def keep(place: int) -> None:
            beside = os.path.join(os.environ[CODE], str(place))
            try:
                code, lds = made(place)
            except Exception as error:
                leave(beside + ".problem", f"{type(error).__name__}: {error}".encode())
            else:
                leave(beside + ".hsaco", code)
                leave(beside + ".lds", str(lds).encode())

        try:
            made(used)
        except Exception:
            return  # it was launched: what cannot be compiled here, may be launched as well
        with ThreadPoolExecutor(min(len(os.sched_getaffinity(0)), len(allowed))) as pool:
            list(pool.map(keep, allowed))


def leave(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)


def patch(module: Any) -> None:
    """``module`` is Triton's."""
    kind = module.Autotuner
    initialise, run = kind.__init__, kind.run

    @functools.wraps(initialise)
    def watched(tuner: Any, *args: Any, **kwargs: Any) -> None:
        initialise(tuner, *args, **kwargs)
        tuner.rocm_perf = Watched(tuner)

    @functools.wraps(run)
    def launched(tuner: Any, *args: Any, **kwargs: Any) -> Any:
        return tuner.rocm_perf.launch(tuner, run, args, kwargs)

    kind.__init__, kind.run = watched, launched


class Loader(importlib.abc.Loader):
    """The module's own, and the patch behind it."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def create_module(self, spec: Any) -> Any:
        return self.loader.create_module(spec)

    def exec_module(self, module: Any) -> None:
        self.loader.exec_module(module)
        patch(module)


class First(importlib.abc.MetaPathFinder):
    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = Loader(spec.loader)
        return spec


class Last(importlib.abc.MetaPathFinder):
    """Asked for what nobody else has found."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name == "triton":
            tell(missing=name)
        return None


def go_on() -> None:
    """The ``sitecustomize`` that Python would have started without us."""
    here = os.path.dirname(os.path.realpath(__file__))
    ours = sys.modules.pop(_NAME)
    sys.path[:] = [one for one in sys.path if os.path.realpath(one) != here]
    try:
        importlib.import_module(_NAME)
    except ImportError:
        sys.modules[_NAME] = ours


if __name__ == _NAME:
    if os.environ.get(KERNEL) and os.environ.get(LOG):
        tell(python=sys.executable)
        sys.meta_path.insert(0, First())
        sys.meta_path.append(Last())
    go_on()
