"""The prefix: one per state of sources and compiler, built once, never half."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path
from typing import Callable, Optional

import pytest

from rocm_perf_lab.cli import main as program
from rocm_perf_lab.errors import ToolMissing, UsageError
from rocm_perf_lab.vrocm import prefix, toolchain
from rocm_perf_lab.vrocm.build import MARKER
from rocm_perf_lab.vrocm.sources import library_digest, source_digest, source_root
from rocm_perf_lab.vrocm.toolchain import Toolchain
from rocm_perf_lab.vrocm.whole import write_list


class Builder:
    """Stands in for the build: writes the marker, counts, and can fail."""

    def __init__(self) -> None:
        self.built: list[Path] = []
        self.toolchains: list[Optional[Toolchain]] = []
        self.libraries_again: list[bool] = []
        self.failure: Exception | None = None
        self.pause = threading.Event()
        self.pause.set()

    def __call__(
        self,
        sources: Path,
        tools: Optional[Toolchain],
        libraries: Path,
        to: Path,
        progress: Callable[[str], None],
    ) -> None:
        progress("working")
        self.built.append(to)
        self.toolchains.append(tools)
        self.pause.wait(10)
        if self.failure:
            raise self.failure
        (to / MARKER).parent.mkdir()
        (to / MARKER).write_text("gfx942\n")


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Builder:
    made = Builder()
    monkeypatch.setattr(prefix, "build_prefix", made)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    compiler = tmp_path / "llvm" / "bin" / "clang++"
    compiler.parent.mkdir(parents=True)
    compiler.write_text("clang")
    (tmp_path / "ocml.bc").write_text("bitcode")
    tools = Toolchain(19, tmp_path / "llvm", Path("cmake"), tmp_path)
    monkeypatch.setattr(prefix, "find_toolchain", lambda compiles_libraries: tools)

    def libraries(*_: object, again: bool) -> Path:
        made.libraries_again.append(again)
        return tmp_path / "libraries"

    monkeypatch.setattr(prefix, "ensure_libraries", libraries)
    sources = tmp_path / "sources"
    (sources / "native" / "vgpu").mkdir(parents=True)
    for name in ("CMakeLists.txt", "native/CMakeLists.txt", "native/vgpu/a.cpp"):
        (sources / name).write_text("one")
    monkeypatch.setattr(prefix, "source_root", lambda: sources)
    return made


def ignore(step: str) -> None:
    del step


def test_it_is_built_on_first_use_and_found_afterwards(builder: Builder, tmp_path: Path) -> None:
    assert prefix.existing_prefix() is None
    steps: list[str] = []
    path = prefix.ensure_prefix(steps.append)
    assert path.parent == tmp_path / "cache" / "rocm-perf-lab"
    assert path.name.startswith("vrocm-")
    assert steps == ["working"]
    assert prefix.ensure_prefix(ignore) == path
    assert prefix.existing_prefix() == path
    assert len(builder.built) == 1


def test_changed_sources_or_compiler_make_another(builder: Builder, tmp_path: Path) -> None:
    first = prefix.ensure_prefix(ignore)
    (tmp_path / "sources" / "native" / "vgpu" / "a.cpp").write_text("two")
    second = prefix.ensure_prefix(ignore)
    (tmp_path / "llvm" / "bin" / "clang++").write_text("another clang")
    third = prefix.ensure_prefix(ignore)
    assert len({first, second, third}) == 3


def test_each_interpreter_has_a_prefix_of_its_own(
    builder: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its path is in the scripts of the prefix."""
    first = prefix.ensure_prefix(ignore)
    monkeypatch.setattr(prefix.sys, "executable", "/somewhere/else/python3")
    assert prefix.ensure_prefix(ignore) != first


