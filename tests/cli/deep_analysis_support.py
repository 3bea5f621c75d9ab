"""What tests of ``profile --deep-analysis`` share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fakes.fake_rocm import FakeRocm
from fakes.thread_traces import documents
from rocm_perf_lab.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "thread-trace.md"
SPILLING = ROOT / "examples" / "register_spill.hip"
APP = [sys.executable, "-c", "pass"]
LABEL = "; _Z10vector_addPKfS0_Pfi"  # the kernel of the fake profiler
FAST, SLOW = "256_256_64_16_763.74TFLOPS", "256_256_64_16_alt_307.85TFLOPS"


def content(label: str = LABEL, *, executed: bool = True) -> dict[str, Any]:
    made = documents()
    made["code.json"]["code"][0][0] = label
    if not executed:
        made["code.json"]["code"] = None
    return made


def document(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    assert main(["profile", "--json", "--deep-analysis", *argv]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def live(fake: FakeRocm, *options: str) -> list[str]:
    return ["--rocm", str(fake.path), "--runs", "1", *options, "--", *APP]


def kernel_of(found: dict[str, Any]) -> dict[str, Any]:
    (kernel,) = found["analysis"]["kernels"]
    assert isinstance(kernel, dict)
    return kernel


def reason_for(found: dict[str, Any], field: str) -> dict[str, Any]:
    (entry,) = [entry for entry in found["unavailable"] if entry["field"] == field]
    assert isinstance(entry, dict)
    return entry
