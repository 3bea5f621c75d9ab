"""The runtime libraries: compiled once for all environments, under the names that loaders want."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rocm_perf_lab.vrocm import libraries
from rocm_perf_lab.vrocm.libraries import LIBRARIES, ensure_libraries, put_libraries
from rocm_perf_lab.vrocm.toolchain import Toolchain


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toolchain:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "llvm" / "bin").mkdir(parents=True)
    (tmp_path / "llvm" / "bin" / "clang++").touch()
    (tmp_path / "ocml.bc").touch()
    return Toolchain(19, tmp_path / "llvm", Path("cmake"), tmp_path)


def source_tree(root: Path) -> Path:
    for name in ("CMakeLists.txt", "native/CMakeLists.txt", "native/vgpu/a.cpp"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("one")
    return root


def fake_cmake(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Leaves what a build leaves; the list has the folder of each build."""
    built: list[Path] = []

    def run(sources: Path, toolchain: Toolchain, work: Path, progress: object) -> None:
        built.append(work)
        (work / "lib").mkdir(exist_ok=True)
        for name in LIBRARIES:
            file = work / "lib" / f"lib{name}.so.7.1.0"
            file.write_text(name)
            if not (work / "lib" / f"lib{name}.so").is_symlink():
                (work / "lib" / f"lib{name}.so").symlink_to(file.name)

    monkeypatch.setattr(libraries, "_run_cmake", run)
    return built


def test_two_environments_compile_once(
    tools: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = fake_cmake(monkeypatch)
    first = ensure_libraries(source_tree(tmp_path / "one"), tools, lambda step: None)
    second = ensure_libraries(source_tree(tmp_path / "other"), tools, lambda step: None)
    assert first == second
    assert len(built) == 1
    changed = source_tree(tmp_path / "changed")
    (changed / "native" / "vgpu" / "a.cpp").write_text("two")
    assert ensure_libraries(changed, tools, lambda step: None) != first
    ensure_libraries(changed, tools, lambda step: None, again=True)
    assert len(built) == 3


def test_those_that_nobody_used_for_long_are_removed(
    tools: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_cmake(monkeypatch)
    sources = source_tree(tmp_path / "sources")
    made = {}
    for text in ("oldest", "used", "old"):
        (sources / "native" / "vgpu" / "a.cpp").write_text(text)
        made[text] = ensure_libraries(sources, tools, lambda step: None)
    for folder in made.values():
        os.utime(folder / ".used", (0, 0))
    for text in ("used", "new"):
        (sources / "native" / "vgpu" / "a.cpp").write_text(text)
        made[text] = ensure_libraries(sources, tools, lambda step: None)
    assert {name for name, folder in made.items() if folder.exists()} == {"used", "new"}


def test_names_of_linkers_and_loaders_lead_to_one_file(tmp_path: Path) -> None:
    built, to = tmp_path / "built", tmp_path / "lib"
    built.mkdir()
    to.mkdir()
    (built / "libamdhip64.so.7.1.0").write_text("code")
    (built / "libamdhip64.so").symlink_to("libamdhip64.so.7.1.0")
    (built / "libother.so.1").write_text("somebody's")
    put_libraries(built, to)
    assert {path.name for path in to.iterdir()} == {
        "libamdhip64.so",
        "libamdhip64.so.6",  # for programs of ROCm 6
        "libamdhip64.so.7",
        "libamdhip64.so.7.1.0",
    }
    assert os.readlink(to / "libamdhip64.so") == "libamdhip64.so.7"
    assert (to / "libamdhip64.so").read_text() == "code"
    assert (to / "libamdhip64.so.6").read_text() == "code"


def test_what_a_wheel_carries_is_used_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libraries, "carried", lambda part: tmp_path / "carried" / part)
    assert ensure_libraries(tmp_path, None, lambda step: None) == tmp_path / "carried" / "lib"
