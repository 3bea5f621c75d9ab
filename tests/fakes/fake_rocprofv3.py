"""The ``bin/rocprofv3`` of the fake prefix: strict about its command line, free of any GPU.

It follows the real one where a caller can notice: options before ``--``, the application started
without a shell in the caller's directory, its exit status passed on, output written only after it
ended, and no file at all when there is nothing to record. ``behaviour.json`` beside ``bin``
makes it misbehave; ``calls.jsonl`` tells the tests how it was called.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

PREFIX = Path(__file__).resolve().parent.parent
KERNEL = "vector_add(float const*, float const*, float*, int)"
SYMBOL = "_Z10vector_addPKfS0_Pfi.kd"
KERNEL_CSV = (
    "Kind,Agent_Id,Queue_Id,Stream_Id,Thread_Id,Dispatch_Id,Kernel_Id,Kernel_Name,Correlation_Id,"
    "Start_Timestamp,End_Timestamp,LDS_Block_Size,Scratch_Size,VGPR_Count,Accum_VGPR_Count,"
    "SGPR_Count,Workgroup_Size_X,Workgroup_Size_Y,Workgroup_Size_Z,Grid_Size_X,Grid_Size_Y,"
    "Grid_Size_Z"
)
BOOLEANS = (
    "kernel-trace",
    "hip-trace",
    "hip-runtime-trace",
    "hsa-trace",
    "memory-copy-trace",
    "memory-allocation-trace",
    "scratch-memory-trace",
    "marker-trace",
)
ATT_VALUES = (
    "kernel-iteration-range",
    "att-target-cu",
    "att-shader-engine-mask",
    "att-library-path",
)
# Columns of rocpd schema 3 after "id" and "guid".
TABLES = {
    "string": "string",
    "info_node": "hash machine_id system_name hostname release version hardware_name domain_name",
    "info_process": "nid ppid pid init fini start end command environment extdata",
    "info_thread": "nid ppid pid tid name start end extdata",
    "info_agent": "nid pid type absolute_index logical_index type_index uuid name model_name "
    "vendor_name product_name user_name extdata",
    "info_queue": "nid pid name extdata",
    "info_stream": "nid pid name extdata",
    "info_pmc": "nid pid agent_id target_arch event_code instance_id name symbol description "
    "long_description component units value_type block expression is_constant is_derived extdata",
    "info_code_object": "nid pid agent_id uri load_base load_size load_delta storage_type extdata",
    "info_kernel_symbol": "nid pid code_object_id kernel_name display_name kernel_object "
    "kernarg_segment_size kernarg_segment_alignment group_segment_size private_segment_size "
    "sgpr_count arch_vgpr_count accum_vgpr_count extdata",
    "track": "nid pid tid name_id extdata",
    "event": "category_id stack_id parent_stack_id correlation_id call_stack line_info extdata",
    "arg": "event_id position type name value extdata",
    "pmc_event": "event_id pmc_id value extdata",
    "region": "nid pid tid start end name_id event_id extdata",
    "sample": "track_id timestamp event_id extdata",
    "kernel_dispatch": "nid pid tid agent_id kernel_id dispatch_id queue_id stream_id start end "
    "private_segment_size group_segment_size workgroup_size_x workgroup_size_y workgroup_size_z "
    "grid_size_x grid_size_y grid_size_z region_name_id event_id extdata",
    "memory_copy": "nid pid tid start end name_id dst_agent_id dst_address src_agent_id "
    "src_address size queue_id stream_id region_name_id event_id extdata",
    "memory_allocate": "nid pid tid agent_id type level start end address size queue_id stream_id "
    "event_id extdata",
}
AGENT_FACTS = {
    "cu_count": 304,
    "simd_count": 1216,
    "simd_per_cu": 4,
    "num_xcc": 8,
    "wave_front_size": 64,
    "max_waves_per_simd": 8,
    "lds_size_in_kb": 64,
    "max_engine_clk_fcompute": 2100,
    "gfx_target_version": 90402,
}


class Rocpd:
    """A database in AMD's layout: tables with a suffix, and a view of the bare name for each."""

    def __init__(self, path):
        import sqlite3  # tests ask a thousand times for the version or the options only
        import uuid

        self.guid = str(uuid.uuid4())
        self.suffix = "_" + self.guid.replace("-", "_")
        self.database = sqlite3.connect(path)
        self.run(f"CREATE TABLE rocpd_metadata{self.suffix} (id INTEGER PRIMARY KEY, tag, value)")
        for tag, value in (("schema_version", "3"), ("uuid", self.suffix), ("guid", self.guid)):
            self.run(
                f"INSERT INTO rocpd_metadata{self.suffix} (tag, value) VALUES (?, ?)", tag, value
            )
        for name, columns in TABLES.items():
            quoted = ", ".join(f'"{column}"' for column in columns.split())
            self.run(
                f"CREATE TABLE rocpd_{name}{self.suffix} (id INTEGER PRIMARY KEY, guid, {quoted})"
            )
        for name in ("metadata", *TABLES):
            self.run(f"CREATE VIEW rocpd_{name} AS SELECT * FROM rocpd_{name}{self.suffix}")
        self.strings = {}

    def run(self, statement, *values):
        return self.database.execute(statement, values)

    def add(self, table, **values):
        if "extdata" in TABLES[table].split():
            values.setdefault("extdata", "{}")
        names = ", ".join(f'"{name}"' for name in ("guid", *values))
        marks = ", ".join("?" * (len(values) + 1))
        statement = f"INSERT INTO rocpd_{table}{self.suffix} ({names}) VALUES ({marks})"
        return self.run(statement, self.guid, *values.values()).lastrowid

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = self.add("string", string=text)
        return self.strings[text]

    def event(self, category, stack, parent=0):
        return self.add(
            "event",
            category_id=self.string(category),
            stack_id=stack,
            parent_stack_id=parent,
            correlation_id=0,
            call_stack="{}",
            line_info="{}",
        )

    def close(self):
        self.database.commit()
        self.database.close()


