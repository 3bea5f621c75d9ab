"""A prefix that lost something is refused, with the name of the file and what repairs it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rocm_perf_lab.cli.main import main
from rocm_perf_lab.collect.prefix import find_prefix
from rocm_perf_lab.vrocm import libraries
from rocm_perf_lab.vrocm.build import MARKER
from rocm_perf_lab.vrocm.whole import LIST, PrefixDamaged, check_whole, write_list


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """Enough of a prefix: a profiler, a library with its links, a link that leads out of it."""
    prefix = tmp_path / "vrocm"
    for folder in ("bin", "lib", ".info", "llvm/bin"):
        (prefix / folder).mkdir(parents=True)
    (prefix / "bin" / "rocprofv3").write_text("#!/bin/sh\n")
    (prefix / "bin" / "rocprofv3").chmod(0o755)
    (prefix / "lib" / "libamdhip64.so.7.0").write_bytes(b"x" * 1000)
    (prefix / "lib" / "libamdhip64.so").symlink_to("libamdhip64.so.7.0")
    (prefix / "llvm" / "bin" / "opt").symlink_to("/nowhere/opt")
    write_list(prefix)
    (prefix / MARKER).write_text("gfx942\n")
    return prefix


def test_a_whole_prefix_is_found(built: Path) -> None:
    check_whole(built)
    (built / "bin" / "more").touch()  # what was added later is not ours to judge
    assert find_prefix(built).kind == "virtual"


def damage(prefix: Path, what: str) -> None:
    if what == "library":
        (prefix / "lib" / "libamdhip64.so.7.0").write_bytes(b"x" * 10)
    elif what == "bin":
        shutil.rmtree(prefix / "bin")
    elif what == "link":
        (prefix / "lib" / "libamdhip64.so").unlink()
    elif what == "several":
        shutil.rmtree(prefix / "lib")
    else:
        (prefix / LIST).write_text("{")


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("library", "is damaged: lib/libamdhip64.so.7.0 has 10 of 1000 bytes"),
        ("bin", "is damaged: bin is missing"),
        ("link", "is damaged: lib/libamdhip64.so is missing"),
        ("several", "is damaged: lib is missing, and 1 more file"),
        ("list", "is damaged: .info/files.json cannot be read"),
    ],
)
def test_damage_is_named_with_its_repair(
    built: Path, what: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(built, what)
    assert main(["profile", "--rocm", str(built), "--", "true"]) == 3
    err = capsys.readouterr().err
    assert said in err
    assert f"next: rocm-perf vrocm rebuild --prefix {built}" in err
    with pytest.raises(PrefixDamaged):
        find_prefix(built)


def test_doctor_says_how_to_repair_it(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damage(built, "bin")
    assert main(["doctor", "--rocm", str(built)]) != 0
    out = " ".join(capsys.readouterr().out.split())
    assert "bin is missing" in out
    assert "rocm-perf vrocm rebuild --prefix" in out


def test_one_of_the_environment_is_checked_too(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    damage(built, "bin")
    monkeypatch.setenv("ROCM_PATH", str(built))
    with pytest.raises(PrefixDamaged, match="bin is missing"):
        find_prefix()


def test_libraries_are_copies(tmp_path: Path) -> None:
    """A link would let damage of the prefix reach the package that they came from."""
    (tmp_path / "from").mkdir()
    (tmp_path / "to").mkdir()
    (tmp_path / "from" / "libamdhip64.so.7.0").write_bytes(b"library")
    libraries.put_libraries(tmp_path / "from", tmp_path / "to")
    (tmp_path / "to" / "libamdhip64.so.7.0").write_bytes(b"")
    assert (tmp_path / "from" / "libamdhip64.so.7.0").read_bytes() == b"library"
