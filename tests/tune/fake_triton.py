"""A package ``triton`` with what the shim touches of it: an autotuner that must not benchmark."""

from __future__ import annotations

from pathlib import Path

_AUTOTUNER = """\
class Config:
    def __init__(self, kwargs, num_warps=4, num_stages=3, pre_hook=None):
        self.kwargs, self.num_warps, self.num_stages = kwargs, num_warps, num_stages
        self.num_ctas, self.maxnreg, self.pre_hook = 1, None, pre_hook

    def all_kwargs(self):
        return {**self.kwargs, "num_warps": self.num_warps, "num_stages": self.num_stages}


class Autotuner:
    def __init__(self, fn, arg_names, configs, key, prune=None):
        self.fn, self.arg_names, self.configs, self.keys = fn, arg_names, configs, key
        self.early_config_prune = prune

    def __getitem__(self, grid):
        return lambda *args, **kwargs: self.run(*args, grid=grid, warmup=False, **kwargs)

    def run(self, *args, **kwargs):
        assert len(self.configs) == 1, "benchmarks"
        return self.fn.run(*args, **kwargs, **self.configs[0].all_kwargs())


def autotune(configs, key, prune=None):
    return lambda fn: Autotuner(fn, fn.arg_names, configs, key, prune)
"""
_PACKAGE = """\
from triton.runtime.autotuner import Config, autotune


class jit:
    def __init__(self, fn):
        self.fn, self.arg_names = fn, list(fn.__code__.co_varnames[: fn.__code__.co_argcount])

    def run(self, *args, grid, warmup, **kwargs):
        if kwargs["TM"] > 64:
            raise RuntimeError("out of LDS")
        self.fn(*args, **{name: kwargs[name] for name in ("TM",)})

    def warmup(self, *args, grid, **kwargs):
        if kwargs["TM"] > 64:
            raise ValueError("does not compile")
        return type("Made", (), {"asm": {"hsaco": b"code %d" % kwargs["TM"]}, "metadata": Metadata})


class Metadata:
    shared = 4096
"""

PROGRAM = """\
import os
import sys
import triton


def fits(configs, named, **kwargs):
    return [config for config in configs if config.kwargs["TM"] <= named["n"]]


@triton.autotune(
    [triton.Config({"TM": 128}), triton.Config({"TM": 16}, num_warps=8), triton.Config({"TM": 64})],
    key=["n"],
    prune=fits,
)
@triton.jit
def product(x, n, TM):
    print("product", n, TM, flush=True)
    used.append(TM)


@triton.autotune([triton.Config({"TM": 32}), triton.Config({"TM": 8})], key=[])
@triton.jit
def other(x, TM):
    print("other", TM, flush=True)


@triton.autotune([triton.Config({"TM": 32})], key=[])
@triton.jit
def single(x, TM):
    pass


@triton.autotune(
    [triton.Config({"TM": 16}, pre_hook=fits), triton.Config({"TM": 8})], key=[]
)
@triton.jit
def hooked(x, TM):
    pass


def plain(x):
    pass


used = []


class Tensor:
    dtype = "fp16"


if __name__ == "__main__":
    for word in sys.argv[1:]:
        if word.startswith("wrong"):  # what a check of its own result would find
            sys.exit(3 if int(word[5:]) in used else 0)
        product[(1,)](Tensor(), int(word))
    other[(1,)](Tensor())
"""


def write_package(folder: Path) -> None:
    runtime = folder / "triton" / "runtime"
    runtime.mkdir(parents=True)
    (folder / "triton" / "__init__.py").write_text(_PACKAGE)
    (runtime / "__init__.py").write_text("")
    (runtime / "autotuner.py").write_text(_AUTOTUNER)
