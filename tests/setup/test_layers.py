"""Imports point downwards, and the check would notice if they did not."""

from __future__ import annotations

import shutil
from pathlib import Path

from fakes.scripts import load_script

TOP = Path(__file__).resolve().parents[2]
SCRIPT = TOP / "scripts" / "check-layers.py"


def test_imports_point_downwards() -> None:
    assert load_script("check-layers").violations() == []


def test_an_upward_import_is_found(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    (tmp_path / "trace" / "bad.py").write_text(
        "def f():\n    from rocm_perf_lab.cli import main\n    return main\n"
    )
    (found,) = load_script("check-layers").violations(tmp_path)
    assert "trace must not import cli" in found
    assert "bad.py:2" in found


def test_an_unknown_room_is_found(tmp_path: Path) -> None:
    (tmp_path / "utils").mkdir()
    (tmp_path / "utils" / "x.py").write_text("")
    (found,) = load_script("check-layers").violations(tmp_path)
    assert "'utils' is not in the list" in found


def test_native_includes_point_downwards_without_circles() -> None:
    assert load_script("check-layers").native_violations() == []


def test_the_documented_diagram_is_current() -> None:
    documented = (TOP / "docs" / "ARCHITECTURE.md").read_text("utf-8")
    assert f"```\n{load_script('check-layers').diagram()}```" in documented, (
        "put the output of scripts/check-layers.py --diagram into docs/ARCHITECTURE.md"
    )


def planted(tmp_path: Path, room: str, *includes: tuple[str, str]) -> list[str]:
    """What is found in a copy of the native sources after files of `room` include more: pairs of
    names of files, the second one anywhere in native/vgpu."""
    root = tmp_path / "native"
    shutil.copytree(TOP / "native", root, ignore=shutil.ignore_patterns("tests", "include"))
    for name, included in includes:
        (file,) = (root / room).rglob(name)
        (target,) = (root / "vgpu").rglob(included)
        line = f'#include "{target.relative_to(root / "vgpu").as_posix()}"\n'
        file.write_text(line + file.read_text("utf-8"), "utf-8")
    found: list[str] = load_script("check-layers").native_violations(root)
    return found


def test_an_upward_include_is_found(tmp_path: Path) -> None:
    found = planted(tmp_path, "vgpu/exec", ("wave.h", "device.h"))
    assert any("wave.h:1: vgpu/exec must not include vgpu/device above it" in f for f in found)


def test_the_model_must_not_see_execution(tmp_path: Path) -> None:
    found = planted(tmp_path, "vgpu/model", ("noise.cpp", "wave.h"))
    assert any("noise.cpp:1: vgpu/model must not include vgpu/exec beside it" in f for f in found)


def test_a_circle_of_folders_is_found(tmp_path: Path) -> None:
    root = tmp_path / "native"
    for folder, other in (("a", "b"), ("b", "c"), ("c", "a")):
        (root / "capture" / folder).mkdir(parents=True)
        (root / "capture" / folder / f"{folder}.h").write_text(f'#include "../{other}/{other}.h"\n')
    (found,) = load_script("check-layers").native_violations(root)
    assert found.startswith("a circle of folders: ")
    for name in ("a/a.h:1 includes capture/b/b.h", "b/b.h:1 includes", "c/c.h:1 includes"):
        assert name in found


def test_an_unknown_native_room_is_found(tmp_path: Path) -> None:
    (tmp_path / "vgpu" / "drawer").mkdir(parents=True)
    (tmp_path / "vgpu" / "drawer" / "x.h").write_text("")
    (found,) = load_script("check-layers").native_violations(tmp_path)
    assert "native/vgpu/drawer: it is not in the list" in found


def python_package(root: Path, **files: str) -> Path:
    for name, text in files.items():
        path = root / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_folders_of_a_room_import_each_other_in_no_circle() -> None:
    assert load_script("check-layers").folder_violations() == []


def test_a_circle_of_python_folders_is_found(tmp_path: Path) -> None:
    root = python_package(
        tmp_path,
        trace__csv__rows="from rocm_perf_lab.trace.files import packed\n",
        trace__files__packed="from rocm_perf_lab.trace.csv.rows import read\n",
    )
    (found,) = load_script("check-layers").folder_violations(root)
    assert found == (
        "a circle of folders: trace/csv/rows.py:1 imports trace/files/packed.py; "
        "trace/files/packed.py:1 imports trace/csv/rows.py"
    )


def test_files_beside_folders_stand_for_themselves(tmp_path: Path) -> None:
    root = python_package(
        tmp_path,
        trace__load="from rocm_perf_lab.trace.csv import rows\n",
        trace__model="",
        trace__csv__rows="from rocm_perf_lab.trace import model\n",
    )
    assert load_script("check-layers").folder_violations(root) == []


def test_no_folder_is_a_drawer_and_no_file_too_long() -> None:
    assert load_script("check-layers").size_violations() == []


def test_a_folder_with_too_many_files_is_found(tmp_path: Path) -> None:
    for number in range(16):
        written(tmp_path / "native" / "vgpu" / f"part{number}.cpp")
        written(tmp_path / "native" / "include" / f"part{number}.h")  # ROCm's layout
        written(tmp_path / "tests" / "cli" / f"test_part{number}.py")  # one for each verb
        if number < 15:  # a .cpp with its .h is one
            written(tmp_path / "native" / "vgpu" / "exec" / f"part{number}.cpp")
            written(tmp_path / "native" / "vgpu" / "exec" / f"part{number}.h")
    (found,) = load_script("check-layers").size_violations(tmp_path)
    assert found == "native/vgpu: 16 files; more than 15 want folders"


def test_a_file_that_is_too_long_is_found(tmp_path: Path) -> None:
    written(tmp_path / "tests" / "test_long.py", "\n" * 401)
    written(tmp_path / "tests" / "test_short.py", "\n" * 400)
    (found,) = load_script("check-layers").size_violations(tmp_path)
    assert found == "tests/test_long.py: 401 lines; more than 400 are two ideas"


def written(path: Path, text: str = "") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