def write_rocpd(path, options, application, pid, spans, behaviour):
    db = Rocpd(path)
    db.add("info_node", hash=1, machine_id="m", system_name="Linux", hostname="fake")
    common = {"nid": 1, "pid": pid}
    command = " ".join(application)
    db.add("info_process", id=pid, ppid=1, command=command, environment="{}", **common)
    db.add("info_thread", id=pid, ppid=1, tid=pid, name="main", **common)
    for index, kind, name, product in (
        (0, "CPU", "fake-cpu", "CPU"),
        (1, "GPU", "gfx942", behaviour["product"]),
    ):
        db.add(
            "info_agent", id=index, type=kind, absolute_index=index, logical_index=index,
            type_index=0, name=name, product_name=product, vendor_name="AMD", user_name="",
            model_name="", extdata=json.dumps(AGENT_FACTS if kind == "GPU" else {}), **common,
        )  # fmt: skip
    db.add("info_queue", id=1, name="Queue 1", **common)
    db.add("info_stream", id=0, name="Default Stream", **common)
    db.add(
        "info_code_object",
        id=1,
        agent_id=1,
        uri="memory://1",
        load_base=4096,
        load_size=4096,
        **common,
    )
    db.add(
        "info_kernel_symbol", id=1, code_object_id=1, kernel_name=SYMBOL,
        display_name=behaviour["kernel"] or KERNEL,
        kernarg_segment_size=28, kernarg_segment_alignment=8, group_segment_size=0,
        private_segment_size=0, sgpr_count=16, arch_vgpr_count=12, accum_vgpr_count=4, **common,
    )  # fmt: skip
    counters = {
        name: db.add("info_pmc", agent_id=1, target_arch="GPU", name=name, symbol=name, **common)
        for name in options.pmc or ()
        if name not in behaviour["missing_counters"]
    }
    for number, (start, end) in enumerate(spans, start=1):
        if options.hip_trace or options.hip_runtime_trace:
            db.add(
                "region", id=number, tid=pid, start=start - 5000, end=start - 1000,
                name_id=db.string("hipLaunchKernel"),
                event_id=db.event("HIP_RUNTIME_API_EXT", number), **common,
            )  # fmt: skip
        event = db.event("KERNEL_DISPATCH", number, number)
        db.add(
            "kernel_dispatch", id=number, tid=pid, agent_id=1, kernel_id=1, dispatch_id=number,
            queue_id=1, stream_id=0, start=start, end=end, private_segment_size=0,
            group_segment_size=0, workgroup_size_x=256, workgroup_size_y=1, workgroup_size_z=1,
            grid_size_x=1048576, grid_size_y=1, grid_size_z=1, region_name_id=db.string(""),
            event_id=event, **common,
        )  # fmt: skip
        for name, counter in counters.items():
            db.add(
                "pmc_event", event_id=event, pmc_id=counter, value=float(100 * number + len(name))
            )
    if options.memory_copy_trace:
        db.add(
            "memory_copy", tid=pid, start=spans[0][0] - 90000, end=spans[0][0] - 50000,
            name_id=db.string("MEMORY_COPY_HOST_TO_DEVICE"), dst_agent_id=1, src_agent_id=0,
            size=4194304, queue_id=0, stream_id=0, event_id=db.event("MEMORY_COPY", 0), **common,
        )  # fmt: skip
    db.close()


def write_csv(path, spans):
    rows = [KERNEL_CSV]
    for number, (start, end) in enumerate(spans, start=1):
        rows.append(
            f'"KERNEL_DISPATCH","Agent 1",1,0,7,{number},1,"{KERNEL}",{number},{start},{end},'
            "0,0,12,4,16,256,1,1,1048576,1,1"
        )
    path.write_text("\n".join(rows) + "\n")


