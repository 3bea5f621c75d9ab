"""What is optimised, found out and built: in a private copy, from any of the forms."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from search_support import HEADER, tree_hash, write_project

from rocm_perf_lab.collect.prefix import Prefix
from rocm_perf_lab.errors import UsageError
from rocm_perf_lab.optimize.project import PrivateTree, open_project
from rocm_perf_lab.optimize.project.baseline_flags import USUAL, flags_of, kernel_code
from rocm_perf_lab.optimize.project.own_build import Told, told_to_compiler
from rocm_perf_lab.optimize.request import OptimizeRequest


@pytest.fixture(scope="module")
def folder(rocm: Prefix, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, and the program that its user built of it."""
    made = tmp_path_factory.mktemp("project")
    write_project(made)
    words = [str(rocm.tool("hipcc")), "-O1", "-g", "poly.hip", "-o", "poly"]
    subprocess.run(words, cwd=made, check=True, capture_output=True)
    return made


@pytest.fixture
def inside(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


def test_the_source_of_a_program_comes_from_its_line_tables(inside: Path, rocm: Prefix) -> None:
    project = open_project(OptimizeRequest(("./poly", "10")), rocm)
    assert project.sources == (inside / "poly.hip",)
    assert project.files == {inside / "poly.hip", inside / "part.h"}
    with pytest.raises(UsageError, match="is not there, and no source was named"):
        open_project(OptimizeRequest(("./nothing",)), rocm)


def test_versions_are_built_in_a_copy(inside: Path, rocm: Prefix, tmp_path: Path) -> None:
    before = tree_hash(inside)
    request = OptimizeRequest(("./poly",), (Path("poly.hip"),), flags=("-O1", "-g"))
    tree = PrivateTree(open_project(request, rocm), rocm, tmp_path)
    same = tree.code({}, inside / "poly.hip")
    assert same.file is not None, same.said
    assert kernel_code(same.file) == kernel_code(inside / "poly")
    changed = {str(inside / "part.h"): HEADER.replace("0.5f", "0.25f").encode()}
    other = tree.code(changed, inside / "poly.hip")
    assert other.file is not None, other.said
    assert kernel_code(other.file) != kernel_code(inside / "poly")
    broken = tree.code({str(inside / "part.h"): b"#error no\n"}, inside / "poly.hip")
    assert broken.file is None
    assert "#error no" in broken.said.replace("error: no", "#error no")
    assert tree.original(str(inside / "part.h")) == HEADER.encode()
    assert tree_hash(inside) == before


def test_a_build_of_the_user_runs_in_the_copy(inside: Path, rocm: Prefix, tmp_path: Path) -> None:
    before = tree_hash(inside)
    script = f"cp poly {{output}} && touch {{source}}.seen || exit 3; touch {inside}/escaped"
    build = ("/bin/sh", "-c", script)
    request = OptimizeRequest(("./poly",), (Path("poly.hip"),), build=build)
    project = open_project(request, rocm)
    tree = PrivateTree(project, rocm, tmp_path)
    made = tree.program({})
    assert made.file is None, "the box lets it write nowhere else"
    assert "escaped" in made.said
    assert (Path(f"{tmp_path}/tree{inside}") / "poly.hip.seen").is_file()
    assert tree_hash(inside) == before
    with pytest.raises(UsageError, match=r"--build has no \{source\}"):
        open_project(OptimizeRequest(("./poly",), (Path("poly.hip"),), build=("make",)), rocm)


def test_the_flags_of_a_program_are_those_that_make_its_code(inside: Path) -> None:
    tried = []

    def built(flags: tuple[str, ...]) -> Path:
        tried.append(flags)
        return inside / "poly" if flags == ("-O2",) else inside / "poly.hip"

    assert flags_of(inside / "poly", built) == ("-O2",)
    assert tried == list(USUAL[:2])
    assert flags_of(inside / "poly", lambda _flags: None) is None
    assert flags_of(inside / "poly.hip", built) is None, "no program"


def test_a_compiler_in_the_build_says_how_sources_are_read() -> None:
    line = "hipcc -std=c++17 -I../shared -D N=4 -c {source} b.cu ../c.o -lm -L. -o {output}"
    words = shlex.split(line)
    flags = ("-std=c++17", "-I/home/shared", "-D", "N=4")
    assert told_to_compiler(words, Path("/home/app")) == Told(flags, (Path("/home/app/b.cu"),))
    assert told_to_compiler(("/opt/rocm/bin/amdclang++", "{source}"), Path("/")) == Told((), ())
    assert told_to_compiler(("make", "SRC={source}", "{output}"), Path("/")) is None


def test_a_build_finds_headers_of_other_folders(
    rocm: Prefix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    application, shared = tmp_path / "application", tmp_path / "shared"
    application.mkdir()
    shared.mkdir()
    (application / "main.hip").write_text('#include "part.h"\nint main() { return part(); }\n')
    (shared / "part.h").write_text("inline int part() { return 0; }\n")
    monkeypatch.chdir(application)
    build = ("hipcc", "-I../shared", "{source}", "-o", "{output}")
    request = OptimizeRequest(("./main",), (Path("main.hip"),), build=build)
    project = open_project(request, rocm)
    assert shared / "part.h" in project.files
    made = PrivateTree(project, rocm, tmp_path / "private").program({})
    assert made.file is not None, made.said


def test_a_compiler_in_the_build_makes_the_code_of_one_source_alone(
    inside: Path, rocm: Prefix, tmp_path: Path
) -> None:
    def code(*build: str) -> Path:
        request = OptimizeRequest(("./poly",), (Path("poly.hip"),), build=build)
        tree = PrivateTree(open_project(request, rocm), rocm, tmp_path / build[1])
        whole = tree.program({}).file
        assert whole is not None
        found = tree.code({}, inside / "poly.hip").file
        assert found is not None
        assert kernel_code(found) == kernel_code(whole)
        return found

    assert code("hipcc", "-O1", "{source}", "-o", "{output}").suffix == ".co"
    other = code("sh", "-c", "hipcc -O1 {source} -o {output}")
    assert other.name == "poly", "nobody knows the flags"