def test_rebuild_replaces_it(builder: Builder) -> None:
    path = prefix.ensure_prefix(ignore)
    (path / "old").touch()
    assert prefix.ensure_prefix(ignore, rebuild=True) == path
    assert not (path / "old").exists()
    assert builder.libraries_again == [False, True]
    write_list(path)
    (path / MARKER).write_text("")
    with pytest.raises(ToolMissing, match="virtual has 0 of 7 bytes"):
        prefix.ensure_prefix(ignore)
    assert program.main(["vrocm", "rebuild"]) == 0
    assert (path / MARKER).read_text() == "gfx942\n"


def test_a_failed_build_leaves_nothing(builder: Builder) -> None:
    builder.failure = ToolMissing("no compiler")
    with pytest.raises(ToolMissing):
        prefix.ensure_prefix(ignore)
    assert prefix.existing_prefix() is None
    assert not builder.built[0].exists()


def test_what_a_killed_builder_left_is_removed(builder: Builder) -> None:
    builder.failure = ToolMissing("no compiler")
    with pytest.raises(ToolMissing):
        prefix.ensure_prefix(ignore)
    left_over = builder.built[0]
    left_over.mkdir()
    builder.failure = None
    prefix.ensure_prefix(ignore)
    assert not left_over.exists()


def test_two_builders_build_once(builder: Builder) -> None:
    builder.pause.clear()
    found: list[Path] = []
    threads = [
        threading.Thread(target=lambda: found.append(prefix.ensure_prefix(ignore)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    builder.pause.set()
    for thread in threads:
        thread.join(20)
    assert len(found) == 2
    assert found[0] == found[1]
    assert len(builder.built) == 1


def test_a_folder_of_the_user(builder: Builder, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    assert prefix.ensure_prefix(ignore, at=mine) == mine
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "thesis.tex").touch()
    with pytest.raises(UsageError, match="in use"):
        prefix.ensure_prefix(ignore, at=foreign)
    assert (foreign / "thesis.tex").exists()


def test_env_prints_what_a_shell_evaluates(
    builder: Builder, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = tmp_path / "a b"
    assert program.main(["vrocm", "env", "--prefix", str(where)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert f"export ROCM_PATH='{where}'" in lines
    assert f"export PATH='{where}/bin':\"$PATH\"" in lines
    assert "export HIP_PLATFORM=amd" in lines
    library_path = '"${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"'
    assert f"export LD_LIBRARY_PATH='{where}/lib'{library_path}" in lines
    assert not any(line.startswith("export HIPCXX") for line in lines)  # there is no compiler
    clang = where / "llvm" / "bin" / "clang++"
    clang.parent.mkdir(parents=True)
    clang.touch()
    assert program.main(["vrocm", "env", "--prefix", str(where)]) == 0
    assert f"export HIPCXX='{clang}'" in capsys.readouterr().out.splitlines()
    assert program.main(["vrocm", "path", "--prefix", str(where)]) == 0
    assert capsys.readouterr().out == f"{where}\n"


def test_missing_tools_come_with_the_one_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(toolchain, "LLVM_ROOTS", (str(tmp_path / "llvm-{version}"),))
    monkeypatch.setattr(toolchain, "BITCODE_FOLDERS", (str(tmp_path / "none"),))
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(ToolMissing) as missing:
        toolchain.find_toolchain()
    command = missing.value.next_step or ""
    assert command.startswith("apt-get install")
    for package in ("clang-19", "lld-19", "llvm-19", "clang-tools-19", "cmake", "rocm-device-libs"):
        assert command.split().count(package) == 1


def test_who_compiles_no_libraries_needs_no_cmake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain, "_newest_llvm", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    for compiles in (True, False):
        with pytest.raises(ToolMissing) as missing:
            toolchain.find_toolchain(compiles_libraries=compiles)
        assert ("cmake" in (missing.value.next_step or "").split()) is compiles


def test_a_partly_installed_llvm_asks_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tools = tmp_path / "llvm-18" / "bin"
    tools.mkdir(parents=True)
    for name in ("clang++", "llvm-as", "llvm-dis", "llvm-link"):
        (tools / name).touch(mode=0o755)
    monkeypatch.setattr(toolchain, "LLVM_ROOTS", (str(tmp_path / "llvm-{version}"),))
    with pytest.raises(ToolMissing) as missing:
        toolchain.find_toolchain()
    command = missing.value.next_step or ""
    assert "clang-tools-18 lld-18" in command
    assert "clang-18" not in command.split()


def test_the_digest_knows_every_source(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    (copy / "native").mkdir(parents=True)
    shutil.copy(source_root() / "CMakeLists.txt", copy)
    shutil.copy(source_root() / "native" / "CMakeLists.txt", copy / "native")
    shutil.copytree(source_root() / "native" / "devicelib", copy / "native" / "devicelib")
    before = source_digest(copy)
    (copy / "native" / "devicelib" / "new.cl").touch()
    assert source_digest(copy) != before


def test_the_same_sources_elsewhere_have_the_same_digest(tmp_path: Path) -> None:
    """Every environment has a copy of its own: one build of the libraries serves all of them."""
    copies = [tmp_path / name for name in ("one", "other")]
    for copy in copies:
        (copy / "native" / "vgpu").mkdir(parents=True)
        for name in ("CMakeLists.txt", "native/CMakeLists.txt", "native/vgpu/a.cpp"):
            (copy / name).write_text(name)
    assert library_digest(copies[0]) == library_digest(copies[1])
    assert source_digest(copies[0]) == source_digest(copies[1])
    (copies[1] / "native" / "vgpu" / "a.cpp").rename(copies[1] / "native" / "vgpu" / "b.cpp")
    assert library_digest(copies[0]) != library_digest(copies[1])


def test_a_wheel_that_carries_libraries_needs_no_compiler(
    builder: Builder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = prefix.ensure_prefix(ignore)

    def missing(compiles_libraries: bool) -> Toolchain:
        assert not compiles_libraries
        raise ToolMissing("no clang")

    monkeypatch.setattr(prefix, "find_toolchain", missing)
    monkeypatch.setattr(prefix, "carried", lambda part: tmp_path / part)
    path = prefix.ensure_prefix(ignore)
    assert prefix.existing_prefix() == path
    # A compiler that is installed later makes another prefix.
    assert path != found
    assert builder.toolchains[1:] == [None]


def _age(path: Path, days: float) -> None:
    then = time.time() - days * 24 * 3600
    os.utime(path, (then, then))


def test_a_build_removes_prefixes_that_were_not_used_for_long(
    builder: Builder, tmp_path: Path
) -> None:
    source = tmp_path / "sources" / "native" / "vgpu" / "a.cpp"
    ages = {"very old": 9.0, "old but used": 8.0, "old": 7.0, "of today": 0.5}
    made = {}
    for text in ages:
        source.write_text(text)
        made[text] = prefix.ensure_prefix(ignore)
    for text, path in made.items():
        _age(path / MARKER, ages[text])
    killed = made["old"].parent / ".vrocm-0123.builder"
    killed.mkdir()
    _age(killed, 2)
    source.write_text("old but used")
    assert prefix.existing_prefix() == made["old but used"]
    source.write_text("new")
    new = prefix.ensure_prefix(ignore)
    assert sorted(p for p in new.parent.glob("vrocm-*")) == sorted(
        [made["old but used"], made["of today"], new]
    )
    assert not killed.exists()


def test_the_two_prefixes_used_last_stay_however_old(builder: Builder, tmp_path: Path) -> None:
    first = prefix.ensure_prefix(ignore)
    _age(first / MARKER, 100)
    (tmp_path / "sources" / "native" / "vgpu" / "a.cpp").write_text("two")
    second = prefix.ensure_prefix(ignore)
    assert prefix.is_prefix(first)
    assert prefix.is_prefix(second)