def parse(arguments, behaviour):
    parser = argparse.ArgumentParser(prog="rocprofv3", allow_abbrev=False)
    parser.add_argument("-v", "--version", action="store_true")
    parser.add_argument("-d", "--output-directory")
    parser.add_argument("-o", "--output-file")
    formats = ("csv", "json", "pftrace", "otf2") + (("rocpd",) if behaviour["rocpd"] else ())
    parser.add_argument(
        "-f", "--output-format", nargs="+", choices=formats, help=f"formats: {', '.join(formats)}"
    )
    for name in BOOLEANS:
        parser.add_argument(f"--{name}", nargs="?", const=True)
    parser.add_argument("--pmc", nargs="*")
    parser.add_argument("--kernel-include-regex")
    if behaviour["thread_traces"] is not None:
        parser.add_argument("--att", action="store_true")
        for name in ATT_VALUES:
            parser.add_argument(f"--{name}")
    if "--" in arguments:
        split = arguments.index("--")
        return parser.parse_args(arguments[:split]), arguments[split + 1 :]
    return parser.parse_args(arguments), []


def record(options, application, behaviour, run):
    """Write what the run left behind; nothing at all when it launched no kernel."""
    duration = behaviour["durations_ns"][run % len(behaviour["durations_ns"])]
    count = behaviour["dispatches"]
    spans = [(10**9 + n * 2 * duration, 10**9 + n * 2 * duration + duration) for n in range(count)]
    if not spans or not (options.kernel_trace or options.pmc):
        return
    host = Path(options.output_directory or ".") / os.uname().nodename
    host.mkdir(parents=True, exist_ok=True)
    chosen = (options.output_format or ["rocpd" if behaviour["rocpd"] else "csv"])[0]
    for process in range(behaviour["processes"]):
        pid = os.getpid() + process
        if chosen == "csv":
            write_csv(host / f"{pid}_kernel_trace.csv", spans)
        elif behaviour["partial_db"]:
            (host / f"{pid}_results.db").write_bytes(b"SQLite format 3\0" + bytes(100))
        else:
            path = host / f"{pid}_results.db"
            write_rocpd(path, options, application, pid, spans, behaviour)


def record_thread_trace(options, behaviour, attempt):
    """The folders that the trace decoder leaves in the output directory."""
    attempts = behaviour["thread_traces"]
    for number, content in enumerate(attempts[min(attempt, len(attempts) - 1)], 1):
        folder = Path(options.output_directory, f"ui_output_agent_1_dispatch_{number}")
        folder.mkdir(parents=True)
        for name, document in content.items():
            (folder / name).write_text(json.dumps(document))


def leave_like(code):
    if code < 0:
        if -code == signal.SIGINT:  # the only one that Python itself handles
            signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)


def main():
    behaviour = json.loads((PREFIX / "behaviour.json").read_text())
    calls = PREFIX / "calls.jsonl"
    options, application = parse(sys.argv[1:], behaviour)
    if options.version:
        print(behaviour["version_report"])
        return
    if behaviour["script_fatal"]:
        sys.exit(
            print(f"[rocprofv3] Fatal error: {behaviour['script_fatal']}", file=sys.stderr) or 1
        )
    if not application:
        sys.exit("Fatal error: No application provided")
    earlier = calls.read_text().splitlines() if calls.exists() else []
    run, traced = len(earlier), sum("--att" in json.loads(line)["argv"] for line in earlier)
    call = {"argv": sys.argv[1:], "cwd": os.getcwd(), "environment": dict(os.environ)}
    with calls.open("a") as log:
        log.write(json.dumps(call) + "\n")
    if behaviour["noise"]:
        print("W20251115 profiler noise on stdout", flush=True)
        print("W20251115 profiler noise on stderr", file=sys.stderr, flush=True)
    tracing = getattr(options, "att", False)
    if tracing:
        print(behaviour["att_log"], file=sys.stderr, flush=True)
        if behaviour["att_fatal"]:
            sys.exit(1)
    code = subprocess.call(application)
    if behaviour["log"]:
        print(behaviour["log"], file=sys.stderr, flush=True)
    bug = behaviour["semicolon_bug"] and ";" in " ".join(application)
    if bug and options.output_format != ["csv"]:
        print(
            "E20251115 SQLite3 error 1: unrecognized token in rocpd_info_process",
            file=sys.stderr,
            flush=True,
        )
        os.abort()
    if behaviour["library_fatal"]:
        print(
            f"F20251115 02:03:04.567890 77 tool.cpp:9] {behaviour['library_fatal']}",
            file=sys.stderr,
            flush=True,
        )
        os.abort()
    if code == 0 and tracing:
        record_thread_trace(options, behaviour, traced)
    elif code == 0:
        record(options, application, behaviour, run)
    leave_like(code)


if __name__ == "__main__":
    main()
