"""Files that are no recordings are named as what they are, with what to record instead."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from rocm_perf_lab.errors import RecordingError
from rocm_perf_lab.trace.load import load

PERFETTO = (b"\x0a\x05" + b"hello") * 4
FILES = [
    ("out.pftrace", PERFETTO, "a Perfetto trace", "--output-format rocpd"),
    ("perfetto-trace.proto", PERFETTO, "a Perfetto trace", "--output-format rocpd"),
    ("out.json", b'{"traceEvents": [{"ph": "X", "name": "k"}]}', "Chrome's format", "rocprofv3"),
    ("out.json", b'[{"ph": "B", "name": "k"}]', "Chrome's format", "rocprofv3"),
    (
        "results.json",
        b'{ "traceEvents":[{},{"args":{"BeginNs":"1","EndNs":"2"},"ph":"X"}]}',
        "rocprof version 1",
        "rocprofv3",
    ),
    (
        "results.csv",
        b"Index,KernelName,gpu-id,queue-id,queue-index,pid,tid,grd,wgr\n0,k,0,0,0,1,1,64,64\n",
        "rocprof version 1",
        "rocprofv3",
    ),
    (
        "1_kernel_stats.csv",
        b'"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"k",1,2,2.0,100.0\n',
        "a table of statistics",
        "kernel_trace.csv",
    ),
    ("sysinfo.csv", b"hostname,gpu_arch,command\na,gfx942,./x\n", "rocprof-compute", "folder"),
    ("roofline.csv", b"device,HBMBw,L2Bw\n0,1,2\n", "rocprof-compute", "folder"),
    ("report.nsys-rep", b"\x00\x01", "NVIDIA's Nsight", "rocprofv3"),
    ("123_shader_engine_0.att", b"\x00\x01", "librocprof-trace-decoder.so", "ui_output_agent_"),
    ("trace.tar", b"x" * 257 + b"ustar\x00" + b"x" * 300, "an archive of files", "tar -xf"),
    ("traces.otf2", b"OTF2", "an OTF2 archive", "--output-format rocpd"),
    ("app", b"\x7fELF" + bytes(100), "a program, not a recording", "rocm-perf profile -- PATH"),
]


@pytest.mark.parametrize(("name", "content", "what", "cure"), FILES)
@pytest.mark.parametrize("packed", [False, True])
def test_named_as_what_it_is(
    tmp_path: Path, name: str, content: bytes, what: str, cure: str, packed: bool
) -> None:
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(content) if packed else content)
    with pytest.raises(RecordingError, match=what) as caught:
        load([path])
    assert cure in (caught.value.next_step or "")
    with pytest.raises(RecordingError, match=rf"holds no recording; .* in it is .*{what}"):
        load([tmp_path])


def test_json_of_its_own_is_not_called_a_trace(tmp_path: Path) -> None:
    path = tmp_path / "package.json"
    path.write_text('{"name": "x"}')
    with pytest.raises(RecordingError, match="is not a rocprofv3 recording"):
        load([path])


def test_text_that_begins_with_an_empty_line_is_no_perfetto_trace(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(b"\n\x03abc\n words and words\n" * 20)
    with pytest.raises(RecordingError, match="is not a rocprofv3 recording"):
        load([path])


def test_code_objects_beside_a_raw_thread_trace_are_not_what_is_named(tmp_path: Path) -> None:
    (tmp_path / "1_code_object_1.out").write_bytes(b"\x7fELF" + bytes(100))
    (tmp_path / "1_shader_engine_0_1.att").write_bytes(b"\x00\x01")
    with pytest.raises(RecordingError, match=r"1_shader_engine_0_1.att in it is a raw thread tr"):
        load([tmp_path])
