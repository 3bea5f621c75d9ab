"""Bundles for the tests, and ways to falsify them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
from benchmarks.noise_models import simulated

from rocm_perf_lab.measure.blocks import order_of
from rocm_perf_lab.prove.evidence import Bundle, Decision, OracleSays, SearchLog
from rocm_perf_lab.prove.evidence.durable import write_durable
from rocm_perf_lab.prove.evidence.manifest import digest
from rocm_perf_lab.prove.judge import JudgePlan

SEED = 7
BASE = {"kernel.hip": "line one\nline two\n"}
CANDIDATE = {"kernel.hip": "line one\nline 2\n"}


def write_bundle(
    folder: Path,
    gain: float = 0.05,
    candidates: int = 3,
    blocks: int = 14,
    more: bool = True,
    closed: bool = True,
) -> Decision:
    """A search whose last candidate is judged and kept: what an optimizer does, step by step. The
    candidates before it are refused, each with a folder of its own."""
    log = SearchLog(folder.parent)
    log.append("began", sealed=folder.parent.name)
    for number in range(1, candidates):
        name = f"refused-{number:04}"
        log.append("tried", bundle=name)
        Bundle(folder.parent / name, log.identity).add_json("tools.json", {"number": number})
        log.append("refused", bundle=name, verdict="reject", reason="0.98x by replay")
    log.append("tried", bundle=folder.name)
    bundle = Bundle(folder, log.identity)
    decision = fill(bundle, gain, candidates, blocks, more)
    log.append(
        "judged",
        bundle=folder.name,
        verdict="accept" if decision.accepted else "no_change",
        manifest_sha256=bundle.manifest_sha256(),
    )
    if decision.accepted:
        keep(log)
    if closed:
        log.close()
    return decision


def keep(log: SearchLog) -> None:
    accepted = log.path.parent / "accepted-01"
    accepted.mkdir(mode=0o700)
    write_durable(accepted / "kernel.hip", CANDIDATE["kernel.hip"].encode())
    hashes = {"kernel.hip": digest(CANDIDATE["kernel.hip"].encode())}
    log.append("kept", folder="accepted-01", files=["kernel.hip"], sha256=hashes)


def fill(bundle: Bundle, gain: float, candidates: int, blocks: int, more: bool) -> Decision:
    bundle.add_json("proposal.json", {"kernel": "k", "proposal": "unroll", "reason": "latency"})
    bundle.add_sources(BASE, CANDIDATE)
    bundle.add("code/baseline.co", b"\x7fELF base")
    bundle.add("code/candidate.co", b"\x7fELF candidate")
    bundle.add_command(["./app", "100", "--token", "hunter2"], ["-O3"])
    bundle.add_json("device.json", {"product": "AMD Instinct MI300X", "virtual": True})
    bundle.add_json("tools.json", {"rocm-perf": "0.1.0", "hipcc": "7.1.0"})
    bundle.add_json("reports/artifact.json", {"refusals": [], "notes": []})
    bundle.add_json("reports/replay.json", {"speedup": 1.05})
    stage = {"name": "captured", "verdict": "pass"}
    bundle.add_json("reports/oracle.json", {"verdict": "equal", "stages": [stage]})
    bundle.add_json("reports/application.json", {"verdict": "unverified", "reason": "no output"})
    bundle.add_json("order.json", [order_of(SEED, number) for number in range(1, blocks + 1)])
    samples, fresh, whole = (
        simulated("typical", blocks, gain, np.random.default_rng(seed), dispatches=4)
        for seed in (1, 2, 3)
    )
    return bundle.close(
        samples,
        oracle=OracleSays(verdict="equal", report="reports/oracle.json"),
        candidates=candidates,
        plan=JudgePlan.once(blocks),
        confirmation=fresh if more else None,
        application=whole if more else None,
        order_seed=SEED,
    )


def rehash(folder: Path) -> None:
    """Makes the list of hashes agree with the files again: what a careful forger does."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for entry in manifest["files"]:
        data = (folder / entry["path"]).read_bytes()
        entry.update(bytes=len(data), sha256=digest(data))
    path.write_text(json.dumps(manifest))


def edited(folder: Path, name: str, change: Callable[[Any], Any]) -> None:
    """Changes a JSON file in place, or replaces its content by what `change` returns."""
    path = folder / name
    content = json.loads(path.read_text())
    result = change(content)
    path.write_text(json.dumps(content if result is None else result))
