"""A stand-in for a HIP program: writes the records that the virtual runtime would write.

The first argument is a folder with what to do (``plan.json``); other arguments are ignored.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

BASE = 1_000_000_000_000
THREAD = 77


def counters(plan, number):
    """What the runtime counts: nothing unless it is asked to."""
    counted = plan.get("counters")
    if counted is None or os.environ.get("VROCM_COUNTERS") != "1":
        return {}
    return {"counters": {name: value + number for name, value in counted.items()}}


def records(plan):
    pid = os.getpid()
    yield {
        "record": "process", "format": 1, "pid": pid, "ppid": os.getppid(), "tid": THREAD,
        "command": ["./app", "--size", "3"], "start_ns": BASE, "virtual": True,
    }  # fmt: skip
    yield {
        "record": "agent", "id": 0, "type": "CPU", "type_index": 0, "name": "a CPU",
        "product_name": "a CPU", "properties": {"cu_count": 2},
    }  # fmt: skip
    yield {
        "record": "agent", "id": 1, "type": "GPU", "type_index": 0, "name": "gfx942",
        "product_name": "AMD Instinct MI300X (virtual)",
        "properties": {
            "cu_count": 304, "num_xcc": 8, "simd_per_cu": 4, "simd_count": 1216,
            "max_waves_per_simd": 8, "wave_front_size": 64, "lds_size_in_kb": 64,
            "max_engine_clk_fcompute": 2100, "gfx_target_version": 90402,
        },
    }  # fmt: skip
    yield {"record": "queue", "id": 4, "agent": 1, "size": 16384, "created": True, "time_ns": BASE}
    yield {"record": "stream", "id": 1, "handle": 4096, "device": 0, "flags": 0, "priority": 0}
    yield {
        "record": "code_object", "id": 1, "agent": 1, "uri": "memory://7#offset=0x10&size=64",
        "load_base": 8192, "load_size": 4096, "load_delta": 8192, "loaded": True,
        **code_object_file(plan),
    }  # fmt: skip
    yield {
        "record": "kernel", "id": 1, "code_object": 1, "name": "_ZN2ns4gemmIfEEvPT_.kd",
        "demangled": "void ns::gemm<float>(float*)", "kernel_object": 1, "kernarg_size": 8,
        "kernarg_alignment": 8, "group_segment_size": 1024, "private_segment_size": 0,
        "sgpr_count": 32, "arch_vgpr_count": 24, "accum_vgpr_count": 8,
    }  # fmt: skip
    yield {"record": "profiler", "action": "resume", "time_ns": BASE + 25_000}
    yield {"record": "profiler", "action": "pause", "time_ns": BASE + 35_000}
    # Completed in another order than started, as it happens with several streams.
    for number in reversed(range(plan.get("dispatches", 3))):
        start = BASE + 10_000 * (number + 1)
        yield {
            "record": "api", "domain": "hip", "name": "hipLaunchKernel", "id": 10 + number,
            "parent": 0, "tid": THREAD, "start_ns": start, "end_ns": start + 5_000, "status": 0,
            "args": [{"name": "stream", "type": "hipStream_t", "value": "<nil>"}],
        }  # fmt: skip
        yield {
            "record": "dispatch", "id": 100 - number, "kernel": 1, "name": "_ZN2ns4gemmIfEEvPT_",
            "agent": 1, "queue": 4, "stream": 1, "tid": THREAD, "correlation": 10 + number,
            "start_ns": start + 6_000, "end_ns": start + 7_000 + number, "grid": [512, 2, 1],
            "workgroup": [256, 1, 1], "group_segment_size": 1500, "private_segment_size": 0,
            "wave_instructions": 9, **counters(plan, number), **thread_trace(plan, number),
        }  # fmt: skip
    yield {
        "record": "fill", "agent": 1, "stream": 0, "tid": THREAD, "correlation": 5,
        "start_ns": BASE + 1_000, "end_ns": BASE + 1_500, "address": 65536, "bytes": 4096,
    }  # fmt: skip
    yield {
        "record": "copy", "kind": "HOST_TO_DEVICE", "dst_agent": 1, "src_agent": 0,
        "dst_address": 65536, "src_address": 4096, "bytes": 2048, "stream": 0, "tid": THREAD,
        "correlation": 6, "start_ns": BASE + 2_000, "end_ns": BASE + 4_000,
    }  # fmt: skip
    yield {
        "record": "allocation", "operation": "ALLOC", "agent": 1, "address": 65536,
        "bytes": 4096, "tid": THREAD, "correlation": 4, "time_ns": BASE + 500,
    }  # fmt: skip
    for name in ("hsa_init", "hsa_amd_memory_pool_allocate"):
        yield {
            "record": "api", "domain": "hsa", "name": name, "id": 50 + len(name), "parent": 0,
            "tid": THREAD, "start_ns": BASE + 100, "end_ns": BASE + 200, "status": 0, "args": [],
        }  # fmt: skip
    yield {
        "record": "marker", "kind": "range", "message": "step 1", "id": 1, "tid": THREAD,
        "start_ns": BASE + 900, "end_ns": BASE + 90_000,
    }  # fmt: skip
    yield {"record": "of the future", "id": 1}
    yield {"record": "end", "end_ns": BASE + 100_000}


def thread_trace(plan, number):
    """The first dispatch has a thread trace when there is one to give away."""
    return {"thread_trace": "trace"} if "thread_trace" in plan and number == 0 else {}


def code_object_file(plan):
    return {"file": "code object"} if "thread_trace" in plan else {}


def write_thread_trace(plan, folder):
    (folder / "trace").write_bytes(bytes.fromhex(plan["thread_trace"]))
    (folder / "code object").write_bytes(b"an ELF")


def write_records(plan, folder):
    lines = [json.dumps(record) for record in records(plan)]
    path = folder / f"{os.getpid()}.jsonl"
    if plan.get("cut"):
        content = "\n".join(lines[:-1])[: -plan["cut"]]
        path = path.with_name(path.name + ".part")
    else:
        content = "\n".join(lines) + "\n"
    path.write_text(content)


def main():
    place = Path(sys.argv[1])
    plan = json.loads((place / "plan.json").read_text())
    seen = {"argv": sys.argv[1:], "environment": dict(os.environ), "cwd": os.getcwd()}
    (place / f"seen-{os.getpid()}.json").write_text(json.dumps(seen))
    for _child in range(plan.get("children", 0)):
        if os.fork() == 0:
            plan["children"] = 0
            break
        os.wait()
    if plan.get("echo"):
        print(sys.stdin.readline().strip(), flush=True)
    folder = os.environ.get("VROCM_TRACE")
    if plan.get("refuses") and os.environ.get("VROCM_COUNTERS_REFUSED"):
        print(os.environ["VROCM_COUNTERS_REFUSED"], file=sys.stderr, flush=True)
        os.abort()
    if folder and plan.get("records", True):
        write_records(plan, Path(folder))
        if "thread_trace" in plan:
            write_thread_trace(plan, Path(folder))
    if plan.get("wait"):
        signal.signal(signal.SIGINT, lambda *_: sys.exit(7))
        (place / "ready").write_text(str(os.getpid()))
        time.sleep(60)
    if plan.get("signal"):
        os.kill(os.getpid(), plan["signal"])
    sys.exit(plan.get("exit", 0))


main()
