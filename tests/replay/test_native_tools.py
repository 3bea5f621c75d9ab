"""Where the capture library and the replayer come from."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import ToolMissing
from rocm_perf_lab.replay import native_tools as module
from rocm_perf_lab.replay.native_tools import native_tools


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prefix:
    """A prefix without headers, an empty cache, and no build folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv(module.BUILD_VARIABLE, raising=False)
    monkeypatch.setattr(module, "is_checkout", lambda root: False)
    return Prefix(tmp_path / "rocm", "rocm", "--rocm")


def fake_compiler(tmp_path: Path, *, fails: bool = False) -> Path:
    """Notes its command line and writes its output file."""
    compiler = tmp_path / "fake compiler"
    body = 'echo "broken" >&2; exit 1' if fails else 'for last; do :; done; echo made > "$last"'
    compiler.write_text(f'#!/bin/sh\necho "$*" >> "{tmp_path}/log"\n{body}\n')
    compiler.chmod(0o755)
    return compiler


def test_they_are_compiled_once(
    prefix: Prefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", str(fake_compiler(tmp_path)))
    first = native_tools(prefix)
    assert first == native_tools(prefix)
    assert first.capture.read_text() == first.replayer.read_text() == "made\n"
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 2
    assert all("/native/include" in line for line in lines)
    assert sorted("-shared" in line for line in lines) == [False, True]


def test_headers_of_the_prefix_come_first(
    prefix: Prefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", str(fake_compiler(tmp_path)))
    (prefix.path / "include" / "hsa").mkdir(parents=True)
    (prefix.path / "include" / "hsa" / "hsa_api_trace.h").write_text("// ROCm's\n")
    native_tools(prefix)
    assert f"-I{prefix.path / 'include'}" in (tmp_path / "log").read_text()


def test_a_compiler_that_fails_is_quoted(
    prefix: Prefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", str(fake_compiler(tmp_path, fails=True)))
    with pytest.raises(ToolMissing, match="broken"):
        native_tools(prefix)
    assert not list((tmp_path / "cache").rglob("replay-tools-*/*"))


def test_a_compiler_that_does_not_end(
    prefix: Prefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiler = tmp_path / "slow"
    compiler.write_text("#!/bin/sh\nexec sleep 60\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setattr(module, "_COMPILE_SECONDS", 0.2)
    with pytest.raises(ToolMissing, match=r"slow did not end within 0\.2 s on") as caught:
        native_tools(prefix)
    assert "when the machine has less to do" in str(caught.value.next_step)


def test_no_compiler_at_all(prefix: Prefix, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(ToolMissing, match="C\\+\\+ compiler"):
        native_tools(prefix)


def test_a_build_folder_is_used_unless_a_source_is_newer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(module.BUILD_VARIABLE, raising=False)
    root = tmp_path / "checkout"
    for part, name in (("lib", module.CAPTURE_LIBRARY), ("bin", module.REPLAYER)):
        (root / "build" / part).mkdir(parents=True)
        (root / "build" / part / name).write_text("built")
    source = tmp_path / "source.cpp"
    source.write_text("")
    os.utime(source, (1, 1))
    assert module._built_by_cmake(root, [source]) is not None
    os.utime(source, (2**33, 2**33))
    assert module._built_by_cmake(root, [source]) is None


def test_what_a_binary_wheel_carries_is_for_the_virtual_device(
    prefix: Prefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real ROCm may have other headers: there the tools are compiled against those."""
    monkeypatch.setattr(module, "carried", lambda part: tmp_path / "carried" / part)
    monkeypatch.setenv("CXX", str(fake_compiler(tmp_path)))
    found = native_tools(replace(prefix, kind="virtual"))
    assert found.capture == tmp_path / "carried" / "lib" / module.CAPTURE_LIBRARY
    assert found.replayer == tmp_path / "carried" / "bin" / module.REPLAYER
    assert not (tmp_path / "log").exists()
    assert native_tools(prefix).capture.read_text() == "made\n"
